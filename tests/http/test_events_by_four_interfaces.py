"""Every event of a cluster in Python, in pytest, on the command line and over HTTP."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from inspect import isfunction
from typing import Any, Final

import pytest
from click.testing import CliRunner

from mockbroker import Cluster
from mockbroker.cli.commands import commands
from mockbroker.control.broker_control import BrokerControl
from mockbroker.control.handles.coordinator_control import CoordinatorControl
from mockbroker.control.handles.partition_handle import PartitionHandle
from mockbroker.control.handles.replica_handle import ReplicaHandle
from mockbroker.journal.entry import Entry
from mockbroker.protocol.messages.create_topics import (
    CreatableTopic,
    CreatableTopicConfig,
    CreateTopicsRequest,
    CreateTopicsResponse,
)
from mockbroker.wire import WireClient, WireProducer
from tests.support.http import Http

ORDERS: Final = "/topics/orders/partitions/0"
PRICES: Final = "/topics/prices/partitions/0"


@dataclass(frozen=True, slots=True)
class Event:
    """One event, as each interface spells it."""

    name: str
    python: Callable[[Cluster], object]
    path: str
    body: Mapping[str, Any]
    words: str
    method: str = "POST"


EVENTS: Final[tuple[Event, ...]] = (
    Event(
        "lag", lambda c: c.partition("orders", 0).lag(3),
        f"{ORDERS}/lag", {"broker": 3}, "partition lag orders:0 3",
    ),
    Event(
        "lose_replica", lambda c: c.partition("orders", 0).lose_replica(3),
        f"{ORDERS}/lose-replica", {"broker": 3}, "partition lose-replica orders:0 3",
    ),
    Event(
        "catch_up", lambda c: c.partition("orders", 0).catch_up(3),
        f"{ORDERS}/catch-up", {"broker": 3}, "partition catch-up orders:0 3",
    ),
    Event(
        "elect", lambda c: c.partition("orders", 0).elect(2, producer_state="from_log"),
        "/elect", {"topic": "orders", "partition": 0, "to": 2, "producer_state": "from_log"},
        "elect orders:0 --to 2 --producer-state from_log",
    ),
    Event(
        "lose_tail", lambda c: c.partition("orders", 0).lose_tail(1),
        f"{ORDERS}/lose-tail", {"records": 1}, "partition lose-tail orders:0 --records 1",
    ),
    Event(
        "delete_records", lambda c: c.partition("orders", 0).delete_records(1),
        f"{ORDERS}/records?before=1", {}, "partition delete-records orders:0 1", "DELETE",
    ),
    Event(
        "move_log_start", lambda c: c.partition("orders", 0).move_log_start(2),
        f"{ORDERS}/move-log-start", {"to": 2}, "partition move-log-start orders:0 2",
    ),
    Event(
        "forget_producer", lambda c: c.partition("orders", 0).forget_producer(0),
        f"{ORDERS}/forget-producer", {"producer_id": 0}, "partition forget-producer orders:0 0",
    ),
    Event(
        "compact", lambda c: c.partition("prices", 0).compact(),
        f"{PRICES}/compact", {}, "partition compact prices:0",
    ),
    Event(
        "hold_offsets", lambda c: c.partition("orders", 0).replica(3).hold_offsets(),
        f"{ORDERS}/replicas/3/hold-offsets", {}, "replica hold-offsets orders:0 3",
    ),
    Event(
        "release_offsets", lambda c: c.partition("orders", 0).replica(3).release_offsets(),
        f"{ORDERS}/replicas/3/release-offsets", {}, "replica release-offsets orders:0 3",
    ),
    Event(
        "move_log_start", lambda c: c.partition("orders", 0).replica(3).move_log_start(3),
        f"{ORDERS}/replicas/3/move-log-start", {"to": 3}, "replica move-log-start orders:0 3 3",
    ),
    Event(
        "reload_producers", lambda c: c.partition("orders", 0).replica(3).reload_producers("none"),
        f"{ORDERS}/replicas/3/reload-producers", {"snapshot": "none"},
        "replica reload-producers orders:0 3 --snapshot none",
    ),
    Event(
        "forget_producer", lambda c: c.partition("orders", 0).replica(3).forget_producer(0),
        f"{ORDERS}/replicas/3/forget-producer", {"producer_id": 0},
        "replica forget-producer orders:0 3 0",
    ),
    Event("lag", lambda c: c.lag(3), "/brokers/3/lag", {}, "broker lag 3"),
    Event("catch_up", lambda c: c.catch_up(3), "/brokers/3/catch-up", {}, "broker catch-up 3"),
    Event("stop", lambda c: c.stop_broker(3), "/brokers/3/stop", {}, "broker stop 3"),
    Event(
        "start", lambda c: c.start(3, producer_snapshot="none"),
        "/brokers/3/start", {"producer_snapshot": "none"},
        "broker start 3 --producer-snapshot none",
    ),
    Event("kill", lambda c: c.kill(3), "/brokers/3/kill", {}, "broker kill 3"),
    Event("start", lambda c: c.start(3), "/brokers/3/start", {}, "broker start 3"),
    Event("isolate", lambda c: c.isolate(3), "/brokers/3/isolate", {}, "broker isolate 3"),
    Event("rejoin", lambda c: c.rejoin(3), "/brokers/3/rejoin", {}, "broker rejoin 3"),
    Event("flush", lambda c: c.flush(), "/flush", {}, "broker flush"),
    Event("crash", lambda c: c.crash(3), "/crash", {"broker": 3}, "broker crash 3"),
    Event(
        "move_coordinator", lambda c: c.move_coordinator("mine", 2),
        "/coordinators/move", {"transactional_id": "mine", "to": 2},
        "elect --transactional-id mine --to 2",
    ),
    Event(
        "expire_transactional_id", lambda c: c.expire_transactional_id("mine"),
        "/transactions/mine/expire", {}, "txns expire mine",
    ),
    Event(
        "delay_markers", lambda c: c.delay_markers("20ms", probability=0.5),
        "/marker-delay", {"by": "20ms", "probability": 0.5},
        "txns delay-markers 20ms --probability 0.5", "PUT",
    ),
    Event(
        "recreate_topic", lambda c: c.recreate_topic("orders", partitions=2, start_offset=9),
        "/topics/orders/recreate", {"partitions": 2, "start_offset": 9},
        "topic recreate orders --partitions 2 --start-offset 9",
    ),
)  # fmt: skip


def by_python(cluster: Cluster, event: Event) -> None:
    event.python(cluster)


def by_http(cluster: Cluster, event: Event) -> None:
    answer = Http(cluster).ask(event.method, event.path, dict(event.body) or None)
    assert answer.status < 300, (event.name, answer.body)


def by_command_line(cluster: Cluster, event: Event) -> None:
    said = (*event.words.split(), "--admin", cluster.admin_url)
    result = CliRunner().invoke(commands, said)
    assert result.exit_code == 0, (event.name, result.output)


def prepare(cluster: Cluster) -> None:
    """Write the transactions and records that the events are about."""
    with WireClient(cluster.bootstrap_servers.partition(",")[0]) as client:
        compacted = CreatableTopicConfig(name="cleanup.policy", value="compact")
        prices = CreatableTopic(
            name="prices", num_partitions=1, replication_factor=3, configs=[compacted]
        )
        client.ask(CreateTopicsRequest(topics=[prices]), 5, CreateTopicsResponse)
    with WireProducer(cluster.bootstrap_servers, "mine") as producer:
        producer.init_producer_id()
        producer.add_partition("orders")
        for sequence in range(4):
            producer.produce("orders", b"value", base_sequence=sequence)
        producer.commit()
    cluster.look(lambda _state, _now_ms: None)


def journal_of(cluster: Cluster, interface: Callable[[Cluster, Event], None]) -> list[Entry]:
    """Give the journal of all events, one after the other, without ports, times and checksums."""
    prepare(cluster)
    cluster.journal.clear()
    for event in EVENTS:
        interface(cluster, event)
    kinds = {"connected", "disconnected"}  # the producer's, which has just left
    entries = [
        entry
        for entry in cluster.journal.entries()
        if entry.kind not in kinds
        # A client of an earlier test may still look for its cluster, whose port this one has.
        and entry.client_id != "rdkafka"
    ]
    first = entries[0].seq
    return [
        entry._replace(
            seq=entry.seq - first,
            wall_time_us=0,
            virtual_time_ms=0,
            crc=None if entry.crc is None else 0,
        )
        for entry in entries
    ]


def in_python_alone(kind: type) -> set[str]:
    """Name the events of a class that no row is about."""
    methods = {name for name, each in vars(kind).items() if isfunction(each) and name[0] != "_"}
    return methods - {event.name for event in EVENTS}


def test_every_event_is_in_every_interface() -> None:
    assert in_python_alone(BrokerControl) == {"advertise", "handle"}, "no events of the cluster"
    assert in_python_alone(CoordinatorControl) == {"coordinator_of"}, "which changes nothing"
    assert in_python_alone(PartitionHandle) == {"replica", "to_svg"}, "which change nothing"
    assert not in_python_alone(ReplicaHandle)


@pytest.mark.slow
def test_the_same_events_by_every_interface_give_the_same_journal(
    make_mockbroker: Callable[..., Cluster],
) -> None:
    said: dict[str, Any] = {"brokers": 3, "topics": {"orders": 1}}
    in_pytest = journal_of(make_mockbroker(**said), by_python)
    others: list[list[Entry]] = []
    for interface in (by_python, by_http, by_command_line):
        with Cluster(**said, journal=True, admin_port=0) as cluster:
            others.append(journal_of(cluster, interface))
    assert others == [in_pytest] * 3
    noted = [entry.detail for entry in in_pytest if entry.kind == "event"]
    assert len(noted) >= len(EVENTS) - 1, noted  # a flush changes nothing that is told
