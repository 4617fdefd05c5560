"""Look through the file of a released log, whatever its format."""

from __future__ import annotations

from pathlib import Path

from amun_dp.verification.bounds import Limits
from amun_dp.verification.folder.raw import Attributes, RawLog


def scan(path: Path, attributes: Attributes, most_events: int, limits: Limits) -> RawLog:
    """Look through the file. Ends as soon as it has more events than the report says, or more of anything than is
    looked at here: a small file can grow large."""
    if path.name.endswith(".xes.gz"):
        from amun_dp.verification.folder.raw_xes import scan_xes

        return scan_xes(path, attributes, most_events, limits)
    from amun_dp.verification.folder.raw_tables import scan_csv, scan_parquet

    if path.name.endswith(".csv"):
        return scan_csv(path, most_events, limits)
    return scan_parquet(path, attributes, most_events, limits)
