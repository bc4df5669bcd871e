"""Random walk of the members of a share group: joins, heartbeats, departures, new partitions.

One member stays, and subscribes to another topic than most. While members differ in that, an
assignment does not depend on the ids of the topics, which are others in every run.
"""

from collections.abc import Callable, Mapping
from functools import partial
from typing import Final

from mockbroker.protocol.messages.create_partitions import (
    CreatePartitionsRequest,
    CreatePartitionsTopic,
)
from tests.conformance.moves import is_ready, move_share_states
from tests.conformance.share_groups import (
    AT_ONCE,
    ShareMember,
    await_initialized,
    describe_offsets,
    describe_share,
    offsets_request,
    settle,
)
from tests.conformance.talk import Talk
from tests.conformance.walks.group_walk import GroupWalk, with_timeouts

ONE_PARTITION_OF_STATES: Final = {"share.coordinator.state.topic.num.partitions": "1"}
"""Settings with which all states of share partitions move together."""
TROUBLED: Final[Mapping[str, str]] = {
    **AT_ONCE,
    **ONE_PARTITION_OF_STATES,
    **with_timeouts("share"),
}
"""Settings of the walks with timeouts and restarts."""
NAMES: Final = "abcdefgh"
PARTITIONS_MAX: Final = 9
MOMENTS: Final = 8
"""Time until the coordinator has heard of new partitions."""


class SharesWalk(GroupWalk):
    """One walk: two topics, a group, and members with the epochs of their last answers."""

    session_config = "share.session.timeout.ms"

    def __init__(self, talk: Talk, name: str, seed: int, *, troubled: bool = False) -> None:
        """Create the topics, and have the states of their partitions begin."""
        super().__init__(talk, name, seed, troubled=troubled)
        self._topic, self._other = name, f"{name}-other"
        self._count = self.random.randint(1, 6)
        talk.topic(self._topic, partitions=self._count)
        talk.topic(self._other)
        talk.wait_a_moment(MOMENTS)
        self.await_group()
        self._stays = ShareMember(talk=talk, group=name, name="z", topics=(self._other,))
        self._members = [
            ShareMember(talk=talk, group=name, name=each, topics=(self._topic,)) for each in NAMES
        ]
        settle([self._stays], 1)
        settle(self._members[:1], self._count + 1)
        self.ways = {
            self._join: 20,
            self._beat: 40,
            self._change: 10,
            self._leave: 10,
            self._stray: 6,
            self._widen: 4,
            self._describe: 10,
        }

    def run(self) -> None:
        """Walk, and describe the group at the end."""
        self.go_on()
        describe_share(self.talk, "at the end", self.group)
        describe_offsets(self.talk, "at the end", self.group)

    def _inside(self) -> ShareMember:
        known = [each for each in (*self._members, self._stays) if each.epoch > 0]
        return self.random.choice(known)

    def _join(self) -> None:
        self.random.choice(self._members).join(f"joins ({self.number})")

    def _beat(self) -> None:
        self._inside().beat(f"beats ({self.number})")

    def _change(self) -> None:
        member = self.random.choice([each for each in self._members if each.epoch] or self._members)
        topics = self.random.choice(
            [(self._topic,), (self._topic, self._other), (self._other,), (self._topic, "missing")]
        )
        member.topics = topics
        is_full = member.request(is_full=True)
        member.send(f"wants {len(topics)} ({self.number})", is_full)

    def _leave(self) -> None:
        self.random.choice(self._members).leave(f"leaves ({self.number})")

    def _stray(self) -> None:
        member = self._inside()
        epoch = max(member.epoch + self.random.choice([-2, -1, 1]), 1)
        member.beat(f"strays ({self.number})", epoch=epoch)

    def _widen(self) -> None:
        inside = [each for each in self._members if each.epoch and self._topic in each.topics]
        if self._count == PARTITIONS_MAX or not inside:
            return
        self._count += 1
        topic = CreatePartitionsTopic(name=self._topic, count=self._count, assignments=None)
        request = CreatePartitionsRequest(topics=[topic], timeout_ms=30_000)
        self.talk.quietly(request, 3)
        self.talk.wait_a_moment(MOMENTS)
        await_initialized(self.talk, self.group, self._count + 1, beating=inside[:1])
        inside[0].beat_quietly()

    def move(self) -> None:
        """Move the group's coordinator, or that of the states of its partitions."""
        if self.happens(0.5):
            super().move()
        else:
            move_share_states(self.talk, self.group, self.random.choice(self.talk.brokers))

    def beat_last(self) -> Callable[[], None]:
        """Have a member join or beat for the last time, but not the one that stays."""
        inside = [each for each in self._members if each.epoch]
        if self.happens(0.3) or not inside:
            member = self.random.choice(self._members)
            member.join(f"joins ({self.number})")
        else:
            member = self.random.choice(inside)
            member.beat(f"beats ({self.number})")
        return partial(self._come_back, member)

    def _come_back(self, member: ShareMember) -> None:
        member.beat(f"beats too late ({self.number})")
        member.epoch = 0

    def fall_behind(self) -> None:
        """Have a member beat with an old epoch instead: share groups have no rebalance timeout."""
        self._stray()

    def await_group(self) -> None:
        """Wait for the coordinators of the group, and of the states of its partitions."""
        super().await_group()
        self.talk.until_quietly(offsets_request(self.group, None), 1, is_ready)

    def _describe(self) -> None:
        describe_share(self.talk, f"{self.number}.", self.group)


def walk_shares(talk: Talk, seed: int, *, troubled: bool = False) -> None:
    """Walk at random through a group's life."""
    SharesWalk(talk, f"walk-shares-{seed}", seed, troubled=troubled).run()
