"""What verification cannot see. Said with every result, because a passed check is easily taken for more than it is."""

from __future__ import annotations

import os

_ALWAYS = (
    "whether the noise came from a source that nobody can predict: a seeded generator looks the same",
    "whether new case identifiers and the order of cases are random, or a keyed code of the original ones",
    "data hidden in what looks random: in identifiers, in the last digits of noised times, in the order",
    "data hidden in how the file is compressed, where another zlib or Arrow did it than is here (whoever makes the "
    "file can say so): its content is compared all the same, and what its packing can hide is bounded by a part of its "
    "size",
    "what software made the release: versions and commit are the publisher's word",
    "what is kept beside files and not in them: their times, owners and access rights"
    + ("" if hasattr(os, "listxattr") else ", and extended attributes, which this system does not show"),
    "the total with earlier releases: it is what the publisher's registry knew, and nobody else can see that",
    "how often else this log, or another one about the same people, was or will be released",
    "what an attacker knows already, and whether the named assumptions of a guarantee hold",
)
_UNSIGNED = (
    "who made the folder: its hashes are no signature, and whoever changes log, mechanisms, guarantees, page and "
    "hashes alike makes another consistent release; compare it with a copy from where you trust"
)
_NO_ORIGINAL = (
    "whether the log was made from any original at all, and by the recorded mechanisms",
    "whether noise was drawn at the recorded scales, or at all",
    "whether priors, ranges and filtering were computed as the method says, and no event got more than its ε",
    "whether a variant, a time or a case identifier of the original came through as it was",
    "whether what was declared is true: cases of an individual, length of a case, public variants",
)
_NO_PLAN = (
    "whether the log was made by the recorded mechanisms, and noise drawn at their scales, or at all: no plan could be "
    "made again that would say what to expect",
    "whether times came through nearly as they were: only cases that are whole copies are looked for",
)
_NO_LEDGER = (
    "which released case repeats which original, hence the noise of each event, the number of copies, and how well "
    "cases can be linked; this needs the internal part, and without it times that hardly moved do not show",
)
_GENUINE = "whether the original is the genuine one, and whole"
_WITH_PLAN = (
    "whether counts got all of their noise: that they got none shows in logs of many variants, that they got less "
    "hardly ever",
    "whether variants that are declared public are known for reasons outside the log",
)


def undetectable(original: bool, ledger: bool, plan: bool = True) -> tuple[str, ...]:
    """One sentence each; fewer with the original, if the plan can be made again from it, and fewer with the ledger."""
    if not original:
        return (_UNSIGNED, *_NO_ORIGINAL, *_ALWAYS)
    compared = (*_WITH_PLAN, *(() if ledger else _NO_LEDGER)) if plan else _NO_PLAN
    return (_UNSIGNED, _GENUINE, *compared, *_ALWAYS)
