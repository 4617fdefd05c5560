"""Whether a list of variants can have been made without the log: by how many of its variants one case alone has.

Let a list not depend on the log, and the cases of the log be independent draws of one process. Of the listed variants,
take the m that no more than two cases of the log have, and the T cases that these have together. Given both, the number
of variants that exactly one case has is largest, in the stochastic order, if all of them are equally likely: as if T
balls were thrown into m boxes none of which gets three. A list that was made from the log has few variants that no case
has, and nearly all of the rest are one case's alone. docs/certified.md has the proof.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from amun_dp._base.arrays import offsets_of
from amun_dp.certified.public_facts import public_codes
from amun_dp.eventlog.language import Language, both_languages
from amun_dp.eventlog.variants import Sequences, distinct

MOST_ERRORS = 0.05
"""How often, at most, a list that does not depend on the log is taken for one that does."""


@dataclass(frozen=True, slots=True)
class Listed:
    """How many variants of a list no case of the log has, one, and two. Confidential."""

    by_none: int
    by_one: int
    by_two: int
    alone: int
    """Variants of the log that one case alone has, listed or not."""
    equal: bool
    """The list has all variants of the log, and no others."""

    @property
    def chance(self) -> float:
        """An upper bound on the probability that a list which does not depend on the log has so many variants that one
        case alone has."""
        return chance_of_so_many(self.by_none, self.by_one, self.by_two)

    @property
    def from_the_log(self) -> bool:
        return self.equal or self.chance <= MOST_ERRORS


def listed_of(variants: tuple[tuple[str, ...], ...], own: Language, activities: tuple[str, ...]) -> Listed:
    """``own``: the variants of the log. Its cases are compared as they are measured: events with a label that is not
    among the public ``activities`` are left out, so a list of the log's variants without some activity is seen, too."""
    own = _within(own, activities)
    both = both_languages(own, _language(variants))
    cases = both.before[both.after > 0]
    return Listed(
        by_none=int(np.count_nonzero(cases == 0)),
        by_one=int(np.count_nonzero(cases == 1)),
        by_two=int(np.count_nonzero(cases == 2)),
        alone=int(np.count_nonzero(own.cases == 1)),
        equal=bool(((both.before > 0) & (both.after > 0)).all()),
    )


def chance_of_so_many(by_none: int, by_one: int, by_two: int) -> float:
    """With what probability at least ``by_one`` of the boxes hold one ball, where ``by_one + 2·by_two`` balls were
    thrown into ``by_none + by_one + by_two`` boxes and none got three."""
    boxes, balls = by_none + by_one + by_two, by_one + 2 * by_two
    ones = np.arange(balls % 2, min(balls, 2 * boxes - balls) + 1, 2)
    twos = (balls - ones) // 2
    factorial = np.concatenate(([0.0], np.cumsum(np.log(np.arange(1, boxes + 1)))))  # logarithms, up to that of boxes!
    weights = -factorial[boxes - ones - twos] - factorial[ones] - factorial[twos] - twos * np.log(2)
    likely = np.exp(weights - weights.max())
    return float(likely[ones >= by_one].sum() / likely.sum())


def _within(language: Language, activities: tuple[str, ...]) -> Language:
    """What is left of each variant; none where nothing is."""
    codes = public_codes(language.activities, activities)[language.variants.activity]
    of_event = np.repeat(np.arange(language.variants.count), language.variants.lengths)
    lengths = np.bincount(of_event[codes >= 0], minlength=language.variants.count)
    left = Sequences(codes[codes >= 0], offsets_of(lengths[lengths > 0]))
    variants = distinct(left, len(activities))
    return Language(activities, variants.sequences, variants.cases(language.cases[lengths > 0]))


def _language(variants: tuple[tuple[str, ...], ...]) -> Language:
    """A list of variants as a language in which each occurs once."""
    listed = sorted(set(variants))
    labels = tuple(sorted({label for variant in listed for label in variant}))
    code = {label: number for number, label in enumerate(labels)}
    codes = np.array([code[label] for variant in listed for label in variant], dtype=np.int64)
    lengths = np.array([len(variant) for variant in listed], dtype=np.int64)
    return Language(labels, Sequences(codes, offsets_of(lengths)), np.ones(len(listed), dtype=np.int64))
