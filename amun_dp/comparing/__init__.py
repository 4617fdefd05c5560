"""Methods beside each other on the same logs: how useful their releases are, what they take and give away."""

from amun_dp.comparing.run import MethodComparison, compare

__all__ = ["MethodComparison", "compare"]
