"""The transactional ids that a broker coordinates, and the logging of transitions."""

from collections.abc import Set as AbstractSet

import pytest

from mockbroker.protocol.errors import ApiError, ErrorCode
from mockbroker.protocol.types import TopicPartition
from mockbroker.state.event_reporter import EventReporter
from mockbroker.state.events import TransactionChanged
from mockbroker.state.transaction.transaction_metadata import TransactionMetadata
from mockbroker.state.transaction.transaction_state import IllegalTransitionError, TransactionState
from mockbroker.state.transaction.transaction_state_manager import (
    Transaction,
    TransactionStateManager,
)
from tests.state.transaction.coordinator_building import BROKER_ID, FakeHost, FakeLog

ID = "orders-1"


class Managed:
    """A manager with its host and log."""

    def __init__(self, **how: int) -> None:
        self.host = FakeHost(**how)  # type: ignore[arg-type]
        self.log = FakeLog()
        self.manager = TransactionStateManager(self.host, self.log)
        self.index = self.manager.partition_for(ID)

    def own(self, coordinator_epoch: int = 0) -> list[Transaction] | None:
        self.manager.start_loading(self.index, coordinator_epoch)
        return self.manager.load(self.index, coordinator_epoch)

    def put(self, transactional_id: str = ID) -> Transaction:
        new = TransactionMetadata.new(transactional_id, 7, timeout_ms=60_000, now_ms=0)
        return self.manager.put_if_absent(new)

    def bump(self, transaction: Transaction, **how: AbstractSet[ErrorCode]) -> None:
        transit = transaction.metadata.prepare_increment_producer_epoch(60_000, None, 0)
        self.manager.begin(transaction, transit)
        self.manager.append(transaction, transit, 0, **how)


def code_of(refused: pytest.ExceptionInfo[ApiError]) -> ErrorCode:
    return refused.value.code


def test_a_transactional_id_belongs_to_the_partition_of_its_hash() -> None:
    # Java's hashCode of these texts, modulo 50.
    manager = Managed().manager
    assert [manager.partition_for(each) for each in ("a", "orders-1", "")] == [47, 49, 0]


def test_a_partition_is_not_led_then_loading_then_owned() -> None:
    managed = Managed()
    with pytest.raises(ApiError) as refused:
        managed.manager.get(ID)
    assert code_of(refused) is ErrorCode.NOT_COORDINATOR
    managed.manager.start_loading(managed.index, 3)
    with pytest.raises(ApiError) as refused:
        managed.manager.get(ID)
    assert code_of(refused) is ErrorCode.COORDINATOR_LOAD_IN_PROGRESS
    assert managed.manager.is_loading
    assert managed.manager.load(managed.index, 3) == []
    assert managed.manager.get(ID) is None
    assert not managed.manager.is_loading


def test_a_transactional_id_that_is_put_is_found_and_put_once() -> None:
    managed = Managed()
    managed.own()
    transaction = managed.put()
    assert managed.put() is transaction
    assert managed.manager.get(ID) is managed.manager.find(ID) is transaction
    assert list(managed.manager) == [transaction]
    assert len(managed.manager) == 1


def test_nothing_is_put_if_the_partition_is_not_led() -> None:
    managed = Managed()
    with pytest.raises(ApiError) as refused:
        managed.put()
    assert code_of(refused) is ErrorCode.NOT_COORDINATOR
    assert len(managed.manager) == 0


def test_an_obsolete_load_changes_nothing() -> None:
    managed = Managed()
    managed.manager.start_loading(managed.index, 3)
    managed.manager.start_loading(managed.index, 4)
    assert managed.manager.load(managed.index, 3) is None
    assert managed.manager.is_loading
    assert managed.manager.load(managed.index, 4) == []


def test_loading_reads_the_last_value_of_each_transactional_id() -> None:
    managed = Managed()
    managed.own()
    for transactional_id in (ID, ID):
        managed.bump(managed.put(transactional_id))
    loaded = managed.own(coordinator_epoch=1)
    assert loaded is not None
    (transaction,) = loaded
    assert transaction.metadata.producer_epoch == 1
    assert transaction.metadata.last_producer_epoch == -1
    assert transaction.owner.coordinator_epoch == 1


def test_a_tombstone_removes_the_transactional_id() -> None:
    managed = Managed()
    managed.own(coordinator_epoch=3)
    transaction = managed.put()
    managed.bump(transaction)
    managed.manager.begin(transaction, transaction.metadata.prepare_dead())
    managed.manager.append_tombstone(transaction, 0)
    managed.manager.remove(transaction)
    assert managed.log.last is None
    assert managed.log.coordinator_epochs == [3, 3]
    assert managed.manager.get(ID) is None
    assert managed.own(coordinator_epoch=4) == []


def test_a_log_may_begin_with_a_tombstone() -> None:
    managed = Managed()
    managed.log.records[managed.index] = [(ID, None)]
    assert managed.own() == []


