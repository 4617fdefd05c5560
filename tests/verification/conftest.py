from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.verification.releases import Shelf


@pytest.fixture(scope="session")
def shelf() -> Iterator[Shelf]:
    kept = Shelf()
    yield kept
    kept.close()
