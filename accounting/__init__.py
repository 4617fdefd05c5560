"""What a release costs in privacy. Knows no event logs and draws no randomness."""

from __future__ import annotations