def test_a_transition_and_the_removal_are_reported() -> None:
    managed = Managed()
    managed.own(coordinator_epoch=3)
    transaction = managed.put()
    new = transaction.metadata
    reported: list[object] = []
    managed.host.observation.reporter = EventReporter(reported.append)
    managed.bump(transaction)
    bumped = transaction.metadata
    managed.manager.begin(transaction, bumped.prepare_dead())
    managed.manager.append_tombstone(transaction, 0)
    pending = transaction.metadata
    where = (BROKER_ID, managed.index, 3)
    assert reported == [
        TransactionChanged(*where, new._replace(pending_state=TransactionState.EMPTY), bumped),
        TransactionChanged(*where, pending, None),
    ]


def test_nothing_is_reported_of_a_partition_that_was_deleted() -> None:
    managed = Managed()
    managed.own()
    reported: list[object] = []
    managed.host.observation.reporter = EventReporter(reported.append)
    managed.host.missing = {TopicPartition("__transaction_state", managed.index)}
    managed.bump(managed.put())
    assert reported == []


@pytest.mark.parametrize("coordinator_epoch", [3, 4])
def test_the_ids_of_a_released_partition_are_removed(coordinator_epoch: int) -> None:
    managed = Managed()
    managed.own(coordinator_epoch=3)
    managed.put()
    assert managed.manager.release(managed.index, coordinator_epoch)
    assert managed.manager.find(ID) is None
    with pytest.raises(ApiError) as refused:
        managed.manager.get(ID)
    assert code_of(refused) is ErrorCode.NOT_COORDINATOR


def test_a_release_from_before_the_election_is_ignored() -> None:
    managed = Managed()
    managed.own(coordinator_epoch=3)
    transaction = managed.put()
    assert not managed.manager.release(managed.index, 2)
    assert managed.manager.get(ID) is transaction


def test_a_release_from_before_the_election_does_not_stop_the_loading() -> None:
    managed = Managed()
    managed.manager.start_loading(managed.index, 3)
    assert not managed.manager.release(managed.index, 2)
    assert managed.manager.load(managed.index, 3) == []


def test_a_partition_that_was_never_owned_can_be_released() -> None:
    managed = Managed()
    assert managed.manager.release(managed.index, 0)
    assert managed.manager.as_text() == []


def test_a_partition_deleted_while_loading_is_given_up() -> None:
    managed = Managed()
    managed.manager.start_loading(managed.index, 3)
    managed.manager.release(managed.index, None)
    assert not managed.manager.is_loading
    assert managed.manager.load(managed.index, 3) is None


# Appending


def test_a_transition_is_logged_and_completed() -> None:
    managed = Managed()
    managed.own(coordinator_epoch=3)
    transaction = managed.put()
    managed.bump(transaction)
    assert transaction.metadata.producer_epoch == 0
    assert transaction.metadata.pending_state is None
    assert [value and value.producer_epoch for value in managed.log.values] == [0]
    assert managed.log.coordinator_epochs == [3]


REFUSALS = {
    ErrorCode.UNKNOWN_TOPIC_OR_PARTITION: ErrorCode.COORDINATOR_NOT_AVAILABLE,
    ErrorCode.NOT_ENOUGH_REPLICAS: ErrorCode.COORDINATOR_NOT_AVAILABLE,
    ErrorCode.NOT_ENOUGH_REPLICAS_AFTER_APPEND: ErrorCode.COORDINATOR_NOT_AVAILABLE,
    ErrorCode.REQUEST_TIMED_OUT: ErrorCode.COORDINATOR_NOT_AVAILABLE,
    ErrorCode.NOT_LEADER_OR_FOLLOWER: ErrorCode.NOT_COORDINATOR,
    ErrorCode.KAFKA_STORAGE_ERROR: ErrorCode.NOT_COORDINATOR,
    ErrorCode.MESSAGE_TOO_LARGE: ErrorCode.UNKNOWN_SERVER_ERROR,
    ErrorCode.RECORD_LIST_TOO_LARGE: ErrorCode.UNKNOWN_SERVER_ERROR,
    ErrorCode.CORRUPT_MESSAGE: ErrorCode.CORRUPT_MESSAGE,
    ErrorCode.POLICY_VIOLATION: ErrorCode.POLICY_VIOLATION,
}


@pytest.mark.parametrize(("refusal", "answered"), REFUSALS.items())
def test_a_failed_append_leaves_the_old_state(refusal: ErrorCode, answered: ErrorCode) -> None:
    managed = Managed()
    managed.own()
    transaction = managed.put()
    managed.bump(transaction)
    before = managed.manager.as_text()
    managed.log.refusals.append(refusal)
    with pytest.raises(ApiError, match="the test wants it") as refused:
        managed.bump(transaction)
    assert code_of(refused) is answered
    assert managed.manager.as_text() == before
    managed.bump(transaction)
    assert transaction.metadata.producer_epoch == 1


