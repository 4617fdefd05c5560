"""``python -m tests.reading.fuzz_xes_regular SEED SECONDS``: both readers of XES compared for as long as wanted.

Spoils generated documents and, where AMUN_DP_LOGS is set, strange real ones. Stops at the first disagreement and leaves
the file there; else prints how many files each reader took.
"""

from __future__ import annotations

import gzip
import os
import random
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from unittest.mock import patch

from amun_dp.reading import xes_regular
from tests.reading.test_xes_regular import WAYS_TO_READ, assert_same
from tests.reading.xes_mutations import document, mutated


def strange_documents() -> list[bytes]:
    folder = os.environ.get("AMUN_DP_LOGS")
    files = sorted((Path(folder) / "odd").iterdir()) if folder else []
    contents = [(path.suffix, path.read_bytes()) for path in files if path.stat().st_size < 16_000]
    return [gzip.decompress(content) if suffix == ".gz" else content for suffix, content in contents]


def main(seed: int, seconds: float) -> None:
    chance, strange, taken = random.Random(seed), strange_documents(), Counter[str]()
    place = Path(tempfile.mkdtemp()) / "log.xes"
    print(f"file: {place}", flush=True)
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        text = chance.choice(strange) if strange and chance.random() < 0.25 else document(chance.randrange)
        for _ in range(chance.choice((1, 1, 1, 2, 3))):
            text = mutated(text, chance.randrange)
        place.write_bytes(text or b" ")
        with patch.object(xes_regular, "_CHUNK", chance.choice((150, 400, 1 << 22))):
            taken["fast" if assert_same(place, (chance.choice(WAYS_TO_READ),)) else "strict"] += 1
    print(dict(taken))


if __name__ == "__main__":
    main(int(sys.argv[1]), float(sys.argv[2]))
