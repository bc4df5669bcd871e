"""The model compared with the recorded answers of real brokers, before it is used itself."""

import pytest

from mockbroker.protocol.errors import ErrorCode
from tests.model.generations import (
    GENERATIONS,
    KAFKA_0_11,
    KAFKA_2_4,
    KAFKA_4_4,
    Generation,
)
from tests.model.reference_partition import ReferencePartition
from tests.model.reference_values import (
    SEQUENCES,
    Batch,
    Marker,
    Outcome,
)

OUT_OF_ORDER = ErrorCode.OUT_OF_ORDER_SEQUENCE_NUMBER
EXPIRATION_MS = 1_000
BY_RELEASE = {generation.release: generation for generation in GENERATIONS}

every_generation = pytest.mark.parametrize("generation", GENERATIONS, ids=list(BY_RELEASE))


def partition(generation: Generation = KAFKA_4_4) -> ReferencePartition:
    return ReferencePartition(generation, expiration_ms=EXPIRATION_MS)


def batch(base_sequence: int, records: int = 1, producer_epoch: int = 0) -> Batch:
    return Batch(7, producer_epoch, base_sequence, records, timestamp_ms=100)


def written(model: ReferencePartition, *batches: Batch) -> list[Outcome]:
    """Produce and have everything replicated at once."""
    outcomes: list[Outcome] = []
    for each in batches:
        number = None
        if each.is_transactional and model.generation.verifies:
            begun = model.start_verification(
                each.producer_id,
                each.base_sequence,
                each.producer_epoch,
                supports_epoch_bump=False,
                now_ms=100,
            )
            number = begun if not isinstance(begun, ErrorCode) else None
        outcomes.append(model.produce(each, number))
        model.advance_high_watermark(model.log_end_offset)
    return outcomes


def transactional(base_sequence: int, producer_id: int = 7, producer_epoch: int = 0) -> Batch:
    return Batch(producer_id, producer_epoch, base_sequence, 1, 100, is_transactional=True)


def end(
    model: ReferencePartition, *, is_commit: bool, producer_id: int = 7, producer_epoch: int = 0
) -> Outcome:
    outcome = model.end_transaction(Marker(producer_id, producer_epoch, 0, is_commit, 100))
    model.advance_high_watermark(model.log_end_offset)
    return outcome


@every_generation
def test_retries_of_the_remembered_batches_get_their_offsets(
    generation: Generation,
) -> None:
    model = partition(generation)
    written(model, *(batch(n) for n in range(8)))
    answers = [model.produce(batch(n)) for n in range(8)]
    found = [outcome.base_offset for outcome in answers if outcome.is_duplicate]
    assert found == list(range(8))[-generation.batches_kept :]
    assert {outcome.error_code for outcome in answers if not outcome.is_duplicate} == {OUT_OF_ORDER}


@pytest.mark.parametrize(
    ("base_sequence", "records"), [(2, 1), (2, 3), (3, 3), (0, 6), (7, 1)], ids=str
)
def test_partial_merged_overlapping_and_later_batches_are_out_of_order(
    base_sequence: int, records: int
) -> None:
    model = partition()
    written(model, batch(0, 2), batch(2, 2), batch(4, 2))
    assert model.produce(batch(base_sequence, records)).error_code == OUT_OF_ORDER


def test_a_new_epoch_starts_at_sequence_0_and_fences_the_old_one() -> None:
    model = partition()
    written(model, batch(0))
    assert model.produce(batch(1, producer_epoch=1)).error_code == OUT_OF_ORDER
    assert model.produce(batch(0, producer_epoch=1)).error_code == ErrorCode.NONE
    assert model.produce(batch(1)).error_code == ErrorCode.INVALID_PRODUCER_EPOCH


def test_sequences_wrap_also_inside_a_batch() -> None:
    model = partition()
    first = batch(SEQUENCES - 3, 2)
    across = batch(SEQUENCES - 1, 3)
    assert [each.base_offset for each in written(model, first, across, batch(2))] == [0, 2, 5]
    assert model.produce(across).base_offset == 2


@pytest.mark.parametrize(
    ("release", "answer"),
    [
        ("0.11", OUT_OF_ORDER),
        ("1.1", ErrorCode.UNKNOWN_PRODUCER_ID),
        ("2.3", ErrorCode.UNKNOWN_PRODUCER_ID),
        ("2.4", ErrorCode.UNKNOWN_PRODUCER_ID),
        ("2.8", ErrorCode.NONE),
        ("3.9", ErrorCode.NONE),
        ("4.4", ErrorCode.NONE),
    ],
)
def test_an_unknown_producer_in_the_middle_of_its_sequences(
    release: str, answer: ErrorCode
) -> None:
    assert partition(BY_RELEASE[release]).produce(batch(5)).error_code == answer


@pytest.mark.parametrize(
    ("release", "answer"),
    [
        ("0.11", OUT_OF_ORDER),
        ("1.1", ErrorCode.UNKNOWN_PRODUCER_ID),
        ("2.3", ErrorCode.UNKNOWN_PRODUCER_ID),
        ("2.4", ErrorCode.NONE),
        ("4.4", ErrorCode.NONE),
    ],
)
def test_the_next_sequence_after_all_records_were_deleted(release: str, answer: ErrorCode) -> None:
    model = partition(BY_RELEASE[release])
    written(model, batch(0), batch(1))
    model.delete_before(model.high_watermark)
    assert model.produce(batch(2)).error_code == answer


def test_a_duplicate_is_answered_with_its_offset_below_the_log_start() -> None:
    model = partition()
    written(model, batch(0), batch(1))
    model.delete_before(2)
    assert model.produce(batch(0)) == Outcome(ErrorCode.NONE, 0, 0, 100, is_duplicate=True)


