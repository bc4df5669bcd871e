"""Syntax trees of all sources, for as long as the rules read them."""

import gc
from collections.abc import Iterator

import pytest

from tests.tidy.repository import parsed


@pytest.fixture(scope="package", autouse=True)
def syntax_trees() -> Iterator[None]:
    """Keep the trees, and forget them afterwards.

    Garbage collections visit all of them, and take three times as long as the parsing.
    """
    gc.disable()
    yield
    parsed.cache_clear()
    gc.enable()
