"""What verification cannot see. Said with every result, because a passed check is easily taken for more than it is."""

from __future__ import annotations

_ALWAYS = (
    "whether the noise came from a source that nobody can predict: a seeded generator looks the same",
    "whether new case identifiers and the order of cases are random, or a keyed code of the original ones",
    "data hidden in what looks random: in identifiers, in the last digits of noised times, in the order, in how the "
    "file is compressed",
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
_NO_LEDGER = (
    "which released case repeats which original, hence the noise of each event, the number of copies, and how well "
    "cases can be linked; this needs the internal part",
)
_WITH_ORIGINAL = (
    "whether the original is the genuine one, and whole",
    "whether variants that are declared public are known for reasons outside the log",
)


def undetectable(original: bool, ledger: bool) -> tuple[str, ...]:
    """One sentence each; fewer with the original, and fewer still with the ledger too."""
    return (
        _UNSIGNED,
        *(_WITH_ORIGINAL if original else _NO_ORIGINAL),
        *(() if original and ledger else _NO_LEDGER if original else ()),
        *_ALWAYS,
    )
