"""What the tests of robustness share."""

import pytest

from tests.support.logged import Logged


@pytest.fixture
def logged(monkeypatch: pytest.MonkeyPatch) -> Logged:
    """What is logged during the test."""
    recorder = Logged()
    recorder.watch(monkeypatch)
    return recorder
