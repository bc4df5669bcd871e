"""A batch outside of its producer's open transaction, on releases that remember it."""

import pytest

from mockbroker.protocol.errors import ApiError, ErrorCode
from mockbroker.protocol.types import BatchHeader
from mockbroker.state.producer.producer_state_entry import BatchMetadata, ProducerStateEntry
from mockbroker.state.producer.producer_state_manager import ProducerStateManager
from mockbroker.state.producer.refused_batch import remember_refused
from mockbroker.state.release.options import Options
from tests.state.log_building import idempotent, transactional


def begun(release: str) -> ProducerStateManager:
    """Return the producers of a log with one record, that of an open transaction."""
    producers = ProducerStateManager(Options.for_release(release).producer_state)
    entry = producers.check(transactional(0))
    assert isinstance(entry, ProducerStateEntry)
    producers.update(entry, transactional(0), 0)
    return producers


def refuse(producers: ProducerStateManager, header: BatchHeader) -> ErrorCode:
    with pytest.raises(ApiError) as refused:
        producers.check(header)
    remember_refused(producers, header, 1, refused.value)
    return refused.value.code


def test_a_refused_batch_is_remembered_at_the_offsets_that_it_would_have_had() -> None:
    producers = begun("1.0")
    assert refuse(producers, idempotent(1, records=2)) is ErrorCode.INVALID_TXN_STATE
    for retry in (idempotent(1, records=2), transactional(1, records=2)):
        found = producers.check(retry)
        assert isinstance(found, BatchMetadata)
        assert (found.first_offset, found.last_offset) == (1, 2)
    assert isinstance(producers.check(transactional(3)), ProducerStateEntry)
    assert refuse(producers, transactional(2)) is ErrorCode.OUT_OF_ORDER_SEQUENCE_NUMBER


def test_a_refused_batch_of_a_newer_epoch_fences_its_own_transaction() -> None:
    producers = begun("1.0")
    newer = idempotent(0, producer_epoch=1)
    assert refuse(producers, newer) is ErrorCode.INVALID_TXN_STATE
    assert refuse(producers, transactional(1)) is ErrorCode.INVALID_PRODUCER_EPOCH
    assert producers.has_ongoing_transaction(7, 1)


@pytest.mark.parametrize("release", ["0.11", "1.1", "2.8"])
def test_other_releases_remember_nothing_that_they_refused(release: str) -> None:
    producers = begun(release)
    before = producers.as_text()
    refuse(producers, idempotent(1))
    assert producers.as_text() == before


def test_a_batch_that_is_out_of_order_is_not_remembered() -> None:
    producers = begun("1.0")
    before = producers.as_text()
    assert refuse(producers, idempotent(5)) is ErrorCode.OUT_OF_ORDER_SEQUENCE_NUMBER
    assert producers.as_text() == before
