"""Initial differences from Kafka's configs."""

import pytest

from mockbroker.state.config.own_configs import (
    broker_endpoint,
    broker_identity,
    product_defaults,
)


@pytest.mark.parametrize(("brokers", "factor"), [(1, "1"), (2, "2"), (3, "3"), (5, "3")])
def test_internal_topics_fit_the_number_of_brokers(brokers: int, factor: str) -> None:
    defaults = product_defaults("4.4", brokers)
    assert defaults["default.replication.factor"] == factor
    assert defaults["offsets.topic.replication.factor"] == factor
    assert int(defaults["transaction.state.log.min.isr"]) <= int(factor)


def test_groups_do_not_wait_for_more_members() -> None:
    assert product_defaults("4.4", 1)["group.initial.rebalance.delay.ms"] == "0"


def test_only_configs_of_the_release_are_set() -> None:
    assert "share.coordinator.state.topic.min.isr" in product_defaults("4.4", 1)
    assert "share.coordinator.state.topic.min.isr" not in product_defaults("2.4", 1)


def test_a_broker_has_its_identity() -> None:
    assert broker_identity("2.4", 5) == {"broker.id": "5"}
    assert broker_identity("4.4", 5)["node.id"] == "5"
    assert broker_identity("4.4", 5)["process.roles"] == "broker,controller"


def test_a_broker_has_its_listeners() -> None:
    bound, advertised = "PLAINTEXT://0.0.0.0:9092", "PLAINTEXT://localhost:9092"
    assert broker_endpoint("4.4", bound, advertised) == {
        "listeners": "PLAINTEXT://0.0.0.0:9092",
        "advertised.listeners": "PLAINTEXT://localhost:9092",
    }
