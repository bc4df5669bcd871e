"""Transactional Produce in each version and with each transaction.version."""

import pytest

from mockbroker.broker.call import Call
from mockbroker.broker.produce.transaction_verification import TransactionSupportedOperation
from mockbroker.broker.produce.transactional_produce import (
    TransactionalBatches,
    operation_of,
    unverified,
    watched_partitions,
)
from mockbroker.protocol.api_keys import ApiKey
from mockbroker.protocol.errors import ErrorCode
from mockbroker.protocol.messages.produce import (
    PartitionProduceData,
    PartitionProduceResponse,
    ProduceRequest,
    ProduceResponse,
)
from mockbroker.state.release.options import Options
from mockbroker.state.transaction.producer_epochs import ProducerIdAndEpoch
from tests.support.in_process import Brokers
from tests.support.requests import batch_of
from tests.support.transactions import (
    ABORTABLE,
    BUMPING,
    OLD,
    Transactor,
    new_brokers,
    pending_held,
    read,
)

NOT_ADDED = "Partition was not added to the transaction"
UNVERIFIED = "Unable to verify the partition has been added to the transaction."


def ask(brokers: Brokers, request: ProduceRequest, version: int) -> list[PartitionProduceResponse]:
    answer = brokers.ask(request, version, ProduceResponse)
    return [partition for topic in answer.responses for partition in topic.partition_responses]


@pytest.mark.parametrize(
    ("versions", "code", "message"),
    [
        (OLD, ErrorCode.INVALID_TXN_STATE, NOT_ADDED),
        (ABORTABLE, ErrorCode.TRANSACTION_ABORTABLE, None),
        (BUMPING, ErrorCode.NONE, None),
    ],
)
def test_a_partition_that_was_not_added(
    versions: tuple[int, int], code: ErrorCode, message: str | None
) -> None:
    producer = Transactor(new_brokers(), versions=versions)
    producer.init()
    found = producer.write(0)
    assert (found.error_code, found.error_message) == (code, message)
    assert (found.log_start_offset, found.base_offset) == ((0, 0) if not code else (-1, -1))


@pytest.mark.parametrize(
    ("versions", "code"),
    [
        (OLD, ErrorCode.INVALID_TXN_STATE),
        (ABORTABLE, ErrorCode.TRANSACTION_ABORTABLE),
        (BUMPING, ErrorCode.INVALID_PRODUCER_EPOCH),
    ],
)
def test_a_late_batch_is_refused_and_leaves_no_hanging_transaction(
    versions: tuple[int, int], code: ErrorCode
) -> None:
    brokers = new_brokers()
    producer = Transactor(brokers, versions=versions)
    producer.init()
    producer.add(0)
    producer.write(0)
    late = producer.request(0, producer.batch(sequence=1))
    producer.end(committed=True)
    (found,) = ask(brokers, late, versions[0])
    assert found.error_code == code
    committed = read(brokers, committed=True)
    assert committed.last_stable_offset == committed.high_watermark == 2


@pytest.mark.parametrize(
    ("versions", "code"),
    [
        (OLD, ErrorCode.NONE),
        (ABORTABLE, ErrorCode.NONE),
        (BUMPING, ErrorCode.OUT_OF_ORDER_SEQUENCE_NUMBER),
    ],
)
def test_a_first_batch_without_its_predecessors_is_refused_to_the_newest_clients(
    versions: tuple[int, int], code: ErrorCode
) -> None:
    brokers = new_brokers()
    producer = Transactor(brokers, versions=versions)
    producer.init()
    if versions != BUMPING:
        producer.add(0)
    (found,) = ask(brokers, producer.request(0, producer.batch(sequence=3)), versions[0])
    assert found.error_code == code
    assert bool(brokers.log_bytes("orders")) is (code is ErrorCode.NONE)


@pytest.mark.parametrize(
    ("code", "version", "answered", "message"),
    [
        (ErrorCode.INVALID_TXN_STATE, 10, ErrorCode.INVALID_TXN_STATE, NOT_ADDED),
        (ErrorCode.TRANSACTION_ABORTABLE, 11, ErrorCode.TRANSACTION_ABORTABLE, None),
        (ErrorCode.CONCURRENT_TRANSACTIONS, 12, ErrorCode.CONCURRENT_TRANSACTIONS, None),
        (
            ErrorCode.CONCURRENT_TRANSACTIONS,
            11,
            ErrorCode.NOT_ENOUGH_REPLICAS,
            f"{UNVERIFIED} Underlying error: CONCURRENT_TRANSACTIONS",
        ),
    ],
)
def test_the_reason_of_a_refusal_is_its_message_or_its_code(
    code: ErrorCode, version: int, answered: ErrorCode, message: str | None
) -> None:
    refused = unverified(code, version, Options.for_release("4.4").produce)
    assert (refused.code, refused.error_message) == (answered, message)
    assert refused.why == (message or answered.name)
    assert refused.knows_log_start_offset is False