def test_an_expired_producer_may_start_anywhere_but_one_with_a_transaction_does_not_expire() -> (
    None
):
    model = partition()
    written(model, batch(0), transactional(0, producer_id=8))
    assert model.expire(100 + EXPIRATION_MS - 1) == []
    assert model.expire(100 + EXPIRATION_MS) == [7]
    assert model.produce(batch(9)).error_code == ErrorCode.NONE
    assert list(model.producers) == [8, 7]


def test_a_transaction_holds_the_last_stable_offset_until_its_marker_is_replicated() -> None:
    model = partition()
    written(model, batch(0), transactional(0, producer_id=8), batch(1))
    assert model.last_stable_offset == 1
    model.end_transaction(Marker(8, 0, 0, is_commit=True, timestamp_ms=100))
    assert (model.high_watermark, model.last_stable_offset) == (3, 1)
    model.advance_high_watermark(4)
    assert model.last_stable_offset == 4


def test_only_aborted_transactions_of_the_range_are_listed() -> None:
    model = partition()
    written(
        model, transactional(0), transactional(0, producer_id=8), batch(0)._replace(producer_id=9)
    )
    end(model, is_commit=False)
    end(model, is_commit=True, producer_id=8)
    listed = [(each.producer_id, each.first_offset) for each in model.aborted_transactions(0, 1)]
    assert listed == [(7, 0)]
    assert model.aborted_transactions(4, 9) == []
    assert model.aborted_transactions(3, 9)[0].last_stable_offset == 1


@pytest.mark.parametrize(("generation", "listed"), [(KAFKA_2_4, 1), (KAFKA_4_4, 0)])
def test_an_abort_without_data_is_listed_up_to_2_4(generation: Generation, listed: int) -> None:
    model = partition(generation)
    end(model, is_commit=False)
    assert len(model.aborted_transactions(0, 1)) == listed


@pytest.mark.parametrize(
    ("release", "answer"),
    [
        ("0.11", ErrorCode.NONE),
        ("2.8", ErrorCode.NONE),
        ("3.9", ErrorCode.INVALID_TXN_STATE),
        ("4.4", ErrorCode.INVALID_TXN_STATE),
    ],
)
def test_a_batch_after_the_marker_hangs_without_verification(
    release: str, answer: ErrorCode
) -> None:
    model = partition(BY_RELEASE[release])
    written(model, transactional(0))
    end(model, is_commit=False)
    assert model.produce(transactional(1)).error_code == answer
    model.advance_high_watermark(model.log_end_offset)
    assert (model.last_stable_offset < model.high_watermark) == (answer == ErrorCode.NONE)


def test_a_stale_first_sequence_blocks_the_right_one_in_a_verified_transaction() -> None:
    model = partition()
    written(model, *(transactional(n) for n in range(7)))
    end(model, is_commit=True)
    assert model.produce(transactional(0)).error_code == ErrorCode.INVALID_TXN_STATE
    stale = model.start_verification(7, 0, 0, supports_epoch_bump=False, now_ms=100)
    again = model.start_verification(7, 7, 0, supports_epoch_bump=False, now_ms=100)
    assert stale == again
    assert isinstance(again, int)
    assert model.produce(transactional(7), again).error_code == OUT_OF_ORDER


def test_a_batch_without_its_transaction_is_refused_while_one_is_open() -> None:
    model = partition()
    written(model, transactional(0))
    assert model.produce(batch(1)).error_code == ErrorCode.INVALID_TXN_STATE


@pytest.mark.parametrize(
    ("marker_epoch", "transaction_version", "answer"),
    [
        (4, 0, ErrorCode.INVALID_PRODUCER_EPOCH),
        (5, 0, ErrorCode.NONE),
        (6, 0, ErrorCode.NONE),
        (5, 2, ErrorCode.INVALID_PRODUCER_EPOCH),
        (6, 2, ErrorCode.NONE),
    ],
)
def test_a_marker_needs_an_epoch_that_is_not_behind_and_with_version_2_one_ahead(
    marker_epoch: int, transaction_version: int, answer: ErrorCode
) -> None:
    model = partition()
    written(model, transactional(0, producer_epoch=5))
    marker = Marker(7, marker_epoch, 0, is_commit=True, timestamp_ms=100)
    outcome = model.end_transaction(marker, transaction_version=transaction_version)
    assert outcome.error_code == answer
    if answer == ErrorCode.NONE:
        again = model.end_transaction(marker, transaction_version=transaction_version)
        assert again.error_code == ErrorCode.NONE


def test_an_older_coordinator_is_fenced() -> None:
    model = partition()
    model.end_transaction(Marker(7, 0, 3, is_commit=True, timestamp_ms=100))
    older = Marker(7, 0, 2, is_commit=True, timestamp_ms=100)
    assert model.end_transaction(older).error_code == ErrorCode.TRANSACTION_COORDINATOR_FENCED


def test_in_0_11_a_marker_takes_the_place_of_the_last_batch() -> None:
    model = partition(KAFKA_0_11)
    written(model, transactional(0))
    end(model, is_commit=True)
    assert model.produce(transactional(0)) == Outcome(ErrorCode.NONE, 1, 1, 100, is_duplicate=True)


def test_a_replica_recovers_the_producers_in_its_log() -> None:
    model = partition()
    written(model, batch(0), batch(1)._replace(producer_id=8), transactional(0, producer_id=9))
    model.producers[10] = model.producers[7]
    model.delete_before(1)
    model.rebuild_from_log()
    assert sorted(model.producers) == [8, 9]
    assert model.last_stable_offset == 2
