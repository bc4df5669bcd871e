"""Members of consumer groups (KIP-848): subscriptions by pattern, and a rolling upgrade."""

from collections.abc import Callable
from contextlib import closing

import pytest

from tests.clients.python.confluent_client import ConfluentMember, subscribed
from tests.clients.support.deadline import wait_until
from tests.clients.support.java import programs, run_java
from tests.clients.support.topics import create_topic

pytestmark = [pytest.mark.slow, pytest.mark.timeout(120)]

PARTITIONS = 2


@pytest.fixture
def bootstrap_servers(brokers_of: Callable[[str], str], topic: str) -> str:
    servers = brokers_of("4.4-soon")
    create_topic(servers, f"{topic}-shared", partitions=PARTITIONS)
    return servers


def test_librdkafka_is_assigned_what_matches(bootstrap_servers: str, topic: str) -> None:
    consumer = subscribed(bootstrap_servers, f"group-of-{topic}", f"^{topic}-sh.*", "consumer")
    with closing(ConfluentMember(consumer)) as member:
        wait_until(lambda: member.poll() == [] and member.assignment() == [*range(PARTITIONS)])


@pytest.mark.java
def test_java_is_assigned_what_matches(bootstrap_servers: str, topic: str) -> None:
    printed = run_java(
        programs("clients-4.4.0"),
        "MatchingSubscription",
        *(bootstrap_servers, f"group-of-{topic}", f"{topic}-sh.*", str(PARTITIONS)),
    )
    assert printed.split() == [f"{topic}-shared-{number}" for number in range(PARTITIONS)]


@pytest.mark.java
def test_java_upgrades_and_downgrades_a_group_that_runs(bootstrap_servers: str, topic: str) -> None:
    printed = run_java(
        programs("clients-4.4.0"),
        "RollingUpgrade",
        *(bootstrap_servers, f"group-of-{topic}", f"{topic}-shared"),
    )
    assert printed.splitlines() == ["both protocols share", "upgraded", "downgraded"]
