"""Measurements of TLS, without a client."""

from pathlib import Path

import pytest

from bench import tls_measurements
from bench.arena import Arena
from bench.competitors import Mockbroker
from bench.errors import CannotMeasureError
from bench.figures import FIGURES
from bench.tls_measurements import measure_tls

pytestmark = pytest.mark.slow


@pytest.fixture
def failed(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Let the producer send nothing, and fail with so many records."""
    count = [0]

    def producer(address: str, _topic: str, _seed: int, properties: Path) -> object:
        assert address.startswith("127.0.0.1:")
        assert "security.protocol=SSL" in properties.read_text()
        return {"plain": {"records_per_s": 1000.0, "failed": count[0]}}

    monkeypatch.setattr(tls_measurements, "java_producer", producer)
    return count


def test_both_figures_are_measured(failed: list[int]) -> None:
    del failed
    values = measure_tls(Arena(seed=1), Mockbroker()).values
    assert values.keys() == {"java_tls_per_s", "fresh_tls_share"} <= FIGURES.keys()
    assert values["fresh_tls_share"] > 0


def test_failed_records_are_no_measurement(failed: list[int]) -> None:
    failed[0] = 3
    with pytest.raises(CannotMeasureError, match="3 records"):
        measure_tls(Arena(seed=1), Mockbroker())
