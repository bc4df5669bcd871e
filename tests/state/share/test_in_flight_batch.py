"""Look-ups of batches by offset."""

from mockbroker.state.share.in_flight_batch import InFlightBatch, InFlightBatches
from mockbroker.state.share.in_flight_state import InFlightState
from mockbroker.state.share.record_state import RecordState


def batch(first: int, last: int) -> InFlightBatch:
    return InFlightBatch(first, last, InFlightState(RecordState.AVAILABLE, 0))


def three() -> InFlightBatches:
    batches = InFlightBatches()
    for first, last in [(20, 24), (0, 4), (10, 14)]:
        batches.add(batch(first, last))
    return batches


def first_offset(found: InFlightBatch | None) -> int | None:
    return None if found is None else found.first_offset


def test_batches_are_ordered() -> None:
    batches = three()
    assert [each.first_offset for each in batches] == [0, 10, 20]
    assert (batches.first.first_offset, batches.last.last_offset) == (0, 24)
    assert len(batches) == 3


def test_neighbours_of_an_offset() -> None:
    batches = three()
    assert [first_offset(batches.floor(offset)) for offset in (-1, 0, 9, 10, 99)] == [
        None,
        0,
        0,
        10,
        20,
    ]
    assert [first_offset(batches.higher(offset)) for offset in (-1, 0, 10, 20)] == [0, 10, 20, None]


def test_batches_that_begin_in_a_range() -> None:
    batches = three()
    assert [each.first_offset for each in batches.between(0, 10)] == [0, 10]
    assert [each.first_offset for each in batches.between(1, 9)] == []


def test_removal() -> None:
    batches = three()
    batches.remove_before(11)
    assert [each.first_offset for each in batches] == [20]
    batches.clear()
    assert len(batches) == 0
    assert batches.floor(99) is None


def test_a_batch_replaces_one_with_the_same_first_offset() -> None:
    batches = three()
    batches.add(batch(10, 11))
    assert [each.last_offset for each in batches] == [4, 11, 24]


def test_a_split_batch_has_a_state_for_each_offset() -> None:
    whole = batch(3, 5)
    assert [each[:2] for each in whole.states()] == [(3, 5)]
    assert whole.is_acquirable
    assert whole.is_within(3, 5)
    assert not whole.is_within(4, 5)
    whole.split({offset: whole.state.copy(None) for offset in range(3, 6)})
    whole.state_at(4).archive()
    assert [(first, last, state.state.name) for first, last, state in whole.states()] == [
        (3, 3, "AVAILABLE"),
        (4, 4, "ARCHIVED"),
        (5, 5, "AVAILABLE"),
    ]
    assert not whole.is_acquirable, "its states may differ"
    assert len(whole) == 3
