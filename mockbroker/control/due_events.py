"""Due events: timeouts and expiries that the passing of time alone causes."""

from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Final, Literal, NamedTuple, TypeAlias

from mockbroker.events.event_bus import subscribe
from mockbroker.events.event_types import Event
from mockbroker.state.events import (
    GroupChanged,
    LogStartMoved,
    ProducersExpired,
    TransactionChanged,
)

if TYPE_CHECKING:
    from mockbroker.broker.service import Service

Kind: TypeAlias = Literal[
    "transaction_timed_out",
    "transactional_id_expired",
    "producer_id_expired",
    "records_deleted",
    "member_expelled",
    "group_removed",
]
"""Kinds of due events, with their facts.

`transaction_timed_out` (transactional_id, producer_id, producer_epoch): the coordinator aborts it.
`transactional_id_expired` (transactional_id): the coordinator forgets it.
`producer_id_expired` (topic, partition, producer_id): a partition forgets a producer.
`records_deleted` (topic, partition, before, after): retention moves the start of a log.
`member_expelled` (group, member_id): its session, or its rebalance, has timed out.
`group_removed` (group): it was empty, and its last offset has expired.
"""

Facts: TypeAlias = Mapping[str, str | int]
"""Details of a due event, by name."""

_ONGOING: Final = "Ongoing"
_DEAD: Final = "Dead"


class DueEvent(NamedTuple):
    """A timeout or an expiry."""

    at_ms: int
    """The cluster's time at which it happened."""
    kind: Kind
    facts: Facts
    """Its details, by the names above."""


class DueEventCollector:
    """Subscriber of the event bus that collects the due events while time passes."""

    def __init__(self, service: "Service") -> None:
        """Subscribe."""
        self._service = service
        self._collected: list[DueEvent] = []
        cluster = service.cluster
        self._members = {
            group.group_id: tuple(group.members)
            for broker_id in cluster.brokers
            for group in cluster.group_coordinator(broker_id).groups
        }
        self._stop: Callable[[], None] = subscribe(service, self._on_event)

    def stop(self) -> tuple[DueEvent, ...]:
        """Unsubscribe, and return the due events in order."""
        self._stop()
        return tuple(self._collected)

    def _on_event(self, event: Event) -> None:
        for kind, facts in self._due(event):
            self._collected.append(DueEvent(self._service.now_ms, kind, facts))

    def _due(self, event: Event) -> Iterator[tuple[Kind, Facts]]:
        match event:
            case TransactionChanged():
                yield from _of_transaction(event)
            case ProducersExpired(topic, partition, producer_ids):
                at: Facts = {"topic": topic, "partition": partition}
                for producer_id in producer_ids:
                    yield "producer_id_expired", {**at, "producer_id": producer_id}
            case LogStartMoved(topic, partition, before, after):
                at = {"topic": topic, "partition": partition}
                yield "records_deleted", {**at, "before": before, "after": after}
            case GroupChanged():
                yield from self._of_group(event)
            case _:
                pass

    def _of_group(self, changed: GroupChanged) -> Iterator[tuple[Kind, Facts]]:
        for member_id in self._members.get(changed.group, ()):
            if member_id not in changed.members:
                yield "member_expelled", {"group": changed.group, "member_id": member_id}
        self._members[changed.group] = changed.members
        if changed.after == _DEAD:
            yield "group_removed", {"group": changed.group}


def _of_transaction(changed: TransactionChanged) -> Iterator[tuple[Kind, Facts]]:
    before, after = changed.before, changed.after
    if after is None:
        yield "transactional_id_expired", {"transactional_id": before.transactional_id}
    elif before.state.state_name == _ONGOING != after.state.state_name:
        yield (
            "transaction_timed_out",
            {
                "transactional_id": before.transactional_id,
                "producer_id": before.producer_id,
                "producer_epoch": before.producer_epoch,
            },
        )
