"""One report of each family of methods."""

from __future__ import annotations

from typing import Any

import pytest

from tests.report.schema.published import MADE, published


@pytest.fixture(scope="module", params=MADE)
def report(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """One of each family of methods, with all sorts of values: what can be absent is there in one of them."""
    return published(tmp_path_factory.mktemp("release") / "out", **MADE[request.param])
