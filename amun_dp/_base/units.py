"""Units of time in milliseconds, the resolution of every time in this package, and the times that can be written."""

from __future__ import annotations

SECOND = 1_000
MINUTE = 60 * SECOND
HOUR = 60 * MINUTE
DAY = 24 * HOUR
YEAR = 365 * DAY

EARLIEST, LATEST = -62_135_596_800_000, 253_402_300_799_999
"""The first and the last millisecond of the years 1 to 9999, since 1970-01-01 UTC: what ISO 8601 can write."""
