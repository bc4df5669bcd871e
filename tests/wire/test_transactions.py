"""Transactions as leaders, coordinators and their log tell them."""

import pytest

from mockbroker import API, ERR, ClientAccess, Cluster, Release
from mockbroker.state.transaction.transaction_state import TransactionState
from mockbroker.wire import WireProducer, internal_topic
from mockbroker.wire.client import WireError
from mockbroker.wire.cluster import WireCluster
from mockbroker.wire.security import security_of
from mockbroker.wire.transactions import (
    OpenInLog,
    listed_transactions,
    open_in_logs,
    state_changes,
)
from tests.support.hanging import WITHOUT_VERIFICATION, leave_hanging
from tests.support.written_topics import write_transaction


@pytest.mark.parametrize("kafka", ["2.8", "4.4"])
def test_leaders_tell_which_transactions_are_open(kafka: Release) -> None:
    config = WITHOUT_VERIFICATION if kafka == "4.4" else {}
    with (
        Cluster(kafka=kafka, brokers=2, topics={"orders": 2}, config=config) as cluster,
        WireCluster(cluster.bootstrap_servers) as asked,
    ):
        producer_id = leave_hanging(cluster.bootstrap_servers, "orders")
        write_transaction(cluster, "orders", 1, is_commit=True)
        assert open_in_logs(asked, asked.topic("orders").partitions) == [
            OpenInLog("orders", 0, producer_id, 0, 2)
        ]


def test_brokers_before_2_8_do_not_tell_it() -> None:
    with (
        Cluster(kafka="2.5", topics={"orders": 1}) as cluster,
        WireCluster(cluster.bootstrap_servers) as asked,
        pytest.raises(WireError, match="serves no DescribeProducers"),
    ):
        open_in_logs(asked, asked.topic("orders").partitions)


def test_coordinators_list_their_ids_and_describe_open_transactions() -> None:
    with (
        Cluster(brokers=3, topics={"orders": 1}) as cluster,
        WireCluster(cluster.bootstrap_servers) as asked,
        WireProducer(cluster.bootstrap_servers, "open") as producer,
    ):
        for number in range(5):
            with WireProducer(cluster.bootstrap_servers, f"done-{number}") as other:
                other.init_producer_id()
        producer.init_producer_id()
        producer.add_partition("orders")
        listed = listed_transactions(asked)
        assert listed.are_all
        assert sorted(listed.states) == [*(f"done-{number}" for number in range(5)), "open"]
        known = listed.states["open"]
        assert (known.producer_id, known.state) == (producer.producer_id, TransactionState.ONGOING)
        assert known.partitions == (("orders", 0),)
        assert listed.states["done-0"].state == TransactionState.EMPTY


def test_a_user_who_may_not_describe_all_ids_is_told_so() -> None:
    module_name = "org.apache.kafka.common.security.plain.PlainLoginModule"
    config = {
        "listeners": "PLAINTEXT://127.0.0.1:0,SASL_PLAINTEXT://127.0.0.1:0",
        "sasl.enabled.mechanisms": "PLAIN",
        "listener.name.sasl_plaintext.plain.sasl.jaas.config": (
            f'{module_name} required user_audit="secret";'
        ),
        "authorizer.class.name": "org.apache.kafka.metadata.authorizer.StandardAuthorizer",
        "super.users": "User:ANONYMOUS",
    }
    with Cluster(config=config, topics={"orders": 1}) as cluster:
        write_transaction(cluster, "orders", 1, is_commit=True)
        settings = cluster.client_config(
            "java", ClientAccess("audit", "secret", listener="SASL_PLAINTEXT")
        )
        with WireCluster(settings["bootstrap.servers"], security=security_of(settings)) as asked:
            assert listed_transactions(asked) == ({}, False)
            with pytest.raises(WireError, match="TOPIC_AUTHORIZATION_FAILED"):
                state_changes(asked)
            cluster.acls.allow("describe", transactional_id="*", principal="User:audit")
            listed = listed_transactions(asked)
            assert listed.are_all
            assert list(listed.states) == ["orders-svc"]


@pytest.mark.parametrize("kafka", ["0.11", "2.5", "4.4"])
def test_the_log_of_the_coordinators_is_read(kafka: Release) -> None:
    with (
        Cluster(kafka=kafka, brokers=2, topics={"orders": 1}) as cluster,
        WireCluster(cluster.bootstrap_servers) as asked,
    ):
        assert state_changes(asked) == []
        write_transaction(cluster, "orders", 1, is_commit=True)
        states = [each.value and each.value.state for each in state_changes(asked)]
        assert states == [0, 1, 2, 4]


def test_a_long_log_is_not_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(internal_topic, "RECORDS_MAX", 3)
    with (
        Cluster(topics={"orders": 1}) as cluster,
        WireCluster(cluster.bootstrap_servers) as asked,
    ):
        write_transaction(cluster, "orders", 1, is_commit=True)
        with pytest.raises(WireError, match="has more than 3 records"):
            state_changes(asked)


def test_a_coordinator_that_loads_is_asked_again() -> None:
    with (
        Cluster(topics={"orders": 1}) as cluster,
        WireCluster(cluster.bootstrap_servers) as asked,
    ):
        write_transaction(cluster, "orders", 1, is_commit=True)
        cluster.fault(API.LIST_TRANSACTIONS).answer(ERR.COORDINATOR_LOAD_IN_PROGRESS).once()
        assert list(listed_transactions(asked).states) == ["orders-svc"]
