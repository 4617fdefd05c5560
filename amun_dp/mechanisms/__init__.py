"""The mechanisms, apart from the pipeline: each states its domain, sensitivity and relation, and returns its result
together with the accounting event that says what it cost."""

from __future__ import annotations