@pytest.mark.parametrize(
    ("code", "answered", "message"),
    [
        (ErrorCode.INVALID_TXN_STATE, ErrorCode.INVALID_TXN_STATE, NOT_ADDED),
        (
            ErrorCode.INVALID_PRODUCER_EPOCH,
            ErrorCode.INVALID_PRODUCER_EPOCH,
            "Producer attempted to produce with an old epoch.",
        ),
        (
            ErrorCode.NETWORK_EXCEPTION,
            ErrorCode.NETWORK_EXCEPTION,
            "The server disconnected before a response was received.",
        ),
        (ErrorCode.NOT_LEADER_OR_FOLLOWER, ErrorCode.NOT_LEADER_OR_FOLLOWER, None),
        (
            ErrorCode.NOT_COORDINATOR,
            ErrorCode.NOT_ENOUGH_REPLICAS,
            f"{UNVERIFIED} Underlying error: NOT_COORDINATOR",
        ),
    ],
)
def test_in_3_6_every_error_of_a_coordinator_has_a_message(
    code: ErrorCode, answered: ErrorCode, message: str | None
) -> None:
    refused = unverified(code, 9, Options.for_release("3.6").produce)
    assert (refused.code, refused.error_message) == (answered, message)


def test_without_verification_a_late_batch_hangs_the_partition() -> None:
    brokers = new_brokers(
        features={"transaction.version": 1},
        configs={"transaction.partition.verification.enable": "false"},
    )
    producer = Transactor(brokers, versions=ABORTABLE)
    producer.init()
    producer.add(0)
    producer.write(0)
    late = producer.request(0, producer.batch(sequence=1))
    producer.end(committed=True)
    (found,) = ask(brokers, late, ABORTABLE[0])
    assert found.error_code == ErrorCode.NONE
    producer.init()
    committed = read(brokers, committed=True)
    assert (committed.last_stable_offset, committed.high_watermark) == (2, 3)


@pytest.mark.parametrize("version", range(3, 14))
def test_a_transactional_batch_needs_a_transactional_id(version: int) -> None:
    brokers = new_brokers()
    producer = Transactor(brokers)
    producer.init()
    producer.add(0)
    request = producer.request(0, producer.batch())
    request.transactional_id = None
    before = brokers.state.as_text()
    (found,) = ask(brokers, request, version)
    assert found.error_code == ErrorCode.TRANSACTIONAL_ID_AUTHORIZATION_FAILED
    assert brokers.state.as_text() == before


def test_another_transactional_id_is_accepted_in_an_open_transaction() -> None:
    brokers = new_brokers()
    producer = Transactor(brokers)
    producer.init()
    producer.add(0)
    producer.write(0)
    request = producer.request(0, producer.batch(sequence=1))
    request.transactional_id = "somebody else"
    (found,) = ask(brokers, request, 10)
    assert found.error_code == ErrorCode.NONE


def test_a_non_transactional_batch_within_a_transaction_is_refused() -> None:
    brokers = new_brokers()
    producer = Transactor(brokers)
    producer.init()
    producer.add(0)
    producer.write(0)
    plain = producer.batch(sequence=1, is_transactional=False)
    (found,) = ask(brokers, producer.request(0, plain), 10)
    assert (found.error_code, found.log_start_offset) == (ErrorCode.INVALID_TXN_STATE, 0)


def test_batches_of_two_producers_fail_the_request() -> None:
    brokers = new_brokers()
    one, two = Transactor(brokers, "one"), Transactor(brokers, "two")
    for producer in (one, two):
        producer.init()
        producer.add(0, 1)
    request = one.request(0, one.batch())
    data = PartitionProduceData(index=1, records=two.batch())
    request.topic_data[0].partition_data.append(data)
    before = brokers.state.as_text()
    found = ask(brokers, request, 10)
    assert [each.error_code for each in found] == [ErrorCode.INVALID_PRODUCER_ID_MAPPING] * 2
    assert found[0].error_message == "Transactional records contained more than one producer ID"
    assert brokers.state.as_text() == before


def test_before_kip_890_two_producers_are_accepted() -> None:
    brokers = new_brokers(release="2.8")
    one, two = Transactor(brokers, "one"), Transactor(brokers, "two")
    for producer in (one, two):
        producer.init()
    request = one.request(0, one.batch())
    data = PartitionProduceData(index=1, records=two.batch())
    request.topic_data[0].partition_data.append(data)
    codes = [found.error_code for found in ask(brokers, request, 9)]
    assert codes == [ErrorCode.NONE] * 2


def test_partitions_are_validated_one_by_one() -> None:
    brokers = new_brokers()
    producer = Transactor(brokers)
    producer.init()
    producer.add(1)
    request = producer.request(0, producer.batch())
    for index in (1, 9):
        data = PartitionProduceData(index=index, records=producer.batch())
        request.topic_data[0].partition_data.append(data)
    codes = [found.error_code for found in ask(brokers, request, 10)]
    assert codes == [
        ErrorCode.INVALID_TXN_STATE,
        ErrorCode.NONE,
        ErrorCode.UNKNOWN_TOPIC_OR_PARTITION,
    ]


