"""AddPartitionsToTxn: one transaction from a client, several from a broker."""

import pytest

from mockbroker.protocol.errors import ErrorCode
from mockbroker.protocol.messages.add_partitions_to_txn import (
    AddPartitionsToTxnRequest,
    AddPartitionsToTxnResponse,
    AddPartitionsToTxnTopic,
    AddPartitionsToTxnTransaction,
)
from tests.support.transactions import Transactor, new_brokers


def transaction_of(
    producer: Transactor, *indexes: int, topic: str = "orders", verify_only: bool = False
) -> AddPartitionsToTxnTransaction:
    return AddPartitionsToTxnTransaction(
        transactional_id=producer.transactional_id,
        producer_id=producer.producer_id,
        producer_epoch=producer.producer_epoch,
        verify_only=verify_only,
        topics=[AddPartitionsToTxnTopic(name=topic, partitions=list(indexes))],
    )


def ask(
    producer: Transactor, *transactions: AddPartitionsToTxnTransaction, version: int = 5
) -> list[list[ErrorCode]]:
    answer = producer.brokers.ask(
        AddPartitionsToTxnRequest(transactions=list(transactions)),
        version,
        AddPartitionsToTxnResponse,
    )
    return [
        [
            ErrorCode(partition.partition_error_code)
            for topic in result.topic_results
            for partition in topic.results_by_partition
        ]
        for result in answer.results_by_transaction
    ]


@pytest.fixture
def producer() -> Transactor:
    producer = Transactor(new_brokers())
    producer.init()
    return producer


@pytest.mark.parametrize("version", range(4))
def test_a_client_adds_partitions(producer: Transactor, version: int) -> None:
    assert producer.add(0, 2, version=version) == [ErrorCode.NONE] * 2


def test_one_unknown_partition_prevents_the_others(producer: Transactor) -> None:
    before = producer.brokers.state.as_text()
    assert producer.add(0, 7, 1) == [
        ErrorCode.OPERATION_NOT_ATTEMPTED,
        ErrorCode.UNKNOWN_TOPIC_OR_PARTITION,
        ErrorCode.OPERATION_NOT_ATTEMPTED,
    ]
    assert producer.brokers.state.as_text() == before


def test_a_repeated_partition_gets_two_results(producer: Transactor) -> None:
    assert producer.add(1, 1) == [ErrorCode.NONE] * 2


def test_clients_cannot_add_internal_topics(producer: Transactor) -> None:
    codes = producer.add(0, topic="__transaction_state")
    assert codes == [ErrorCode.TOPIC_AUTHORIZATION_FAILED]


@pytest.mark.parametrize(
    ("version", "code"),
    [
        (0, ErrorCode.INVALID_PRODUCER_EPOCH),
        (1, ErrorCode.INVALID_PRODUCER_EPOCH),
        (2, ErrorCode.PRODUCER_FENCED),
    ],
)
def test_a_wrong_epoch_has_the_code_of_the_version(
    producer: Transactor, version: int, code: ErrorCode
) -> None:
    producer.producer_epoch += 1
    before = producer.brokers.state.as_text()
    assert producer.add(0, version=version) == [code]
    assert producer.brokers.state.as_text() == before


@pytest.mark.parametrize("version", [4, 5])
def test_brokers_send_several_transactions_in_one_request(
    producer: Transactor, version: int
) -> None:
    other = Transactor(producer.brokers, "other")
    other.init()
    fenced = Transactor(producer.brokers, "fenced")
    fenced.init()
    fenced.producer_epoch += 1
    answers = ask(
        producer,
        transaction_of(producer, 0, 1),
        transaction_of(other, 9),
        transaction_of(fenced, 2),
        version=version,
    )
    assert answers == [
        [ErrorCode.NONE, ErrorCode.NONE],
        [ErrorCode.UNKNOWN_TOPIC_OR_PARTITION],
        [ErrorCode.PRODUCER_FENCED],
    ]


def test_brokers_may_verify_partitions_without_adding_them(producer: Transactor) -> None:
    producer.add(0)
    before = producer.brokers.state.as_text()
    verified = ask(producer, transaction_of(producer, 0, 1, verify_only=True))
    assert verified == [[ErrorCode.NONE, ErrorCode.TRANSACTION_ABORTABLE]]
    assert producer.brokers.state.as_text() == before


def test_an_empty_request_has_an_empty_response(producer: Transactor) -> None:
    assert ask(producer) == []


def test_a_record_that_cannot_be_written_fails_the_request() -> None:
    producer = Transactor(new_brokers(features={"transaction.version": 0}))
    producer.init()
    answer = producer.brokers.ask(
        AddPartitionsToTxnRequest(transactions=[transaction_of(producer, 0)]),
        5,
        AddPartitionsToTxnResponse,
    )
    assert (answer.error_code, answer.results_by_transaction) == (
        ErrorCode.UNSUPPORTED_VERSION,
        [],
    )


@pytest.mark.parametrize(
    ("release", "codes"),
    [
        ("0.11", [ErrorCode.UNKNOWN_TOPIC_OR_PARTITION]),
        ("1.1", [ErrorCode.NONE]),
        ("2.3", [ErrorCode.UNKNOWN_TOPIC_OR_PARTITION]),
    ],
)
def test_only_kafka_1_1_adds_any_partition_of_a_topic(release: str, codes: list[ErrorCode]) -> None:
    producer = Transactor(new_brokers(release=release))
    producer.init(version=0)
    assert producer.add(9, version=0) == codes


@pytest.mark.parametrize(("release", "count"), [("2.8", 1), ("3.9", 2)])
def test_up_to_2_8_a_repeated_partition_gets_one_result(release: str, count: int) -> None:
    producer = Transactor(new_brokers(release=release))
    producer.init(version=0)
    assert producer.add(1, 1, version=0) == [ErrorCode.NONE] * count


@pytest.mark.parametrize(
    ("release", "code"),
    [
        ("0.11", ErrorCode.OPERATION_NOT_ATTEMPTED),
        ("1.1", ErrorCode.TOPIC_AUTHORIZATION_FAILED),
    ],
)
def test_the_code_for_internal_topics_is_newer_than_0_11(release: str, code: ErrorCode) -> None:
    producer = Transactor(new_brokers(release=release))
    producer.init(version=0)
    assert producer.add(0, topic="__transaction_state", version=0) == [code]


@pytest.mark.parametrize(
    ("release", "code"),
    [("3.6", ErrorCode.INVALID_TXN_STATE), ("3.9", ErrorCode.TRANSACTION_ABORTABLE)],
)
def test_the_code_for_what_was_not_added_is_newer_than_3_6(release: str, code: ErrorCode) -> None:
    producer = Transactor(new_brokers(release=release))
    producer.init(version=0)
    question = transaction_of(producer, 0)
    question.verify_only = True
    assert ask(producer, question, version=4) == [[code]]


def test_before_4_0_brokers_add_partitions_without_bumping_epochs() -> None:
    producer = Transactor(new_brokers(release="3.9"))
    producer.init()
    assert ask(producer, transaction_of(producer, 0), version=5) == [[ErrorCode.NONE]]
    coordinator = producer.brokers.state.transaction_coordinator(producer.coordinator_id)
    described = coordinator.describe_transaction(producer.transactional_id)
    assert described.client_transaction_version == 0
