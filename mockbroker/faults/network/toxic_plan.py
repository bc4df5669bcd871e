"""Toxics of all connections: every fault is matched once with each connection.

The client id of a connection is known from its first request on: until then, a fault with a client
id does not match it. A fault starts with the open connections, and ends when it is removed.
"""

from typing import TYPE_CHECKING, Final, NamedTuple

from mockbroker.faults.call_facts import ConnectionFacts
from mockbroker.faults.network.toxic import Struck, Toxic
from mockbroker.faults.network.toxic_path import ToxicPath
from mockbroker.faults.selectors import NearMiss

if TYPE_CHECKING:
    from mockbroker.broker.client_connection import ClientConnection
    from mockbroker.broker.service import Service
    from mockbroker.faults.fault_state import FaultState


class ToxicFault(NamedTuple):
    """A fault, its toxic, and the connections that it was matched with."""

    fault: "FaultState"
    toxic: Toxic
    matched: set[int]


class ToxicPlan:
    """The toxics of a cluster. The service has a plan only while there is one."""

    def __init__(self, service: "Service") -> None:
        """Start without toxics."""
        self._service: Final = service
        self._faults: dict[FaultState, ToxicFault] = {}
        self._paths: dict[ClientConnection, ToxicPath] = {}

    def put(self, fault: "FaultState", toxic: Toxic) -> None:
        """Apply the toxic of a fault to open and future connections."""
        self.remove(fault)
        self._faults[fault] = ToxicFault(fault, toxic, set())
        self._service.toxics = self
        for connection in list(self._service.connections):
            self._match(self._faults[fault], connection)

    def remove(self, fault: "FaultState") -> None:
        """Remove the toxic of a fault from all connections."""
        if self._faults.pop(fault, None) is None:
            return
        for connection, path in list(self._paths.items()):
            path.remove(fault)
            if not path.has_toxics and self._paths.pop(connection, None) is not None:
                path.leave()
        if not self._faults:
            self._service.toxics = None

    def connection_came(self, connection: "ClientConnection") -> None:
        """Match all faults with a connection: when it opens, and when its client id is known."""
        for each in list(self._faults.values()):
            self._match(each, connection)

    def close(self) -> None:
        """Remove all toxics, because the cluster stops."""
        for fault in list(self._faults):
            self.remove(fault)

    def _match(self, toxic_fault: ToxicFault, connection: "ClientConnection") -> None:
        fault, toxic, matched = toxic_fault
        if connection.connection_id in matched or connection.transport is None:
            return
        path = connection.request_path
        facts = ConnectionFacts(
            connection.connection_id, path.broker_id, path.client_id, path.principal, path.listener
        )
        miss = fault.selectors.miss_of_connection(facts._asdict())
        if miss is not None:
            self._note_miss(fault, miss, facts)
            return
        matched.add(facts.connection)
        if not fault.is_over and fault.counts():
            stage = toxic.stage(fault.plan.random, self._struck_by(fault, facts))
            self._path_of(connection).add(fault, toxic.stream, stage)

    def _note_miss(self, fault: "FaultState", miss: NearMiss, facts: ConnectionFacts) -> None:
        if facts.client_id is not None:  # the others are not known yet
            fault.note_miss(miss, facts)

    def _path_of(self, connection: "ClientConnection") -> ToxicPath:
        path = self._paths.get(connection)
        if path is None:
            assert connection.transport is not None
            path = ToxicPath(
                connection, connection.transport, self._service.loop, self._connection_lost
            )
            self._paths[connection] = path
        return path

    def _connection_lost(self, connection: "ClientConnection") -> None:
        self._paths.pop(connection, None)

    def _struck_by(self, fault: "FaultState", facts: ConnectionFacts) -> Struck:
        """Count a connection as hit when the toxic first affects it."""
        is_first = True

        def struck(size_bytes: int) -> None:
            nonlocal is_first
            fault.touches(size_bytes, is_first=is_first)
            if is_first:
                is_first = False
                self._service.note(
                    "toxic",
                    rule=fault.name,
                    effect=str(fault.toxic),
                    broker=facts.broker,
                    connection=facts.connection,
                    client_id=facts.client_id,
                )

        return struck