@pytest.mark.parametrize(("version", "code"), [(10, 19), (12, 19)])
def test_without_a_coordinator_the_producer_must_retry(version: int, code: int) -> None:
    brokers = Brokers(topics={"orders": 1})
    producer = Transactor(brokers, versions=(version, 3))
    producer.producer_id, producer.producer_epoch = 7, 0
    found = producer.write(0)
    assert (found.error_code, found.log_start_offset) == (code, -1)
    assert found.error_message is not None
    assert found.error_message.endswith("COORDINATOR_NOT_AVAILABLE")


@pytest.mark.parametrize(
    ("version", "code"),
    [(10, ErrorCode.NOT_ENOUGH_REPLICAS), (11, ErrorCode.NOT_ENOUGH_REPLICAS)],
)
def test_older_clients_must_retry_while_the_last_transaction_ends(
    version: int, code: ErrorCode
) -> None:
    producer = Transactor(new_brokers(), versions=(version, 4))
    producer.init()
    producer.add(0)
    with pending_held(producer.brokers):
        producer.end(committed=True)
        assert producer.write(0).error_code == code


def test_newer_clients_wait_until_it_has_ended() -> None:
    brokers = new_brokers()
    producer = Transactor(brokers, versions=BUMPING)
    producer.init()
    producer.write(0)
    peer = brokers.connect()
    with pending_held(brokers):
        producer.end(committed=True)
        peer.send(producer.request(0, producer.batch()), 12)
        assert peer.new_frames() == []
    (frame,) = peer.new_frames()
    assert frame
    assert read(brokers, committed=False).high_watermark == 3


def test_newer_clients_do_not_wait_for_long() -> None:
    brokers = new_brokers()
    producer = Transactor(brokers, versions=BUMPING)
    producer.init()
    producer.write(0)
    peer = brokers.connect()
    with pending_held(brokers):
        producer.end(committed=True)
        request = producer.request(0, producer.batch())
        peer.send(request, 12)
        brokers.pass_time(101)
        assert request.API is not None
        answer = peer.receive(request.API, 12, ProduceResponse)
    found = answer.responses[0].partition_responses[0]
    assert found.error_code == ErrorCode.CONCURRENT_TRANSACTIONS


@pytest.mark.parametrize(
    ("version", "operation"),
    [
        (3, TransactionSupportedOperation.DEFAULT_ERROR),
        (10, TransactionSupportedOperation.DEFAULT_ERROR),
        (11, TransactionSupportedOperation.GENERIC_ERROR_SUPPORTED),
        (12, TransactionSupportedOperation.ADD_PARTITION),
        (13, TransactionSupportedOperation.ADD_PARTITION),
    ],
)
def test_the_verification_depends_on_the_version(
    version: int, operation: TransactionSupportedOperation
) -> None:
    assert operation_of(version) is operation


def conversation(brokers: Brokers, versions: tuple[int, int]) -> list[bytes]:
    """Produce with and without transactions on one connection; return the responses."""
    producer = Transactor(brokers, versions=versions)
    producer.init()
    peer = brokers.connect()
    frames: list[bytes] = []

    def send(*records: bytes, transactional_id: str | None = None) -> None:
        for each in records:
            request = producer.request(0, each)
            request.transactional_id = transactional_id
            peer.send(request, versions[0])
            frames.extend(peer.new_frames())

    plain = [producer.batch(b"x", is_transactional=False, sequence=n) for n in range(12)]
    send(*plain[:10])
    for committed in (True, False):
        producer.add(0)
        base = 10 if committed else 0
        send(*plain[10:11])
        send(producer.batch(sequence=11 if committed else base), transactional_id="mine")
        send(producer.batch(sequence=12), plain[11])
        send(batch_of(b"others go on"))
        send(producer.batch(sequence=12), transactional_id="mine")
        producer.end(committed=committed)
        producer.init()
    send(*plain)
    return frames


@pytest.mark.parametrize("versions", [OLD, ABORTABLE, BUMPING])
def test_both_paths_return_the_same_responses_and_the_same_state(versions: tuple[int, int]) -> None:
    fast, general = new_brokers(), new_brokers(fast=False)
    assert conversation(fast, versions) == conversation(general, versions)
    assert fast.state.as_text() == general.state.as_text()
    assert fast.log_bytes("orders") == general.log_bytes("orders")
    assert fast.fast_answers > 5


def test_a_batch_without_a_producer_id_is_not_verified() -> None:
    producer = Transactor(new_brokers(), versions=BUMPING)
    (found,) = ask(producer.brokers, producer.request(0, producer.batch()), 12)
    assert found.error_code == ErrorCode.NONE


def test_there_is_nothing_to_watch_without_a_transaction_log() -> None:
    brokers = Brokers(topics={"orders": 1})
    call = Call(
        brokers.service,
        broker_id=1,
        connection_id=1,
        api_key=ApiKey.PRODUCE,
        api_version=12,
        correlation_id=1,
        client_id=None,
    )
    batches = TransactionalBatches("mine", ProducerIdAndEpoch(7, 0), [])
    assert watched_partitions(batches, call) == []
