"""One engine for the tests of a module."""

from collections.abc import Iterator, Mapping

import pytest

from tests.container.engine.running import running_engine


@pytest.fixture(scope="module")
def engine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Mapping[str, str]]:
    """Yield the variables that lead to the engine."""
    with running_engine(tmp_path_factory.mktemp("engine")) as variables:
        yield variables
