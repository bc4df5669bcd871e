"""What toxics make of the bytes of one direction, piece by piece."""

import pytest

from mockbroker.faults.network.toxics import (
    Bandwidth,
    Ending,
    Latency,
    LimitData,
    Piece,
    ResetPeer,
    Slicer,
    SlowClose,
    Stage,
    Timeout,
    Toxic,
)
from mockbroker.state.random_source import RandomSource


class Watched:
    """A stage of a toxic, and what it told of itself."""

    def __init__(self, toxic: Toxic, seed: int = 1) -> None:
        self.struck: list[int] = []
        self.stage: Stage = toxic.stage(RandomSource(seed), self.struck.append)

    def sees(self, data: bytes | Ending, at_s: float) -> list[tuple[bytes | Ending, float]]:
        return [(each.data, round(each.at_s, 6)) for each in self.stage.through(Piece(data, at_s))]


def test_latency_puts_bytes_off_and_not_the_end() -> None:
    stage = Watched(Latency(latency_ms=250))
    assert stage.sees(b"abc", 1.0) == [(b"abc", 1.25)]
    assert stage.sees(Ending.CLOSE, 2.0) == [(Ending.CLOSE, 2.0)]
    assert stage.struck == [3]


def test_jitter_varies_to_both_sides_and_never_into_the_past() -> None:
    stage = Watched(Latency(latency_ms=10, jitter_ms=20))
    delays_ms = {round(1000 * (stage.sees(b"a", 1.0)[0][1] - 1.0)) for _ in range(500)}
    assert delays_ms == set(range(31))


def test_equal_seeds_draw_equal_lots() -> None:
    toxic = Latency(latency_ms=100, jitter_ms=50)
    first, second, other = (Watched(toxic, seed) for seed in (7, 7, 8))
    draws = [[stage.sees(b"a", 0.0)[0][1] for _ in range(9)] for stage in (first, second, other)]
    assert draws[0] == draws[1] != draws[2]


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


def test_a_slow_close_waits_and_a_reset_does_not() -> None:
    stage = Watched(SlowClose(delay_ms=2_000))
    assert stage.sees(b"abc", 1.0) == [(b"abc", 1.0)]
    assert stage.struck == []
    assert stage.sees(Ending.CLOSE, 1.0) == [(Ending.CLOSE, 3.0)]
    assert stage.sees(Ending.RESET, 1.0) == [(Ending.RESET, 1.0)]
    assert stage.struck == [0]


@pytest.mark.parametrize(("timeout_ms", "ends_at_s"), [(0, None), (5_000, 6.0)])
def test_a_timeout_loses_all_and_ends(timeout_ms: int, ends_at_s: float | None) -> None:
    stage = Watched(Timeout(timeout_ms=timeout_ms))
    assert stage.stage.ends_at_s(1.0) == ends_at_s
    assert stage.sees(b"abc", 1.0) == []
    assert stage.struck == [3]


def test_a_reset_comes_once_and_a_time_after_the_first_bytes() -> None:
    stage = Watched(ResetPeer(after_ms=100))
    assert stage.stage.ends_at_s(1.0) is None
    assert stage.sees(b"abc", 1.0) == [(Ending.RESET, 1.1)]
    assert stage.sees(b"de", 1.05) == []
    assert stage.struck == [3, 2]


def test_a_slicer_cuts_and_keeps_the_order() -> None:
    stage = Watched(Slicer(average_size_bytes=4, delay_ms=10))
    assert stage.sees(b"abcdefghij", 1.0) == [(b"abcd", 1.0), (b"efgh", 1.01), (b"ij", 1.02)]
    assert stage.sees(b"k", 1.0) == [(b"k", 1.03)]
    assert stage.sees(Ending.CLOSE, 1.0) == [(Ending.CLOSE, 1.04)]
    assert stage.struck == [4, 4, 2]


def test_the_sizes_of_slices_vary_to_both_sides() -> None:
    stage = Watched(Slicer(average_size_bytes=3, size_variation_bytes=2))
    pieces = stage.sees(b"x" * 2_000, 0.0)
    assert b"".join(data for data, _ in pieces if isinstance(data, bytes)) == b"x" * 2_000
    assert {len(data) for data, _ in pieces[:-1] if isinstance(data, bytes)} == {1, 2, 3, 4, 5}


def test_a_limit_lets_through_what_is_within_it_and_closes() -> None:
    stage = Watched(LimitData(limit_bytes=5))
    assert stage.sees(b"abc", 1.0) == [(b"abc", 1.0)]
    assert stage.struck == []
    assert stage.sees(b"defg", 2.0) == [(b"de", 2.0), (Ending.CLOSE, 2.0)]
    assert stage.sees(b"hi", 3.0) == []
    assert stage.struck == [4]


def test_a_limit_of_nothing_closes_at_the_first_bytes() -> None:
    assert Watched(LimitData(limit_bytes=0)).sees(b"abc", 1.0) == [(Ending.CLOSE, 1.0)]


@pytest.mark.parametrize(
    ("toxic", "text"),
    [
        (Latency(latency_ms=200, jitter_ms=50), "latency(latency='200ms', jitter='50ms')"),
        (Bandwidth(rate_kb_s=5, stream="upstream"), "bandwidth(rate_kb_s=5, stream='upstream')"),
        (SlowClose(delay_ms=1_000), "slow_close(delay='1s')"),
        (Timeout(timeout_ms=0), "timeout()"),
        (ResetPeer(), "reset_peer()"),
        (
            Slicer(average_size_bytes=9, size_variation_bytes=2, delay_ms=5),
            "slicer(average_size=9, size_variation=2, delay='5ms')",
        ),
        (LimitData(limit_bytes=7), "limit_data(limit_bytes=7)"),
    ],
)
def test_a_toxic_is_written_as_it_is_called(toxic: Toxic, text: str) -> None:
    assert str(toxic) == text
