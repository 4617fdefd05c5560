"""Claims that no machine checks here, each with the reason."""

from __future__ import annotations

ARGUMENT_ONLY = {
    "requirement-r1": "a property of the program, not of a formula: tests run every method on generated and real "
    "logs and "
    "compare the sets of variants (tests/release/test_release.py)",
    "predictable-noise": "who has the seed can repeat the generator; there is nothing to compute",
    "unknown-step": "nothing is known about the step, so nothing is claimed",
    "average-release": "as for whole-release: the parts of each release decide, and the rules are claims of their own",
    "whole-release": "what holds for the whole follows from the parts of each release; the rules are claims of "
    "their own",
}
