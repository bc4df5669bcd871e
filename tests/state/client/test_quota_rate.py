"""Rates over samples, by hand."""

from mockbroker.state.client.quota_rate import QuotaRate


def rate() -> QuotaRate:
    return QuotaRate(samples=3, window_ms=1000)


def test_the_window_is_at_least_all_samples_but_one() -> None:
    one = rate()
    assert one.window_ms(0) == 2000
    one.record(100, 0)
    assert one.window_ms(0) == 2000
    assert one.per_second(0) == 50
    assert one.window_ms(500) == 2500
    assert one.per_second(500) == 40


def test_a_sample_is_followed_by_the_next_one() -> None:
    one = rate()
    one.record(100, 0)
    one.record(100, 999)
    one.record(100, 1000)
    assert one.window_ms(1000) == 2000
    assert one.per_second(1000) == 150
    one.record(300, 2500)
    assert one.window_ms(2500) == 2500
    assert one.per_second(2500) == 240


def test_old_samples_are_forgotten() -> None:
    one = rate()
    one.record(100, 0)
    one.record(60, 1500)
    assert one.per_second(2999) == 160 / 2.999
    # The first sample has no event within three seconds.
    assert one.window_ms(3000) == 2500
    assert one.per_second(3000) == 60 / 2.5
    assert one.per_second(10_000) == 0


def test_samples_are_used_again() -> None:
    one = rate()
    for second in range(10):
        one.record(10, second * 1000)
    assert one.window_ms(9000) == 2000
    assert one.per_second(9000) == 15


def test_without_time_the_window_is_a_millisecond() -> None:
    assert QuotaRate(samples=1, window_ms=1000).window_ms(5) == 1
