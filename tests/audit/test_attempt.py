"""One attempt, read."""

from mockbroker.events.produce_outcome import ResponseOutcome
from tests.support.log_evidence import attempt


def test_sequences_wrap_after_the_largest() -> None:
    one = attempt(5, 10, record_count=3, base_sequence=(1 << 31) - 2)
    assert (one.last_offset, one.end_sequence) == (12, 1)


def test_an_acknowledgement_has_its_moment() -> None:
    one = attempt(5)
    assert one.is_acknowledged
    assert one.was_acknowledged_before(6)
    assert not one.was_acknowledged_before(5)
    for changes in ({"error": "NOT_ENOUGH_REPLICAS"}, {"answer": ResponseOutcome.LOST}):
        assert not one._replace(**changes).is_acknowledged


def test_batches_and_clients_are_named() -> None:
    assert attempt(1, 4).text == "offset 4"
    assert attempt(1, 4, record_count=2).text == "offsets 4..5"
    idempotent = attempt(1, 4, record_count=2, producer_id=7, producer_epoch=1, base_sequence=3)
    assert idempotent.text == "offsets 4..5 (producer 7 epoch 1 #3..4)"
    assert attempt(1, client_id="shop").client == "'shop'"
    assert attempt(1).client == "'a client without id'"


def test_the_evidence_of_an_attempt_is_its_events() -> None:
    assert attempt(3, appended_at=5, answered_at=0).evidence == (3, 5)
