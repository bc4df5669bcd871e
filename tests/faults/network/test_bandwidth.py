"""Bytes that come slowly."""

from mockbroker.faults.network.bandwidth import Bandwidth
from mockbroker.faults.network.toxic import Ending
from tests.support.toxics import Watched


def test_bandwidth_gives_every_byte_its_time() -> None:
    stage = Watched(Bandwidth(rate_kb_s=1))
    assert stage.sees(b"x" * 250, 1.0) == [
        (b"x" * 100, 1.1),
        (b"x" * 100, 1.2),
        (b"x" * 50, 1.25),
    ]
    assert stage.sees(b"y" * 100, 1.1) == [(b"y" * 100, 1.35)]
    assert stage.sees(Ending.CLOSE, 1.2) == [(Ending.CLOSE, 1.35)]
    assert stage.sees(b"z" * 10, 5.0) == [(b"z" * 10, 5.01)]
