"""Members of a consumer group (KIP-848) and of a classic group."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Final

from mockbroker.protocol.errors import ErrorCode
from mockbroker.protocol.messages.consumer_group_heartbeat import (
    ConsumerGroupHeartbeatRequest,
    ConsumerGroupHeartbeatResponse,
    TopicPartitions,
)
from mockbroker.protocol.messages.heartbeat import HeartbeatRequest, HeartbeatResponse
from mockbroker.protocol.messages.join_group import (
    JoinGroupRequest,
    JoinGroupRequestProtocol,
    JoinGroupResponse,
)
from mockbroker.protocol.messages.leave_group import (
    LeaveGroupRequest,
    LeaveGroupResponse,
    MemberIdentity,
)
from mockbroker.protocol.messages.sync_group import (
    SyncGroupRequest,
    SyncGroupRequestAssignment,
    SyncGroupResponse,
)
from tests.simulation.model_client import GaveUp
from tests.simulation.sharer import GROUP, REBALANCE_MS, SESSION_MS, WORK, Sharer
from tests.simulation.steps import Steps
from tests.simulation.streams_sharer import StreamsSharer

if TYPE_CHECKING:
    from tests.simulation.world import World

_LEAVES: Final = -1
_PROTOCOL_TYPE: Final = "simulation"
_PROTOCOL: Final = "round-robin"


class ConsumerSharer(Sharer):
    """A member that the coordinator gives partitions to; it releases them between transactions."""

    def __init__(self, world: "World", name: str) -> None:
        super().__init__(world, name)
        self.member_id = name

    def beat(self) -> Steps[None]:
        """Say all that it owns, and take what it is assigned."""
        work = self.world.brokers.topic(WORK).topic_id
        owned = [TopicPartitions(topic_id=work, partitions=self.owned)] if self.owned else []
        request = ConsumerGroupHeartbeatRequest(
            group_id=GROUP,
            member_id=self.member_id,
            member_epoch=max(self.generation, 0),
            rebalance_timeout_ms=REBALANCE_MS,
            subscribed_topic_names=[WORK],
            topic_partitions=owned,
        )
        answer = yield from self._heartbeat(request)
        self.generation = answer.member_epoch
        if answer.assignment is not None:
            topics = answer.assignment.topic_partitions
            self.owned = [each for topic in topics for each in topic.partitions]

    def leave(self) -> Steps[None]:
        """Leave at once."""
        yield from self._heartbeat(
            ConsumerGroupHeartbeatRequest(
                group_id=GROUP, member_id=self.member_id, member_epoch=_LEAVES
            )
        )

    def _heartbeat(
        self, request: ConsumerGroupHeartbeatRequest
    ) -> Steps[ConsumerGroupHeartbeatResponse]:
        return (
            yield from self.ask_once(
                request, 1, ConsumerGroupHeartbeatResponse, lambda given: given.error_code
            )
        )


class ClassicSharer(Sharer):
    """A member that rebalances with the others; the leader deals the partitions out."""

    def beat(self) -> Steps[None]:
        """Send a heartbeat, and join again if the others do."""
        if self.generation >= 0:
            request = HeartbeatRequest(
                group_id=GROUP, generation_id=self.generation, member_id=self.member_id
            )
            try:
                yield from self.ask_once(
                    request, 3, HeartbeatResponse, lambda given: given.error_code
                )
            except GaveUp as why:
                if why.code is not ErrorCode.REBALANCE_IN_PROGRESS:
                    raise
            else:
                return
        self.lose_membership()
        joined = yield from self._join()
        yield from self._sync(joined)

    def leave(self) -> Steps[None]:
        """Leave at once."""
        request = LeaveGroupRequest(
            group_id=GROUP, members=[MemberIdentity(member_id=self.member_id)]
        )
        yield from self.ask_once(request, 3, LeaveGroupResponse, lambda given: given.error_code)

    def _join(self) -> Steps[JoinGroupResponse]:
        """Join, if need be with the member id of a refusal."""

        def noted(given: JoinGroupResponse) -> int:
            if given.error_code == ErrorCode.UNKNOWN_MEMBER_ID:
                self.member_id = ""
            elif given.member_id:
                self.member_id = given.member_id
            return given.error_code

        return (
            yield from self.ask_once(
                JoinGroupRequest(
                    group_id=GROUP,
                    session_timeout_ms=SESSION_MS,
                    rebalance_timeout_ms=REBALANCE_MS,
                    member_id=self.member_id,
                    protocol_type=_PROTOCOL_TYPE,
                    protocols=[JoinGroupRequestProtocol(name=_PROTOCOL, metadata=b"")],
                ),
                5,
                JoinGroupResponse,
                noted,
            )
        )

    def _sync(self, joined: JoinGroupResponse) -> Steps[None]:
        """Deal the partitions out if it leads, and learn its own."""
        members = [each.member_id for each in joined.members]
        request = SyncGroupRequest(
            group_id=GROUP,
            generation_id=joined.generation_id,
            member_id=self.member_id,
            assignments=[
                SyncGroupRequestAssignment(
                    member_id=member_id,
                    assignment=bytes(range(len(self.world.work_values))[number :: len(members)]),
                )
                for number, member_id in enumerate(members)
            ],
        )
        answer = yield from self.ask_once(
            request, 3, SyncGroupResponse, lambda given: given.error_code
        )
        self.generation = joined.generation_id
        self.owned = list(answer.assignment)


SHARERS: Final[Mapping[str, type[Sharer]]] = {
    "classic": ClassicSharer,
    "consumer": ConsumerSharer,
    "streams": StreamsSharer,
}
"""The members, by the protocol of their group."""
