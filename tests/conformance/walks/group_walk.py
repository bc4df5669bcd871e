"""Base of the walks of groups: coordinators move or restart, and members miss their timeouts.

With several brokers, the coordinator moves between the steps. In a troubled walk, members miss
heartbeats or are slow to release partitions, and the broker restarts if it is the only one. Real
time passes between its steps, but not on mockbroker's clock: so all timeouts are long, except that
of the member that is to miss it, for as long as it takes.
"""

from collections.abc import Callable, Mapping
from typing import ClassVar, Final

from mockbroker.protocol.messages.describe_configs import (
    DescribeConfigsRequest,
    DescribeConfigsResource,
    DescribeConfigsResponse,
)
from mockbroker.protocol.messages.incremental_alter_configs import (
    AlterableConfig,
    AlterConfigsResource,
    IncrementalAlterConfigsRequest,
)
from mockbroker.protocol.schema.message import Message
from tests.conformance.groups import await_group
from tests.conformance.moves import move_coordinator
from tests.conformance.streams_groups import GROUP_RESOURCE
from tests.conformance.talk import Talk
from tests.conformance.transactions import await_coordinator
from tests.conformance.walks.walking import Walk

MOVES: Final = 0.08
"""The fraction of the steps that are moves, where there are several brokers."""
TROUBLED_STEPS: Final = 200
MISSES: Final = 0.05
"""The fraction of a troubled walk's steps that are missed heartbeats."""
DELAYS: Final = 0.04
"""The fraction of a troubled walk's steps that are slow members."""
RESTARTS: Final = 0.008
RESTARTS_MAX: Final = 2
"""The most restarts of a walk, because real Kafka takes seconds."""
SHORT_MS: Final = 500
"""Timeout of a member that is to miss it; real Kafka takes less time for its last requests."""
LONG_MS: Final = 600_000
MARGIN_MS: Final = 250
SEEN_IN_MOMENTS: Final = 3
"""Time until a changed config of a group is seen by its coordinator, after it is described."""
_SET: Final = 0
_DELETE: Final = 1


def with_timeouts(kind: str) -> Mapping[str, str]:
    """Return settings with which the timeouts of a kind of group can be short or long."""
    return {
        f"group.{kind}.min.session.timeout.ms": "100",
        f"group.{kind}.session.timeout.ms": str(LONG_MS),
        f"group.{kind}.max.session.timeout.ms": str(LONG_MS),
        f"group.{kind}.min.heartbeat.interval.ms": "100",
        f"group.{kind}.heartbeat.interval.ms": "100",
    }


class GroupWalk(Walk):
    """One walk with a group."""

    session_config: ClassVar[str] = "consumer.session.timeout.ms"
    """The group's config that sets the session timeout of its members."""

    def __init__(self, talk: Talk, group: str, seed: int, *, troubled: bool = False) -> None:
        """Start without steps."""
        super().__init__(talk, seed)
        self.group = group
        self.ways: Mapping[Callable[[], None], float] = {}
        self._moves = len(talk.brokers) > 1
        self._troubled = troubled
        self._restarts = 0
        if troubled:
            self.steps = TROUBLED_STEPS

    def await_group(self) -> None:
        """Wait until the group has a coordinator, which is the first broker."""
        if self._moves:
            await_coordinator(self.talk, self.group, 0)
            move_coordinator(self.talk, self.group, 1)
        else:
            await_group(self.talk, self.group)

    def go_on(self) -> None:
        """Run all steps."""
        ways = dict(self.ways)
        weight = sum(ways.values())
        if self._moves:
            ways[self.move] = MOVES * weight
        if self._troubled:
            ways[self._miss] = MISSES * weight
            ways[self.fall_behind] = DELAYS * weight
        if self._troubled and not self._moves:
            ways[self._restart] = RESTARTS * weight
        self.go(ways)

    def move(self) -> None:
        """Move the coordinator to any other broker."""
        others = [each for each in self.talk.brokers if each != self.talk.home]
        move_coordinator(self.talk, self.group, self.random.choice(others))

    # Troubles.

    def beat_last(self) -> Callable[[], None]:
        """Have a member beat for the last time; return its attempt to come back too late."""
        raise NotImplementedError

    def fall_behind(self) -> None:
        """Have a member take longer than the rebalance timeout, if it has anything to release."""
        raise NotImplementedError

    def _miss(self) -> None:
        """Have a member miss its heartbeats: only its last one began a short session."""
        self._set_session(SHORT_MS)
        come_back = self.beat_last()
        self._set_session(None)
        self.let_timeout_pass()
        come_back()

    def let_timeout_pass(self) -> None:
        """Let more time pass than a short timeout."""
        self.talk.let_time_pass(SHORT_MS + MARGIN_MS)

    def _set_session(self, timeout_ms: int | None) -> None:
        """Set the session timeout of the group's members, or return to the brokers' one."""
        config = AlterableConfig(
            name=self.session_config,
            config_operation=_DELETE if timeout_ms is None else _SET,
            value=None if timeout_ms is None else str(timeout_ms),
        )
        resource = AlterConfigsResource(
            resource_type=GROUP_RESOURCE, resource_name=self.group, configs=[config]
        )
        self.talk.quietly(IncrementalAlterConfigsRequest(resources=[resource]), 1)
        expected = str(timeout_ms or LONG_MS)

        def is_so(answer: Message) -> bool:
            results = self.talk.expect(DescribeConfigsResponse, answer).results
            return any(each.value == expected for each in results[0].configs)

        asked = DescribeConfigsResource(
            resource_type=GROUP_RESOURCE,
            resource_name=self.group,
            configuration_keys=[self.session_config],
        )
        self.talk.until_quietly(DescribeConfigsRequest(resources=[asked]), 4, is_so)
        self.talk.wait_a_moment(SEEN_IN_MOMENTS)

    def _restart(self) -> None:
        """Restart the broker, which then knows only what it loads."""
        if self._restarts < RESTARTS_MAX:
            self._restarts += 1
            self.talk.restart(1)
            self.await_group()
