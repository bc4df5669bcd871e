"""Random walk of the members of a consumer group: joins, heartbeats, departures, commits."""

from collections.abc import Callable, Mapping
from functools import partial
from typing import Final

from mockbroker.protocol.api_keys import ApiKey
from mockbroker.protocol.errors import ErrorCode
from mockbroker.protocol.messages.consumer_group_heartbeat import (
    ConsumerGroupHeartbeatRequest,
    ConsumerGroupHeartbeatResponse,
)
from mockbroker.protocol.messages.create_partitions import (
    CreatePartitionsRequest,
    CreatePartitionsTopic,
)
from mockbroker.protocol.messages.offset_commit import OffsetCommitRequest
from tests.conformance.consumer_groups import (
    AT_ONCE,
    REBALANCE_TIMEOUT_MS,
    Member,
    describe_consumers,
)
from tests.conformance.groups import commit_topics
from tests.conformance.talk import Talk
from tests.conformance.walks.group_walk import LONG_MS, SHORT_MS, GroupWalk, with_timeouts

TROUBLED: Final[Mapping[str, str]] = {**AT_ONCE, **with_timeouts("consumer")}
"""Settings of the walks with timeouts and restarts."""
NAMES: Final = "abcdefgh"
STATIC: Final = "fgh"
"""Members with instance ids; the last two have the same."""
PARTITIONS_MAX: Final = 9
MOMENTS: Final = 8
"""Time until the coordinator has heard of new partitions."""
COMMIT_VERSION: Final = 9


class ConsumersWalk(GroupWalk):
    """One walk: a topic, a group, and members that own what their last answers said."""

    def __init__(self, talk: Talk, name: str, seed: int, *, troubled: bool = False) -> None:
        """Create the topic; nobody has joined."""
        super().__init__(talk, name, seed, troubled=troubled)
        self._rebalance_timeout_ms = LONG_MS if troubled else REBALANCE_TIMEOUT_MS
        self.topic = name
        self._count = self.random.randint(1, 6)
        talk.topic(name, partitions=self._count)
        talk.wait_a_moment(MOMENTS)
        self.await_group()
        self._members = {
            each: Member(
                talk=talk,
                group=name,
                name=each,
                topics=(name,),
                instance_id="i-" + min(each, "g") if each in STATIC else None,
                rebalance_timeout_ms=self._rebalance_timeout_ms,
            )
            for each in NAMES
        }
        self._owned: dict[str, list[int]] = {}
        self.ways = {
            self._join: 18,
            self._beat: 40,
            self._change: 10,
            self._leave: 10,
            self._stray: 6,
            self._commit: 8,
            self._widen: 3,
            self._describe: 12,
        }

    def run(self) -> None:
        """Walk, and describe the group at the end."""
        self.go_on()
        describe_consumers(self.talk, "at the end", self.topic)

    def _someone(self) -> Member:
        return self._members[self.random.choice(NAMES)]

    def _inside(self) -> Member:
        known = [each for each in self._members.values() if each.epoch > 0]
        return self.random.choice(known) if known else self._someone()

    def _send(self, title: str, member: Member, request: ConsumerGroupHeartbeatRequest) -> None:
        answer = self.talk.expect(
            ConsumerGroupHeartbeatResponse,
            self.ask(
                f"{member.name} {title}", request, self.talk.latest(ApiKey.CONSUMER_GROUP_HEARTBEAT)
            ),
        )
        if answer.error_code != ErrorCode.NONE:
            member.epoch = 0
            self._owned.pop(member.name, None)
            return
        member.epoch = answer.member_epoch
        if answer.assignment is not None:
            topics = answer.assignment.topic_partitions
            self._owned[member.name] = [each for topic in topics for each in topic.partitions]

    def _join(self) -> None:
        self._join_as(self._someone())

    def _join_as(self, member: Member) -> None:
        self._owned.pop(member.name, None)
        self._send("joins", member, member.full_request({}, epoch=0))

    def _beat(self) -> None:
        self._beat_as(self._inside())

    def _beat_as(self, member: Member) -> None:
        owned = sorted(self._owned.get(member.name, []))
        if self.happens(0.3):
            self._send("beats", member, member.request())
        else:
            own = {self.topic: owned} if owned else {}
            self._send(f"owns {owned}", member, member.request(own))

    def _change(self) -> None:
        member = self._inside()
        member.topics = self.random.choice([(self.topic,), (), (self.topic, "missing")])
        member.assignor = self.random.choice([None, "uniform", "range"])
        owned = sorted(self._owned.get(member.name, []))
        own = {self.topic: owned} if owned else {}
        wants = f"wants {len(member.topics)} with {member.assignor}"
        self._send(wants, member, member.full_request(own))

    def _leave(self) -> None:
        member = self._inside()
        epoch = -2 if member.instance_id is not None and self.happens(0.6) else -1
        self._send(f"leaves with {epoch}", member, member.request(epoch=epoch))
        self._owned.pop(member.name, None)

    def _stray(self) -> None:
        member = self._inside()
        epoch = member.epoch + self.random.choice([-1, 1])
        owned = self.random.choice([None, {}, {self.topic: [0]}])
        self._send(f"strays to {epoch}", member, member.request(owned, epoch=max(epoch, 1)))

    def _commit(self) -> None:
        member = self._inside()
        epoch = max(member.epoch - self.random.choice([0, 0, 1, 2, -1]), -1)
        index = self.random.randrange(self._count)
        request = OffsetCommitRequest(
            group_id=self.topic,
            generation_id_or_member_epoch=epoch,
            member_id=member.member_id,
            topics=commit_topics(self.talk, [(self.topic, index, self.number)]),
        )
        self.ask(f"{member.name} commits {index} in {epoch}", request, COMMIT_VERSION)

    def _widen(self) -> None:
        if self._count < PARTITIONS_MAX:
            self._count += 1
            topic = CreatePartitionsTopic(name=self.topic, count=self._count, assignments=None)
            request = CreatePartitionsRequest(topics=[topic], timeout_ms=30_000)
            self.talk.quietly(request, self.talk.latest(ApiKey.CREATE_PARTITIONS))
            self.talk.wait_a_moment(MOMENTS)

    def beat_last(self) -> Callable[[], None]:
        """Have a member join or beat for the last time; a static one may then leave for a while."""
        if self.happens(0.3):
            member = self._someone()
            self._join_as(member)
        else:
            member = self._inside()
            self._beat_as(member)
        if member.epoch and member.instance_id is not None and self.happens(0.4):
            self._send("leaves with -2", member, member.request(epoch=-2))
        return partial(self._beat_as, member)

    def fall_behind(self) -> None:
        """Have a member own partitions for longer than its rebalance timeout."""
        slow = self._inside()
        slow.rebalance_timeout_ms = SHORT_MS
        self._own_all(slow, "hurries")
        if self.happens(0.7):
            self._join()
        self._send("falls behind", slow, slow.request())
        self.let_timeout_pass()
        slow.rebalance_timeout_ms = self._rebalance_timeout_ms
        self._own_all(slow, "has time again")

    def _own_all(self, member: Member, title: str) -> None:
        owned = sorted(self._owned.get(member.name, []))
        own = {self.topic: owned} if owned else {}
        self._send(f"{title}, owns {owned}", member, member.full_request(own))

    def _describe(self) -> None:
        describe_consumers(self.talk, f"{self.number}.", self.topic)


def walk_consumers(talk: Talk, seed: int, *, troubled: bool = False) -> None:
    """Walk at random through a group's life."""
    ConsumersWalk(talk, f"walk-consumers-{seed}", seed, troubled=troubled).run()
