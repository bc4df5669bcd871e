"""Transactions that clients have begun since they last committed offsets."""

import pytest

from mockbroker.events.event_types import CallId
from mockbroker.journal.client_transactions import ClientTransactions
from mockbroker.protocol.api_keys import ApiKey
from mockbroker.protocol.messages.add_partitions_to_txn import (
    AddPartitionsToTxnRequest,
    AddPartitionsToTxnTopic,
)
from mockbroker.protocol.messages.consumer_group_heartbeat import ConsumerGroupHeartbeatRequest
from mockbroker.protocol.messages.end_txn import EndTxnRequest
from mockbroker.protocol.messages.join_group import JoinGroupRequest
from mockbroker.protocol.messages.produce import ProduceRequest, TopicProduceData
from mockbroker.protocol.types import Uuid
from mockbroker.state.events import CommittedOffset, OffsetsCommitted

COMMIT = OffsetsCommitted("g", "m", "app", -1, False, (CommittedOffset("orders", 0, 5, 9),))
PAYMENTS_ID = Uuid(int=1)
NAMES = {PAYMENTS_ID: "payments"}


def a_call(client_id: str = "app", *, version: int = 4) -> CallId:
    return CallId(1, 1, 1, client_id, ApiKey.FETCH, version, 1, "User:ANONYMOUS")


def adding(transactional_id: str = "svc", topic: str = "payments") -> AddPartitionsToTxnRequest:
    return AddPartitionsToTxnRequest(
        v3_and_below_transactional_id=transactional_id,
        v3_and_below_topics=[AddPartitionsToTxnTopic(name=topic, partitions=[0])],
    )


def begun(
    *, reads: bool = True, request: AddPartitionsToTxnRequest | None = None
) -> ClientTransactions:
    transactions = ClientTransactions(NAMES.get)
    if reads:
        transactions.read(a_call())
    transactions.asked(a_call(), request or adding(), 7)
    return transactions


def test_a_commit_has_the_transaction_that_its_client_has_begun() -> None:
    transactions = begun()
    transactions.asked(a_call(), adding(), 8)
    assert transactions.committed(COMMIT, a_call()).begun == ("svc", 7)
    assert transactions.committed(COMMIT, a_call()).begun is None


def test_a_transaction_from_before_the_client_has_read_is_of_other_records() -> None:
    assert begun(reads=False).committed(COMMIT, a_call()).begun is None


def test_a_transaction_that_writes_what_the_group_reads_is_of_another_client() -> None:
    same = begun(request=adding(topic="orders"))
    assert same.committed(COMMIT, a_call()).begun is None


@pytest.mark.parametrize(
    "request_",
    [JoinGroupRequest(group_id="g"), ConsumerGroupHeartbeatRequest(group_id="g", member_epoch=0)],
)
def test_a_client_that_joins_again_reads_again_what_it_has_not_committed(
    request_: JoinGroupRequest | ConsumerGroupHeartbeatRequest,
) -> None:
    transactions = begun()
    transactions.asked(a_call("other"), request_, 8)
    transactions.asked(a_call(), JoinGroupRequest(group_id="g", member_id="m"), 8)
    transactions.asked(a_call(), ConsumerGroupHeartbeatRequest(group_id="g", member_epoch=1), 8)
    assert transactions.committed(COMMIT, a_call()).begun == ("svc", 7)

    transactions = begun()
    transactions.asked(a_call(), request_, 8)
    assert transactions.committed(COMMIT, a_call()).begun is None


def test_requests_of_brokers_and_of_other_clients_say_nothing() -> None:
    assert begun(request=adding("")).committed(COMMIT, a_call()).begun is None
    other = COMMIT._replace(client_id="other")
    assert begun().committed(other, a_call("other")).begun is None
    nobody = COMMIT._replace(member_id="", client_id=None)
    assert begun().committed(nobody, a_call()) == nobody


@pytest.mark.parametrize("client_id", ["rdkafka", "aiokafka-0.12.0", "consumer-g-1", ""])
def test_a_client_id_that_a_library_has_chosen_says_nothing(client_id: str) -> None:
    transactions = ClientTransactions(NAMES.get)
    transactions.read(a_call(client_id))
    transactions.asked(a_call(client_id), adding(), 7)
    commit = COMMIT._replace(client_id=client_id)
    assert transactions.committed(commit, a_call(client_id)).begun is None


def test_a_client_id_of_several_applications_says_nothing() -> None:
    transactions = begun()
    transactions.asked(a_call(), adding("other"), 8)
    assert transactions.committed(COMMIT, a_call()).begun is None
    transactions = begun()
    transactions.committed(COMMIT._replace(group="h"), a_call())
    transactions.asked(a_call(), adding(), 9)
    assert transactions.committed(COMMIT, a_call()).begun is None


def test_a_transaction_that_has_offsets_is_as_it_should_be() -> None:
    transactions = begun()
    pending = COMMIT._replace(producer_id=7, is_pending=True)
    assert transactions.committed(pending, a_call()) == pending
    assert transactions.committed(COMMIT, a_call()).begun is None
    transactions = begun()
    transactions.committed(pending._replace(client_id="consumer"), a_call())
    assert transactions.committed(COMMIT, a_call()).begun is None


def writing(transactional_id: str | None = "svc") -> ProduceRequest:
    topics = [TopicProduceData(topic_id=PAYMENTS_ID, partition_data=[])]
    return ProduceRequest(transactional_id=transactional_id, topic_data=topics)


def written(
    request: ProduceRequest, *, version: int = 13, reads: bool = True
) -> ClientTransactions:
    transactions = ClientTransactions(NAMES.get)
    if reads:
        transactions.read(a_call())
    transactions.asked(a_call(version=version), request, 7)
    return transactions


def test_a_batch_adds_its_partition_with_transaction_version_2() -> None:
    assert written(writing()).committed(COMMIT, a_call()).begun == ("svc", 7)
    payments = CommittedOffset("payments", 0, 5, 9)
    same = COMMIT._replace(offsets=(payments,))
    assert written(writing()).committed(same, a_call()).begun is None


def test_an_older_batch_or_one_without_a_transaction_adds_nothing() -> None:
    assert written(writing(), version=11).committed(COMMIT, a_call()).begun is None
    assert written(writing(None)).committed(COMMIT, a_call()).begun is None


@pytest.mark.parametrize(("ends", "begun"), [(False, None), (True, ("svc", 9))])
def test_what_a_transaction_with_offsets_still_writes_is_of_the_same_records(
    ends: bool, begun: tuple[str, int] | None
) -> None:
    transactions = written(writing())
    pending = COMMIT._replace(producer_id=7, is_pending=True)
    transactions.committed(pending, a_call())
    if ends:
        transactions.asked(a_call(), EndTxnRequest(transactional_id="svc"), 8)
    transactions.asked(a_call(version=13), writing(), 9)
    assert transactions.committed(COMMIT, a_call()).begun == begun
