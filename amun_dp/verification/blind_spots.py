"""What verification cannot see. Said with every result, because a passed check is easily taken for more than it is."""

from __future__ import annotations

import os
from collections.abc import Set

from amun_dp.verification.checks import Name

_ALWAYS = (
    "whether the noise came from a source that nobody can predict: a seeded generator looks the same",
    "whether new case identifiers and the order of cases are random, or a keyed code of the original ones",
    "data hidden in what looks random: in identifiers, in the last digits of noised times, in the order",
    "what software made the release: versions and commit are the publisher's word",
    "what is kept beside files and not in them: their times, owners, access rights and security labels, and what the "
    "administrator of a system can attach to them"
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
    "whether what was declared is true: cases of an individual, length of a case, public variants, the time frame",
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
_NOT_MADE = {
    Name.REPORT: "anything else in the folder: its report cannot be read here",
    Name.PAGE: "what stands on the page (report.html): it was not drawn again",
    Name.TEXTS: "what the sentences of report.json say: they were not compared",
    Name.MECHANISMS: "what names, texts and numbers of the recorded mechanisms say: what the method should have "
    "recorded is not known here",
    Name.BYTES: "data hidden in how the log is drawn up in its file, in blanks for instance: it was not compared",
    Name.PACKING: "data hidden in how the file of the log is compressed: that was not compared (whoever makes a file "
    "can say that another zlib or Arrow did it)",
}
"""Of each check that could not be made: what it would have seen."""
_INTERNAL = "what the page and the other figures of the internal report say: they are not derived again"
_GENUINE = "whether the original is the genuine one, and whole"
_WITH_PLAN = (
    "whether counts got all of their noise: that they got none shows in logs of many variants, that they got less "
    "hardly ever",
    "whether variants that are declared public are known for reasons outside the log",
)


def undetectable(
    original: bool, ledger: bool, plan: bool = True, not_made: Set[Name] = frozenset(), internal: bool = False
) -> tuple[str, ...]:
    """One sentence each; fewer with the original, if the plan can be made again from it, and fewer with the ledger.

    First what was not seen because a check could not be made, which others elsewhere could make; then what nobody sees.
    """
    here = [sentence for name, sentence in _NOT_MADE.items() if name in not_made]
    if internal:
        here.append(_INTERNAL)
    if not original:
        return (*here, _UNSIGNED, *_NO_ORIGINAL, *_ALWAYS)
    compared = (*_WITH_PLAN, *(() if ledger else _NO_LEDGER)) if plan else _NO_PLAN
    return (*here, _UNSIGNED, _GENUINE, *compared, *_ALWAYS)
