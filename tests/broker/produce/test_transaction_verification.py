"""Verification with the coordinator before a transactional batch is appended."""

import pytest

from mockbroker.broker.call import Answer, Call
from mockbroker.broker.produce.transaction_verification import (
    FirstBatch,
    Question,
    TransactionSupportedOperation,
    Verified,
    coordinator_of,
    verify,
    verify_at_once,
)
from mockbroker.protocol.api_keys import ApiKey
from mockbroker.protocol.errors import ApiError, ErrorCode
from mockbroker.protocol.types import TopicPartition
from mockbroker.state.transaction.producer_epochs import ProducerIdAndEpoch
from tests.support.in_process import NOW_MS, Brokers
from tests.support.transactions import Transactor, new_brokers

DEFAULT = TransactionSupportedOperation.DEFAULT_ERROR
GENERIC = TransactionSupportedOperation.GENERIC_ERROR_SUPPORTED
ADD = TransactionSupportedOperation.ADD_PARTITION
FIRST, SECOND = TopicPartition("orders", 0), TopicPartition("orders", 1)


def call_at(brokers: Brokers, broker_id: int = 1) -> Call:
    return Call(
        brokers.service,
        broker_id=broker_id,
        connection_id=1,
        api_key=ApiKey.PRODUCE,
        api_version=10,
        correlation_id=1,
        client_id=None,
    )


def verification(
    producer: Transactor, operation: TransactionSupportedOperation, *, broker_id: int = 1
) -> Verified:
    brokers = producer.brokers
    name = ProducerIdAndEpoch(producer.producer_id, producer.producer_epoch)
    call = call_at(brokers, broker_id)
    question = Question(operation, producer.transactional_id, name)
    batches = [FirstBatch(brokers.partition("orders", index), 0) for index in (0, 1)]
    found = verify_at_once(call, question, batches)
    asked: list[Verified] = []

    def keep(verified: Verified) -> Answer:
        asked.append(verified)
        return None

    brokers.service.broker_calls_in_flight += 1  # so that it is a call
    verify(call, question, batches, keep)
    brokers.service.broker_calls_in_flight -= 1
    assert asked == [found], "the call and the coordinator's state give the same"
    return found


def initialised(brokers: Brokers) -> Transactor:
    producer = Transactor(brokers)
    producer.init()
    return producer


@pytest.mark.parametrize(
    ("operation", "code"),
    [(DEFAULT, ErrorCode.INVALID_TXN_STATE), (GENERIC, ErrorCode.TRANSACTION_ABORTABLE)],
)
def test_each_partition_is_verified(
    operation: TransactionSupportedOperation, code: ErrorCode
) -> None:
    producer = initialised(new_brokers())
    producer.add(0)
    found = verification(producer, operation)
    assert found.errors == {SECOND: code}
    assert FIRST in found.guards


def test_a_partition_with_an_open_transaction_is_not_verified() -> None:
    producer = initialised(new_brokers())
    producer.add(0, 1)
    producer.write(0)
    assert set(verification(producer, DEFAULT).guards) == {SECOND}


def test_partitions_are_added_for_the_newest_clients() -> None:
    producer = initialised(new_brokers())
    found = verification(producer, ADD)
    assert (found.errors, set(found.guards)) == ({}, {FIRST, SECOND})
    metadata = producer.brokers.state.transaction_coordinator(1).describe_transaction("mine")
    assert metadata.partitions == {FIRST, SECOND}
    assert metadata.client_transaction_version == 2


@pytest.mark.parametrize(
    ("operation", "is_asked"), [(DEFAULT, False), (GENERIC, False), (ADD, True)]
)
def test_without_verification_only_the_newest_clients_ask_the_coordinator(
    operation: TransactionSupportedOperation, is_asked: bool
) -> None:
    configs = {"transaction.partition.verification.enable": "false"}
    found = verification(initialised(new_brokers(configs=configs)), operation)
    assert bool(found.guards) is is_asked
    assert found.errors == {}


@pytest.mark.parametrize(("release", "is_asked"), [("2.8", False), ("3.6", True)])
def test_older_releases_do_not_verify(release: str, is_asked: bool) -> None:
    found = verification(initialised(new_brokers(release=release)), DEFAULT)
    assert bool(found.errors) is is_asked


def test_a_fenced_producer_gets_invalid_producer_epoch() -> None:
    producer = initialised(new_brokers())
    producer.producer_epoch -= 1
    found = verification(producer, GENERIC)
    assert set(found.errors.values()) == {ErrorCode.INVALID_PRODUCER_EPOCH}


def test_a_broker_that_does_not_lead_is_refused() -> None:
    producer = initialised(new_brokers(brokers=3))
    leader_id = producer.brokers.partition("orders", 0).leader_id
    found = verification(producer, GENERIC, broker_id=leader_id)
    assert found.errors[SECOND] is ErrorCode.NOT_LEADER_OR_FOLLOWER


def test_without_a_transaction_log_there_is_no_coordinator() -> None:
    producer = Transactor(Brokers(topics={"orders": 2}))
    producer.producer_id, producer.producer_epoch = 5, 0
    found = verification(producer, GENERIC)
    assert set(found.errors.values()) == {ErrorCode.COORDINATOR_NOT_AVAILABLE}
    assert not found.is_busy


def test_each_broker_may_have_its_own_setting() -> None:
    producer = initialised(new_brokers())
    off = {"transaction.partition.verification.enable": "false"}
    producer.brokers.state.configs.set_broker_overrides(1, off)
    assert verification(producer, GENERIC) == Verified({}, {})
    producer.brokers.state.configs.set_broker_overrides(1, {})
    producer.brokers.state.configs.set_broker_overrides(2, off)
    assert verification(producer, GENERIC).errors


def test_the_partition_without_a_leader_is_named() -> None:
    brokers = Brokers(topics={"orders": 2})
    with pytest.raises(ApiError, match=r"__transaction_state-\d+ has no leader") as refused:
        coordinator_of(call_at(brokers), "mine")
    assert refused.value.code is ErrorCode.COORDINATOR_NOT_AVAILABLE


def test_a_verification_that_never_ends_expires() -> None:
    producer = initialised(new_brokers())
    producer.add(0, 1)
    guard = verification(producer, GENERIC).guards[FIRST]
    log = producer.brokers.state.log_of(producer.brokers.partition("orders", 0), NOW_MS)
    expiration_ms = log.producers.options.producer_id_expiration_ms
    log.producers.remove_expired_verifications(NOW_MS + expiration_ms - 1)
    assert verification(producer, GENERIC).guards[FIRST] is guard
    log.producers.remove_expired_verifications(NOW_MS + expiration_ms)
    assert verification(producer, GENERIC).guards[FIRST] is not guard


def test_a_log_that_a_verification_opens_gets_the_time() -> None:
    producer = initialised(new_brokers())
    producer.brokers.clock.advance(10)
    producer.brokers.service.read_clock()
    verification(producer, DEFAULT)
    log = producer.brokers.state.log_of(producer.brokers.partition("orders"), 0)
    assert log.segments.active.created_ms == NOW_MS + 10
