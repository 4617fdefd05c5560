"""Claims that no machine checks here, each with the reason."""

from __future__ import annotations

ARGUMENT_ONLY = {
    "requirement-r1": "a property of the program, not of a formula: tests run every method on generated and real "
    "logs and "
    "compare the sets of variants (tests/test_release.py)",
    "predictable-noise": "who has the seed can repeat the generator; there is nothing to compute",
    "unknown-step": "nothing is known about the step, so nothing is claimed",
    "whole-release": "what holds for the whole follows from the parts of each release; the rules are claims of "
    "their own",
}
