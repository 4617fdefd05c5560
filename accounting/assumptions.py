"""What a guarantee may rest on, by name. A report prints the names with these explanations; nothing rests on less."""

from __future__ import annotations

from enum import Enum


class Assumption(Enum):
    """The value is the name that reports use."""

    INDEPENDENT_CASES = "independent cases"
    READING = "cases are read one by one"
    CHOICES = "choices do not depend on one case"
    PUBLIC_LABELS = "public labels"
    PUBLIC_VARIANTS = "public variants"
    PUBLIC_GROUPS = "public groups"
    PUBLIC_RANGES = "public ranges"
    PUBLIC_SCALES = "public scales"
    PUBLIC_TIME_FRAME = "public first and last time"
    PUBLIC_LENGTH = "public bound on the length of a case"
    PUBLIC_CASES_PER_INDIVIDUAL = "public bound on the cases of an individual"
    PUBLIC_NUMBER_OF_CASES = "public number of cases"
    PUBLIC_LONGEST_DURATION = "public longest duration"
    KNOWN_CONTROL_FLOW = "known control flow"
    ESTIMATED_PRIOR = "estimated prior"
    COPIES_IGNORE_TIMES = "copies do not depend on times"
    EXACT_SAMPLER = "exact sampler"
    MATH_LIBRARY = "accurate math library"
    PUBLIC_NUMBER_OF_INDIVIDUALS = "public number of individuals"
    GIVEN_FACTS = "given facts"

    @property
    def explanation(self) -> str:
        """What is assumed, in the words of a report."""
        return _EXPLANATIONS[self]


_EXPLANATIONS = {
    Assumption.INDEPENDENT_CASES: "given what the attacker knows, the case in question is independent of the others; "
    "if it depends on g-1 others, every ε counts g times, and a δ more than that",
    Assumption.READING: "what one case holds does not decide how the other cases are read, or which of them are left "
    "out",
    Assumption.CHOICES: "method, form, advantage and all other choices were not made by looking at one case",
    Assumption.PUBLIC_LABELS: "the set of activity labels is no secret",
    Assumption.PUBLIC_VARIANTS: "which sequences of activities occur is known for reasons outside the log",
    Assumption.PUBLIC_GROUPS: "the automaton and the groups of events are known for reasons outside the log",
    Assumption.PUBLIC_RANGES: "the range [0, r] of each relative time is known for reasons outside the log",
    Assumption.PUBLIC_SCALES: "the scale of the noise on each value does not depend on private data",
    Assumption.PUBLIC_TIME_FRAME: "the first start, the last start and the last timestamp of the log are no secret",
    Assumption.PUBLIC_LENGTH: "the largest possible number of events of a case is declared, not taken from the log",
    Assumption.PUBLIC_CASES_PER_INDIVIDUAL: "no individual counts with more cases than were declared (where further "
    "ones are not left out, the publisher vouches for that), and the number was not taken from the log",
    Assumption.KNOWN_CONTROL_FLOW: "which events the case has is known; only their times may differ",
    Assumption.PUBLIC_NUMBER_OF_CASES: "how many cases the log has is no secret, nor whether reading left a "
    "case out: it is missing from that number",
    Assumption.PUBLIC_LONGEST_DURATION: "how long a step of a case can take at most is no secret",
    Assumption.ESTIMATED_PRIOR: "the attacker's prior is the one estimated from the log; another may gain more",
    Assumption.COPIES_IGNORE_TIMES: "how often a case is copied does not depend on its times",
    Assumption.EXACT_SAMPLER: "the noise has exactly the stated law and cannot be predicted (the sampler, OpenDP's or "
    "amun-dp's own, and the operating system's generator)",
    Assumption.MATH_LIBRARY: "the platform's exp, log, tanh and the like are accurate to 16 units in the last place",
    Assumption.PUBLIC_NUMBER_OF_INDIVIDUALS: "how many individuals the log has is no secret",
    Assumption.GIVEN_FACTS: "the facts that the publisher gave do not depend on the log",
}
