"""Random walk of a consumer group that has members of the classic protocol, too.

No downgrade is allowed: a classic group would let its members wait for one another.
"""

from collections.abc import Mapping
from typing import Final

from mockbroker.protocol.api_keys import ApiKey
from mockbroker.protocol.errors import ErrorCode
from mockbroker.protocol.messages.join_group import JoinGroupResponse
from mockbroker.protocol.messages.sync_group import SyncGroupResponse
from mockbroker.protocol.schema.message import Message
from tests.conformance.classic_consumers import ClassicConsumer, assignment_in
from tests.conformance.consumer_groups import AT_ONCE, REBALANCE_TIMEOUT_MS, Owned
from tests.conformance.groups import SESSION_TIMEOUT_MS as SESSION_MS
from tests.conformance.talk import Talk
from tests.conformance.walks.consumers import TROUBLED as CONSUMERS_TROUBLED
from tests.conformance.walks.consumers import ConsumersWalk
from tests.conformance.walks.group_walk import LONG_MS, SHORT_MS
from tests.conformance.wire import Answer

UPGRADE_ONLY: Final[Mapping[str, str]] = {
    **AT_ONCE,
    "group.consumer.migration.policy": "upgrade",
}
TROUBLED: Final[Mapping[str, str]] = {
    **UPGRADE_ONLY,
    **CONSUMERS_TROUBLED,
    "group.min.session.timeout.ms": "100",
}
"""Settings of the walks with timeouts and restarts."""
CLASSIC: Final = "xyz"


class MixedWalk(ConsumersWalk):
    """The walk of a consumer group, with classic members between the others."""

    def __init__(self, talk: Talk, name: str, seed: int, *, troubled: bool = False) -> None:
        """Create the topic and the members; nobody has joined."""
        super().__init__(talk, name, seed, troubled=troubled)
        self._timeouts_ms = (LONG_MS, LONG_MS) if troubled else (SESSION_MS, REBALANCE_TIMEOUT_MS)
        self._classic = {each: self._member(each) for each in CLASSIC}
        self._has: dict[str, Owned] = {}
        self.ways = {
            **self.ways,
            self._join_classic: 22,
            self._sync: 16,
            self._beat_classic: 20,
            self._leave_classic: 4,
            self._commit_classic: 6,
        }
        if troubled:
            self.ways[self._miss_classic] = 6

    def _member(self, name: str) -> ClassicConsumer:
        member = ClassicConsumer(talk=self.talk, group=self.topic, name=name, topics=(self.topic,))
        member.member_id = f"member-{name}"
        member.session_timeout_ms, member.rebalance_timeout_ms = self._timeouts_ms
        return member

    def _any(self) -> ClassicConsumer:
        return self._classic[self.random.choice(CLASSIC)]

    def _tell(self, title: str, member: ClassicConsumer, request: Message) -> Answer:
        assert request.API is not None
        return self.ask(f"{member.name} {title}", request, member.version(request.API))

    def _join_classic(self) -> None:
        self._join_as_classic(self._any())

    def _join_as_classic(self, member: ClassicConsumer) -> None:
        member.topics = self.drawn({(self.topic,): 4, (self.topic, "missing"): 1, (): 1})
        own = self._has.get(member.name, {}) if self.happens(0.6) else {}
        member.owns(own)
        title = f"joins {len(member.topics)} with {dict(own)}"
        answer = self.talk.expect(
            JoinGroupResponse, self._tell(title, member, member.join_request())
        )
        if answer.error_code == ErrorCode.NONE:
            member.generation = answer.generation_id

    def _sync(self) -> None:
        self._sync_as(self._any())

    def _sync_as(self, member: ClassicConsumer) -> None:
        answer = self.talk.expect(
            SyncGroupResponse, self._tell("syncs", member, member.sync_request())
        )
        if answer.error_code == ErrorCode.NONE:
            self._has[member.name] = assignment_in(bytes(answer.assignment))

    def _miss_classic(self) -> None:
        """Have a member join and miss its session timeout, or its time to sync."""
        member = self._any()
        if self.happens(0.5):
            member.session_timeout_ms = SHORT_MS
            self._join_as_classic(member)
            if self.happens(0.7):
                self._sync_as(member)
        else:
            member.rebalance_timeout_ms = SHORT_MS
            self._join_as_classic(member)
        self.let_timeout_pass()
        member.session_timeout_ms, member.rebalance_timeout_ms = self._timeouts_ms
        self._tell("beats too late", member, member.heartbeat_request())
        self._join_as_classic(member)

    def _beat_classic(self) -> None:
        member = self._any()
        self._tell("beats", member, member.heartbeat_request())

    def _leave_classic(self) -> None:
        member = self._any()
        self._tell("leaves", member, member.leave_request())
        self._has.pop(member.name, None)

    def _commit_classic(self) -> None:
        member = self._any()
        generation = max(member.generation - self.random.choice([0, 0, 1, -1]), -1)
        request = member.commit_request((self.topic, 0, self.number), generation=generation)
        version = self.talk.latest(ApiKey.OFFSET_COMMIT)
        self.ask(f"{member.name} commits in {generation}", request, version)


def walk_mixed_groups(talk: Talk, seed: int, *, troubled: bool = False) -> None:
    """Walk at random through the life of a group with members of both protocols."""
    MixedWalk(talk, f"walk-mixed-{seed}", seed, troubled=troubled).run()