@pytest.mark.parametrize(("refusal", "answered"), REFUSALS.items())
def test_a_failed_tombstone_leaves_the_old_state(refusal: ErrorCode, answered: ErrorCode) -> None:
    managed = Managed()
    managed.own()
    transaction = managed.put()
    managed.bump(transaction)
    before = managed.manager.as_text()
    managed.log.refusals.append(refusal)
    managed.manager.begin(transaction, transaction.metadata.prepare_dead())
    with pytest.raises(ApiError, match="the test wants it") as refused:
        managed.manager.append_tombstone(transaction, 0)
    assert code_of(refused) is answered
    assert managed.manager.as_text() == before


def test_a_transition_stays_pending_for_a_caller_that_retries() -> None:
    managed = Managed()
    managed.own()
    transaction = managed.put()
    managed.log.refusals.append(ErrorCode.NOT_ENOUGH_REPLICAS)
    with pytest.raises(ApiError):
        managed.bump(transaction, keeps_pending_for={ErrorCode.NOT_ENOUGH_REPLICAS})
    assert transaction.metadata.pending_state is TransactionState.EMPTY


def test_a_partition_that_moves_after_the_append_is_not_completed_here() -> None:
    managed = Managed()
    managed.own()
    transaction = managed.put()
    managed.log.after_append = lambda: managed.manager.release(managed.index, 1)
    with pytest.raises(ApiError) as refused:
        managed.bump(transaction)
    assert code_of(refused) is ErrorCode.NOT_COORDINATOR
    assert transaction.metadata.producer_epoch == -1
    assert len(managed.log.values) == 1


def test_a_partition_that_loads_after_the_append_is_not_completed_here() -> None:
    managed = Managed()
    managed.own()
    transaction = managed.put()
    managed.log.after_append = lambda: managed.manager.start_loading(managed.index, 1)
    with pytest.raises(ApiError) as refused:
        managed.bump(transaction)
    assert code_of(refused) is ErrorCode.COORDINATOR_LOAD_IN_PROGRESS


def test_a_transaction_of_a_partition_that_moved_and_came_back_is_obsolete() -> None:
    managed = Managed()
    managed.own()
    transaction = managed.put()
    managed.log.after_append = lambda: managed.own(2)
    with pytest.raises(ApiError, match="the partition of 'orders-1' was reloaded") as refused:
        managed.bump(transaction)
    assert code_of(refused) is ErrorCode.NOT_COORDINATOR
    assert not managed.manager.is_current(transaction)
    reloaded = managed.manager.get(ID)
    assert reloaded is not None
    assert reloaded.metadata.producer_epoch == 0


def test_nothing_is_logged_for_a_partition_that_moved_before() -> None:
    managed = Managed()
    managed.own()
    transaction = managed.put()
    managed.manager.release(managed.index, 1)
    with pytest.raises(ApiError) as refused:
        managed.bump(transaction)
    assert code_of(refused) is ErrorCode.NOT_COORDINATOR
    assert not managed.log.values


def test_records_of_version_0_cannot_store_newer_clients_transitions() -> None:
    managed = Managed(transaction_version=0)
    managed.own()
    transaction = managed.put()
    managed.bump(transaction)
    transit = transaction.metadata.prepare_add_partitions(set(), 0, 2)
    managed.manager.begin(transaction, transit)
    with pytest.raises(ApiError) as refused:
        managed.manager.append(transaction, transit, 0)
    assert code_of(refused) is ErrorCode.UNSUPPORTED_VERSION
    assert len(managed.log.values) == 1
    assert transaction.metadata.pending_state is TransactionState.ONGOING


def test_only_a_begun_transition_is_completed() -> None:
    managed = Managed()
    managed.own()
    transaction = managed.put()
    transit = transaction.metadata.prepare_increment_producer_epoch(60_000, None, 0)
    with pytest.raises(IllegalTransitionError):
        managed.manager.append(transaction, transit, 0)


def test_the_text_shows_owned_partitions() -> None:
    managed = Managed()
    managed.own(coordinator_epoch=3)
    managed.bump(managed.put())
    other = 0 if managed.index else 1
    managed.manager.start_loading(other, 4)
    loading, owned, transaction = managed.manager.as_text()
    assert loading == f"loading __transaction_state-{other} epoch 4"
    assert owned == f"owns __transaction_state-{managed.index} epoch 3"
    assert "transactional_id='orders-1'" in transaction
    assert transaction.endswith(" in []")


def test_the_text_sorts_the_partitions_of_a_transaction() -> None:
    managed = Managed()
    managed.own()
    transaction = managed.put()
    partitions = frozenset(TopicPartition(*each) for each in (("b", 1), ("a", 0)))
    transaction.metadata = transaction.metadata._replace(partitions=partitions)
    _, shown = managed.manager.as_text()
    none = transaction.metadata._replace(partitions=frozenset())
    assert shown == f"{none} in [a-0,b-1]"
