"""Syntax trees of all sources, for as long as the rules read them."""

import gc
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest

from tests.tidy.repository import parsed

HERE: Final = Path(__file__).parent


@pytest.fixture(autouse=True)
def uncollected() -> Iterator[None]:
    """Collect no garbage while rules parse: collections take three times as long as the parsing."""
    gc.disable()
    yield
    gc.enable()


def pytest_runtest_teardown(nextitem: pytest.Item | None) -> None:
    """Forget the trees after the last rule."""
    if nextitem is None or not nextitem.path.is_relative_to(HERE):
        parsed.cache_clear()
