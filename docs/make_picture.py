"""Draws docs/images/hospital.png, the picture in the README: the synthetic hospital log before and after a release.

Comparing original and release like this is possible here because the log is invented; for a real log such a picture
belongs to the internal report. Run: .venv/bin/python docs/make_picture.py
"""

from __future__ import annotations

from pathlib import Path

import matplotlib as mpl
import numpy as np

from amun_dp._base.units import DAY, HOUR
from amun_dp.eventlog.variants import find_variants

mpl.use("Agg")
import matplotlib.pyplot as plt

import amun_dp
from amun_dp.eventlog.log import EventLog

ROOT = Path(__file__).parent.parent
INK, BEFORE, AFTER = "#22303c", "#8fa3b3", "#d1603d"


def activity_counts(log: EventLog, labels: list[str]) -> list[int]:
    counts = dict(zip(log.activities, np.bincount(log.activity, minlength=len(log.activities)), strict=True))
    return [int(counts.get(label, 0)) for label in labels]


def hours(log: EventLog) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    """Cycle time of each case in hours."""
    result: np.ndarray[tuple[int], np.dtype[np.float64]] = (log.time[log.offsets[1:] - 1] - log.starts) / HOUR
    return result


def main() -> None:
    original = amun_dp.read_log(ROOT / "examples" / "hospital.xes.gz")
    released = amun_dp.anonymize(original, advantage=0.3, method="filtering", seed=2024).event_log
    plt.rcParams.update({"font.size": 9, "axes.edgecolor": INK, "text.color": INK, "axes.labelcolor": INK})
    figure, (left, middle, right) = plt.subplots(1, 3, figsize=(11, 3.6), layout="constrained")

    labels = sorted(original.activities, key=lambda label: activity_counts(original, [label])[0])
    place = np.arange(len(labels))
    left.barh(place + 0.2, activity_counts(original, labels), 0.4, color=BEFORE, label="original")
    left.barh(place - 0.2, activity_counts(released, labels), 0.4, color=AFTER, label="released")
    left.set_yticks(place, labels)
    left.set_title("How often each activity happens", loc="left")
    left.legend(frameon=False)

    bins = np.geomspace(0.05, 2_000, 36)
    middle.hist(hours(original), bins, color=BEFORE, alpha=0.8)
    middle.hist(hours(released), bins, color=AFTER, histtype="step", linewidth=1.6)
    middle.set_xscale("log")
    middle.set_title("Hours from first to last event (cases)", loc="left")

    window = np.arange(original.starts.min() // DAY, original.starts.max() // DAY + 8, 7)
    for log, colour in ((original, BEFORE), (released, AFTER)):
        counts, _ = np.histogram(log.starts // DAY, window)
        right.stairs(counts, window - window[0], color=colour, linewidth=2, fill=False)
    right.set_ylim(bottom=0)
    right.set_title("Cases that start each week, by day", loc="left")

    for axis in (left, middle, right):
        axis.spines[["top", "right"]].set_visible(False)
    figure.suptitle(
        f"Synthetic hospital log, advantage 0.3, method filtering: {original.n_cases} cases with "
        f"{find_variants(original).count} variants before, {released.n_cases} with {find_variants(released).count} "
        "after",
        x=0.01,
        ha="left",
        fontsize=10,
        fontweight="bold",
    )
    target = ROOT / "docs" / "images" / "hospital.png"
    figure.savefig(target, dpi=110)


if __name__ == "__main__":
    main()
