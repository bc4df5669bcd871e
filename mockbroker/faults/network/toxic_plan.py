"""Which connections have which toxics: every rule is weighed once for each connection.

A connection is known by its client's id from its first request on: until then a rule that asks for
one is not about it. Rules begin with the connections that there are, and end with their removal.
"""

from typing import TYPE_CHECKING, Final, NamedTuple

from mockbroker.faults.network.connection_facts import ConnectionFacts
from mockbroker.faults.network.toxic_path import ToxicPath
from mockbroker.faults.network.toxics import Struck, Toxic
from mockbroker.faults.selectors import NearMiss

if TYPE_CHECKING:
    from mockbroker.broker.client_connection import ClientConnection
    from mockbroker.broker.service import Service
    from mockbroker.faults.rule import Rule


class ToxicRule(NamedTuple):
    """A rule, what it does, and the connections that it was weighed for."""

    rule: "Rule"
    toxic: Toxic
    weighed: set[int]


class ToxicPlan:
    """The toxics of a cluster. It stands in the service only while there is one."""

    def __init__(self, service: "Service") -> None:
        """Start without toxics."""
        self._service: Final = service
        self._rules: dict[Rule, ToxicRule] = {}
        self._paths: dict[ClientConnection, ToxicPath] = {}

    def put(self, rule: "Rule", toxic: Toxic) -> None:
        """Have a rule do this from now on, to connections that there are and that will be."""
        self.remove(rule)
        self._rules[rule] = ToxicRule(rule, toxic, set())
        self._service.toxics = self
        for connection in list(self._service.connections):
            self._weigh(self._rules[rule], connection)

    def remove(self, rule: "Rule") -> None:
        """Have a rule do nothing any more."""
        if self._rules.pop(rule, None) is None:
            return
        for connection, path in list(self._paths.items()):
            path.remove(rule)
            if not path.has_toxics and self._paths.pop(connection, None) is not None:
                path.leave()
        if not self._rules:
            self._service.toxics = None

    def connection_came(self, connection: "ClientConnection") -> None:
        """Weigh all rules for a connection: when it is made, and when its client is known."""
        for each in list(self._rules.values()):
            self._weigh(each, connection)

    def close(self) -> None:
        """Let go of everything: the cluster stops."""
        for rule in list(self._rules):
            self.remove(rule)

    def _weigh(self, toxic_rule: ToxicRule, connection: "ClientConnection") -> None:
        rule, toxic, weighed = toxic_rule
        if connection.connection_id in weighed or connection.transport is None:
            return
        facts = ConnectionFacts(
            connection.connection_id, connection.broker_id, connection.client_id
        )
        miss = rule.selectors.miss_of_connection(facts._asdict())
        if miss is not None:
            self._note_miss(rule, miss, facts)
            return
        weighed.add(facts.connection)
        if not rule.is_over and rule.counts():
            stage = toxic.stage(rule.plan.random, self._struck_by(rule, facts))
            self._path_of(connection).add(rule, toxic.stream, stage)

    def _note_miss(self, rule: "Rule", miss: NearMiss, facts: ConnectionFacts) -> None:
        if facts.client_id is not None:  # the others are not known yet
            rule.note_miss(miss, facts)

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

    def _struck_by(self, rule: "Rule", facts: ConnectionFacts) -> Struck:
        """Count a connection as hit when the toxic first does something to it."""
        is_first = True

        def struck(size_bytes: int) -> None:
            nonlocal is_first
            rule.touches(size_bytes, is_first=is_first)
            if is_first:
                is_first = False
                self._service.note(
                    "toxic",
                    rule=rule.name,
                    effect=str(rule.toxic),
                    broker=facts.broker,
                    connection=facts.connection,
                    client_id=facts.client_id,
                )

        return struck
