"""Ledgers and internal reports of another release than the published one."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

from accounting.events import LaplaceCount, PrivacyEvent
from amun_dp.verification import Name
from tests.verification import forging
from tests.verification.breakages import breaks


@breaks(Name.LEDGER, internal=True)
def a_byte_of_the_ledger(folder: Path) -> None:
    path = folder / "internal" / "ledger.json"
    path.write_bytes(path.read_bytes().replace(b'"variants"', b'"groups"', 1))


@breaks(Name.LEDGER, internal=True)
def a_ledger_without_its_columns(folder: Path) -> None:
    (folder / "internal" / "ledger.parquet").unlink()


@breaks(Name.LEDGER_MECHANISMS, Name.LEDGER_ACCOUNT, internal=True)
def a_ledger_of_more_noise_than_the_report(folder: Path) -> None:
    def change(leaf: PrivacyEvent) -> PrivacyEvent:
        return replace(leaf, scale=2.0 * float(leaf.scale)) if isinstance(leaf, LaplaceCount) else leaf  # type: ignore[arg-type]

    forging.put_ledger(folder, lambda tree: forging.mapped(tree, change))


@breaks(Name.LEDGER_LOG, internal=True)
def a_ledger_of_other_cases(folder: Path) -> None:
    forging.put_ledger(folder, released_case=lambda names: names[::-1].copy())


@breaks(Name.LEDGER_LOG, internal=True)
def a_ledger_of_other_activities(folder: Path) -> None:
    forging.put_ledger(folder, activity=lambda labels: labels[::-1].copy())


@breaks(Name.INTERNAL_REPORT, internal=True)
def an_internal_report_of_a_smaller_loss(folder: Path) -> None:
    path = folder / "internal" / "report.json"
    data = json.loads(path.read_bytes())
    data["losses"]["individuals"]["largest"] /= 2
    path.write_text(json.dumps(data, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")


@breaks(Name.INTERNAL_PRIVATE, internal=True)
def a_ledger_that_others_can_read(folder: Path) -> None:
    (folder / "internal" / "ledger.parquet").chmod(0o644)


@breaks(Name.INTERNAL_PRIVATE, internal=True)
def an_internal_part_that_others_can_open(folder: Path) -> None:
    (folder / "internal").chmod(0o755)
