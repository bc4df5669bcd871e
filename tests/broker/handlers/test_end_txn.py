"""EndTxn: outcomes of transactions, and the errors of each version."""

import inspect
from collections.abc import Callable

import pytest

from mockbroker.protocol.errors import ErrorCode
from mockbroker.state.log.partition_log import PartitionLog
from tests.support.transactions import (
    ABORTABLE,
    BUMPING,
    OLD,
    Transactor,
    new_brokers,
    pending_held,
    read,
)


@pytest.mark.parametrize("version", range(6))
@pytest.mark.parametrize("committed", [True, False])
def test_a_transaction_ends_in_every_version(version: int, committed: bool) -> None:
    brokers = new_brokers()
    producer = Transactor(brokers)
    producer.init()
    producer.add(0)
    assert producer.write(0).error_code == ErrorCode.NONE
    assert read(brokers, committed=True).last_stable_offset == 0
    answer = producer.end(committed=committed, version=version)
    assert answer.error_code == ErrorCode.NONE
    found = read(brokers, committed=True)
    assert (found.last_stable_offset, found.high_watermark) == (2, 2)
    assert [each.first_offset for each in found.aborted_transactions or ()] == [0] * (not committed)


@pytest.mark.parametrize(("versions", "producer_epoch"), [(OLD, -1), (ABORTABLE, -1), (BUMPING, 1)])
def test_only_newer_clients_get_a_new_epoch_with_the_answer(
    versions: tuple[int, int], producer_epoch: int
) -> None:
    producer = Transactor(new_brokers(), versions=versions)
    producer.init()
    producer.add(0)
    answer = producer.end(committed=True)
    assert (answer.producer_id >= 0, answer.producer_epoch) == (
        producer_epoch >= 0,
        producer_epoch,
    )


@pytest.mark.parametrize(
    ("version", "code"),
    [
        (0, ErrorCode.INVALID_PRODUCER_EPOCH),
        (1, ErrorCode.INVALID_PRODUCER_EPOCH),
        (2, ErrorCode.PRODUCER_FENCED),
        (5, ErrorCode.PRODUCER_FENCED),
    ],
)
def test_a_wrong_epoch_has_the_code_of_the_version(version: int, code: ErrorCode) -> None:
    brokers = new_brokers()
    producer = Transactor(brokers)
    producer.init()
    producer.add(0)
    producer.producer_epoch += 5
    before = brokers.state.as_text()
    answer = producer.end(committed=True, version=version)
    assert (answer.error_code, answer.producer_id, answer.producer_epoch) == (code, -1, -1)
    assert brokers.state.as_text() == before


def test_until_the_markers_are_written_the_transaction_is_busy() -> None:
    brokers = new_brokers()
    producer = Transactor(brokers)
    producer.init()
    producer.add(0)
    producer.write(0)
    with pending_held(brokers):
        assert producer.end(committed=True).error_code == ErrorCode.NONE
        assert producer.add(0) == [ErrorCode.CONCURRENT_TRANSACTIONS]
        assert read(brokers, committed=True).last_stable_offset == 0
    assert producer.add(0) == [ErrorCode.NONE]
    assert read(brokers, committed=True).last_stable_offset == 2


def test_another_broker_is_no_coordinator() -> None:
    brokers = new_brokers(brokers=3)
    producer = Transactor(brokers)
    producer.init()
    asked = producer.coordinator_id
    others = [broker_id for broker_id in brokers.state.brokers if broker_id != asked]
    request_text = brokers.state.as_text()
    for other in others:
        brokers.listeners[asked], kept = brokers.listeners[other], brokers.listeners[asked]
        assert producer.end(committed=True).error_code == ErrorCode.NOT_COORDINATOR
        brokers.listeners[asked] = kept
    assert brokers.state.as_text() == request_text


@pytest.mark.parametrize(("level", "code"), [(2, 0), (1, 0), (0, 35)])
def test_version_5_needs_records_that_can_hold_it(level: int, code: int) -> None:
    brokers = new_brokers(features={"transaction.version": level})
    producer = Transactor(brokers)
    producer.init()
    producer.add(0)
    assert producer.end(committed=True, version=5).error_code == code


def test_few_modules_are_crossed_up_to_the_stored_marker(monkeypatch: pytest.MonkeyPatch) -> None:
    producer = Transactor(new_brokers())
    producer.init()
    producer.add(0)
    producer.write(0)
    crossed: set[str] = set()

    def traced(append: Callable[..., object]) -> Callable[..., object]:
        def appended(*arguments: object, **fields: object) -> object:
            callers = (frame.frame.f_globals["__name__"] for frame in inspect.stack())
            crossed.update(name for name in callers if name.startswith("mockbroker."))
            return append(*arguments, **fields)

        return appended

    # The decision is stored in the transaction log, and then the marker in the partition.
    for name in ("append_next", "append_end_txn_marker"):
        monkeypatch.setattr(PartitionLog, name, traced(getattr(PartitionLog, name)))
    producer.end(committed=True)
    assert "mockbroker.state.transaction.transaction_marker_channel" in crossed
    assert len(crossed) <= 15, sorted(crossed)
