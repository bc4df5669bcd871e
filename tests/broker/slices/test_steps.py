"""Steps: what fits into a slice, and where a large request pauses."""

import pytest

from mockbroker.broker.slices.steps import (
    BYTES_A_STEP,
    DECODING_STEPS,
    ELEMENT_BYTES,
    ELEMENTS_MAX,
    ENCODING_STEPS,
    SLICE_STEPS,
    Lazily,
    Pace,
    Tally,
    TooManyElements,
    TooManySteps,
)


class Pauses:
    """Counts pauses."""

    def __init__(self) -> None:
        self.count = 0

    def __call__(self) -> None:
        self.count += 1


@pytest.fixture
def pauses() -> Pauses:
    return Pauses()


@pytest.fixture
def pace(pauses: Pauses) -> Pace:
    return Pace(pauses)


def test_a_request_fits_into_a_slice_by_its_elements_and_their_steps() -> None:
    tally = Tally(0, 10)
    assert list(tally.elements(SLICE_STEPS // 10 - 1)) == list(range(SLICE_STEPS // 10 - 1))
    assert len(tally.elements(1)) == 1
    with pytest.raises(TooManySteps):
        tally.elements(1)


def test_null_and_empty_arrays_cost_nothing() -> None:
    tally = Tally(0, SLICE_STEPS)
    for _ in range(3):
        assert not tally.elements(0)


def test_items_come_in_order_with_a_pause_after_each_slice(pace: Pace, pauses: Pauses) -> None:
    pace.steps_per_item = 100
    in_slice = SLICE_STEPS // 100
    items = range(3 * in_slice + 1)
    seen = [(item, pauses.count) for item in pace.items(items)]
    assert seen == [(item, item // in_slice) for item in items]


def test_steps_of_nested_loops_add_up(pace: Pace, pauses: Pauses) -> None:
    pace.steps_per_item = SLICE_STEPS // 4
    for _ in pace.items(range(2)):
        for _ in pace.items(range(1)):
            pass
    assert pauses.count == 1


def test_decoding_pauses_too(pace: Pace, pauses: Pauses) -> None:
    in_slice = SLICE_STEPS // DECODING_STEPS
    assert list(pace.elements(in_slice)) == list(range(in_slice))
    assert pauses.count == 1


def test_a_request_has_a_limit_of_elements_in_all_arrays_together(pace: Pace) -> None:
    pace.elements(ELEMENTS_MAX - 1)
    pace.elements(1)
    with pytest.raises(TooManyElements):
        pace.elements(1)


def test_a_function_is_called_in_each_slice_of_encoding(pace: Pace, pauses: Pauses) -> None:
    called = Pauses()
    in_slice = SLICE_STEPS // ENCODING_STEPS
    encoded = pace.encoded(called)
    for _ in range(2):
        assert len(list(encoded(range(in_slice)))) == in_slice
    assert called.count == pauses.count == 2


def test_elements_are_made_when_they_are_needed(pace: Pace, pauses: Pauses) -> None:
    made: list[int] = []

    def make(item: int) -> str:
        made.append(item)
        return str(item)

    pace.steps_per_item = SLICE_STEPS
    lazily = Lazily(make, [1, 2], pace)
    assert len(lazily) == 2
    assert not made
    first = next(iter(lazily))
    assert (first, made, pauses.count) == ("1", [1], 0)


def test_the_bytes_of_a_frame_count_as_elements() -> None:
    tally = Tally(SLICE_STEPS // 10 * ELEMENT_BYTES, 10)
    with pytest.raises(TooManySteps):
        tally.elements(1)


def test_large_items_have_more_steps(pace: Pace, pauses: Pauses) -> None:
    pace.elements(2)
    pace.weigh(2 * SLICE_STEPS * BYTES_A_STEP, 10)
    assert list(pace.items("ab")) == ["a", "b"]
    assert pauses.count == 2
