"""Random walk of members of streams groups: joins, leaves, restarts, and tasks that move."""

from collections.abc import Callable, Mapping
from functools import partial
from typing import Final

from mockbroker.protocol.messages.streams_group_heartbeat import StreamsGroupHeartbeatResponse
from tests.conformance.streams_groups import (
    AT_ONCE,
    REBALANCE_TIMEOUT_MS,
    StreamsMember,
    Tasks,
    describe_streams,
    offsets,
    simple,
)
from tests.conformance.talk import Talk
from tests.conformance.walks.group_walk import LONG_MS, SHORT_MS, GroupWalk, with_timeouts

WITH_STANDBY: Final[Mapping[str, str]] = {**AT_ONCE, "group.streams.num.standby.replicas": "1"}
"""Settings of the walk's brokers."""
TROUBLED: Final[Mapping[str, str]] = {**WITH_STANDBY, **with_timeouts("streams")}
"""Settings of the walks with timeouts and restarts."""
PROCESSES: Final = ("p", "q", "r")
PARTITIONS: Final = {"0": 5, "1": 3, "2": 4}
"""Tasks by subtopology; those of the second one have no state."""
STATEFUL: Final = ("0", "2")


class StreamsWalk(GroupWalk):
    """One walk: a group, its members, and its possible steps."""

    session_config = "streams.session.timeout.ms"

    def __init__(self, talk: Talk, seed: int, *, troubled: bool = False) -> None:
        """Create the topics."""
        super().__init__(talk, f"streams-walk-{seed}", seed, troubled=troubled)
        self._rebalance_timeout_ms = LONG_MS if troubled else REBALANCE_TIMEOUT_MS
        for name, partitions in PARTITIONS.items():
            talk.topic(f"input-{seed}-{name}", partitions=partitions)
            if name in STATEFUL:
                talk.topic(f"changelog-{seed}-{name}", partitions=partitions)
        self._topology = [
            simple(
                f"input-{seed}-{name}",
                name=name,
                changelogs=[f"changelog-{seed}-{name}"] if name in STATEFUL else [],
            )
            for name in PARTITIONS
        ]
        self._members: list[StreamsMember] = []
        self._owned: dict[str, list[Tasks]] = {}
        self._count = 0
        self.ways = {
            self._join: 12,
            self._beat: 60,
            self._say_nothing: 8,
            self._report: 6,
            self._leave: 5,
            self._go_away: 4,
            self._describe: 5,
        }

    def run(self) -> None:
        """Take the steps, and describe what is left."""
        self.await_group()
        self._join()
        self.go_on()
        self._describe()

    def _join(self) -> None:
        self._join_as_new()

    def _join_as_new(self) -> StreamsMember:
        self._count += 1
        static = self.happens(0.3)
        member = StreamsMember(
            talk=self.talk,
            group=self.group,
            topology=self._topology,
            name=f"{self._count}-{self.random.randrange(10**6)}",
            process=self.random.choice(PROCESSES),
            instance_id=f"i{self.random.randrange(3)}" if static else None,
        )
        self._members.append(member)
        title = f"{self.number}. joins"
        timeout_ms = self._rebalance_timeout_ms
        self._note(member, member.join(title, rebalance_timeout_ms=timeout_ms))
        return member

    def _any(self) -> StreamsMember:
        return self.random.choice(self._members)

    def _beat(self) -> None:
        self._beat_as(self._any())

    def _beat_as(self, member: StreamsMember) -> None:
        owned = self._owned.get(member.name, [{}])
        self._note(member, member.beat(f"{self.number}. beats", *owned))

    def _say_nothing(self) -> None:
        member = self._any()
        self._note(member, member.beat(f"{self.number}. says nothing"))

    def _report(self) -> None:
        member = self._any()
        name = self.random.choice(STATEFUL)
        partition = self.random.randrange(PARTITIONS[name])
        reported = offsets((name, partition, self.random.randrange(9)))
        title = f"{self.number}. reports"
        self._note(member, member.beat(title, task_offsets=reported, task_end_offsets=reported))

    def _leave(self) -> None:
        self._end(self._any(), "leaves", -1)

    def _go_away(self) -> None:
        self._end(self._any(), "goes away", -2)

    def _end(self, member: StreamsMember, title: str, epoch: int) -> None:
        known = member.epoch
        member.leave(f"{self.number}. {title}", epoch)
        member.epoch = known
        if len(self._members) > 1:
            self._members.remove(member)

    def beat_last(self) -> Callable[[], None]:
        """Have a member join or beat for the last time; a static one may then leave for a while."""
        if self.happens(0.3):
            member = self._join_as_new()
        else:
            member = self._any()
            self._beat_as(member)
        if member.instance_id is not None and self.happens(0.4):
            known = member.epoch
            member.leave(f"{self.number}. goes away", -2)
            member.epoch = known
        return partial(self._come_back, member)

    def _come_back(self, member: StreamsMember) -> None:
        self._beat_as(member)
        if len(self._members) > 1:
            self._members.remove(member)

    def fall_behind(self) -> None:
        """Have a member own tasks for longer than its rebalance timeout."""
        inside = [each for each in self._members if each.name in self._owned]
        slow = self.random.choice(inside or self._members)
        self._own_all(slow, "hurries", SHORT_MS)
        if self.happens(0.7):
            self._join()
        self._note(slow, slow.beat(f"{self.number}. falls behind"))
        self.let_timeout_pass()
        self._own_all(slow, "has time again", self._rebalance_timeout_ms)

    def _own_all(self, member: StreamsMember, title: str, timeout_ms: int) -> None:
        owned = self._owned.get(member.name, [{}])
        title = f"{self.number}. {title}"
        self._note(member, member.beat(title, *owned, rebalance_timeout_ms=timeout_ms))

    def _describe(self) -> None:
        describe_streams(self.talk, f"{self.number}. the group", self.group)

    def _note(self, member: StreamsMember, answer: object) -> None:
        """Take over the tasks of an answer; a fenced member has none, and joins again."""
        if not isinstance(answer, StreamsGroupHeartbeatResponse):
            return
        if answer.error_code:
            self._owned.pop(member.name, None)
            return
        if answer.active_tasks is not None and answer.standby_tasks is not None:
            self._owned[member.name] = [
                {each.subtopology_id: each.partitions for each in role}
                for role in (answer.active_tasks, answer.standby_tasks)
            ]


def walk_streams(talk: Talk, seed: int, *, troubled: bool = False) -> None:
    """Walk with a seed."""
    StreamsWalk(talk, seed, troubled=troubled).run()
