"""Bytes that come later."""

from mockbroker.faults.network.latency import Latency
from mockbroker.faults.network.toxic import Ending
from tests.support.toxics import Watched


def test_latency_delays_bytes_but_not_the_end() -> None:
    stage = Watched(Latency(latency=250))
    assert stage.sees(b"abc", 1.0) == [(b"abc", 1.25)]
    assert stage.sees(Ending.CLOSE, 2.0) == [(Ending.CLOSE, 2.0)]
    assert stage.struck == [3]


def test_jitter_varies_to_both_sides_and_never_into_the_past() -> None:
    stage = Watched(Latency(latency=10, jitter=20))
    delays_ms = {round(1000 * (stage.sees(b"a", 1.0)[0][1] - 1.0)) for _ in range(500)}
    assert delays_ms == set(range(31))


def test_equal_seeds_give_equal_jitter() -> None:
    toxic = Latency(latency=100, jitter=50)
    first, second, other = (Watched(toxic, seed) for seed in (7, 7, 8))
    draws = [[stage.sees(b"a", 0.0)[0][1] for _ in range(9)] for stage in (first, second, other)]
    assert draws[0] == draws[1] != draws[2]
