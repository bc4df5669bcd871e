"""A clock that only tests move."""

from mockbroker.state.clock import Clock, VirtualClock


def test_a_virtual_clock_stands_still() -> None:
    clock: Clock = VirtualClock(5)
    assert [clock.now_ms(), clock.now_ms()] == [5, 5]


def test_a_virtual_clock_moves_when_advanced() -> None:
    clock = VirtualClock(5)
    assert clock.advance(10) == 15
    assert clock.advance_to(100) == 100
    assert clock.now_ms() == 100


def test_a_virtual_clock_never_goes_back() -> None:
    clock = VirtualClock(50)
    assert clock.advance_to(20) == 50
    assert clock.now_ms() == 50
