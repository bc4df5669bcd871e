"""DescribeTransactionState, the query between brokers in KIP-360's draft."""

import pytest

from mockbroker.protocol.errors import ErrorCode
from mockbroker.protocol.messages.api_versions import ApiVersionsRequest, ApiVersionsResponse
from mockbroker.protocol.messages.describe_transaction_state import (
    DescribedTransactionState,
    DescribeTransactionStateRequest,
    DescribeTransactionStateResponse,
    PartitionsOfTopic,
)
from mockbroker.protocol.messages.find_coordinator import (
    FindCoordinatorRequest,
    FindCoordinatorResponse,
)
from mockbroker.protocol.types import TopicPartition
from mockbroker.state.security.acl import AclOperation, AclResource
from mockbroker.state.transaction.producer_epochs import ProducerIdAndEpoch
from mockbroker.state.transaction.transaction_coordinator import TransactionCoordinator
from tests.broker.handlers.guarded import GUARDED, deny
from tests.support.in_process import NOW_MS, Brokers

PROPOSAL = "describe-transaction-state"
API_KEY = 10360


def ask(
    brokers: Brokers, *transactional_ids: str, broker_id: int = 1
) -> list[DescribedTransactionState]:
    request = DescribeTransactionStateRequest(transactional_ids=list(transactional_ids))
    answer = brokers.ask(request, 0, DescribeTransactionStateResponse, broker_id=broker_id)
    return answer.transaction_states


def coordinator_of(brokers: Brokers, transactional_id: str) -> TransactionCoordinator:
    """Find the coordinator as a client does, with retries."""
    request = FindCoordinatorRequest(key=transactional_id, key_type=1)
    answer = brokers.ask(request, 1, FindCoordinatorResponse)
    if answer.error_code != ErrorCode.NONE:
        brokers.loop.run()
        answer = brokers.ask(request, 1, FindCoordinatorResponse)
    assert answer.error_code == ErrorCode.NONE
    return brokers.state.transaction_coordinator(answer.node_id)


def refused(code: ErrorCode) -> DescribedTransactionState:
    return DescribedTransactionState(error_code=code, producer_id=-1, producer_epoch=-1, state="")


@pytest.mark.parametrize(("proposals", "is_there"), [((), False), ((PROPOSAL,), True)])
def test_the_api_is_advertised_only_if_enabled(proposals: tuple[str, ...], is_there: bool) -> None:
    answer = Brokers(proposals=proposals).ask(ApiVersionsRequest(), 0, ApiVersionsResponse)
    found = [(a.api_key, a.min_version, a.max_version) for a in answer.api_keys]
    assert ((API_KEY, 0, 0) in found) == is_there


def test_the_disabled_api_closes_the_connection_like_any_unknown_one() -> None:
    peer = Brokers().connect()
    peer.send(DescribeTransactionStateRequest(transactional_ids=["orders-svc"]), 0)
    assert peer.new_frames() == []
    assert peer.is_hung_up


@pytest.mark.parametrize("release", ["0.11", "2.4", "4.4"])
def test_an_open_transaction_is_shown_with_its_partitions(release: str) -> None:
    brokers = Brokers(release=release, proposals=[PROPOSAL])
    coordinator = coordinator_of(brokers, "orders-svc")
    producer = coordinator.init_producer_id("orders-svc", 60_000, NOW_MS)
    partitions = {TopicPartition("b", 1), TopicPartition("a", 2), TopicPartition("a", 0)}
    coordinator.add_partitions_to_transaction("orders-svc", producer, partitions, NOW_MS)
    assert ask(brokers, "orders-svc") == [
        DescribedTransactionState(
            producer_id=producer.producer_id,
            producer_epoch=0,
            state="Ongoing",
            partitions=[
                PartitionsOfTopic(topic_name="a", partition_ids=[0, 2]),
                PartitionsOfTopic(topic_name="b", partition_ids=[1]),
            ],
        )
    ]


def test_a_new_instance_shows_as_another_epoch() -> None:
    brokers = Brokers(proposals=[PROPOSAL])
    coordinator = coordinator_of(brokers, "orders-svc")
    first = coordinator.init_producer_id("orders-svc", 60_000, NOW_MS)
    second = coordinator.init_producer_id("orders-svc", 60_000, NOW_MS)
    assert second == ProducerIdAndEpoch(first.producer_id, first.producer_epoch + 1)
    (described,) = ask(brokers, "orders-svc")
    assert (described.producer_id, described.producer_epoch) == second
    assert described.state == "Empty"


def test_an_unknown_transactional_id_is_dead_and_answers_keep_their_order() -> None:
    brokers = Brokers(proposals=[PROPOSAL])
    coordinator_of(brokers, "known").init_producer_id("known", 60_000, NOW_MS)
    described = ask(brokers, "unknown", "known", "")
    assert [each.state for each in described] == ["Dead", "Empty", "Dead"]
    dead = described[0]
    assert (dead.error_code, dead.producer_id, dead.producer_epoch) == (ErrorCode.NONE, -1, -1)


def test_before_there_is_a_transaction_log_no_coordinator_is_available() -> None:
    described = ask(Brokers(proposals=[PROPOSAL]), "orders-svc")
    assert described == [refused(ErrorCode.COORDINATOR_NOT_AVAILABLE)]


def test_another_broker_is_not_the_coordinator() -> None:
    brokers = Brokers(brokers=2, proposals=[PROPOSAL])
    coordinator = coordinator_of(brokers, "orders-svc")
    other = 3 - coordinator.broker_id
    assert ask(brokers, "orders-svc", broker_id=other) == [refused(ErrorCode.NOT_COORDINATOR)]


def test_a_loading_coordinator_returns_its_error() -> None:
    brokers = Brokers(proposals=[PROPOSAL])
    coordinator = coordinator_of(brokers, "orders-svc")
    index = coordinator.states.partition_for("orders-svc")
    coordinator.on_election(index, 1)
    described = ask(brokers, "orders-svc")
    assert described == [refused(ErrorCode.COORDINATOR_LOAD_IN_PROGRESS)]
    brokers.state.run_pending(NOW_MS)
    assert [each.state for each in ask(brokers, "orders-svc")] == ["Dead"]


def test_a_coordinator_that_is_shut_down_is_not_available() -> None:
    brokers = Brokers(proposals=[PROPOSAL])
    coordinator_of(brokers, "orders-svc").shutdown()
    assert ask(brokers, "orders-svc") == [refused(ErrorCode.COORDINATOR_NOT_AVAILABLE)]


def test_with_an_authorizer_a_client_needs_the_right_of_brokers() -> None:
    brokers = Brokers(proposals=(PROPOSAL,), configs=GUARDED)
    coordinator = coordinator_of(brokers, "mine")
    (found,) = ask(brokers, "mine", broker_id=coordinator.broker_id)
    assert (found.error_code, found.state) == (ErrorCode.NONE, "Dead")
    deny(brokers, AclResource.CLUSTER, operation=AclOperation.CLUSTER_ACTION)
    denied = refused(ErrorCode.CLUSTER_AUTHORIZATION_FAILED)
    assert ask(brokers, "mine", "other", broker_id=coordinator.broker_id) == [denied, denied]
