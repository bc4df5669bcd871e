"""Members of the classic protocol, which take their generation from the answers."""

from collections.abc import Mapping, Sequence
from typing import Final

from mockbroker.broker.internal_records.log_records_codec import LOG_RECORDS
from mockbroker.protocol.errors import ErrorCode
from mockbroker.state.cluster_state import ClusterState
from mockbroker.state.group.classic.group_answers import (
    JoinRequest,
    JoinResult,
    LeavingMember,
    SyncRequest,
    SyncResult,
)
from tests.conformance.classic_consumers import assigned, subscribed
from tests.state.group.consumer.consumer_building import CONSUMERS
from tests.state.group.coordinator_building import coordinator_in

SESSION_MS: Final = 10_000
REBALANCE_MS: Final = 20_000

Owned = Mapping[str, Sequence[int]]


class ClassicMember:
    """A member of the classic protocol; a group without others has it as its leader."""

    def __init__(
        self, cluster: ClusterState, name: str = "", *, instance_id: str | None = None
    ) -> None:
        """Subscribe to `orders`."""
        self.cluster = cluster
        self.member_id = name
        self.instance_id = instance_id
        self.generation = -1
        self.protocols: tuple[tuple[str, bytes], ...] = (("range", subscribed("orders")),)

    def request(self, owned: Owned | None = None) -> JoinRequest:
        """Build a JoinGroup request."""
        if owned is not None:
            self.protocols = (("range", subscribed("orders", owned=owned)),)
        return JoinRequest(
            group_id=CONSUMERS,
            member_id=self.member_id,
            group_instance_id=self.instance_id,
            client_id="client",
            client_host="/127.0.0.1",
            session_timeout_ms=SESSION_MS,
            rebalance_timeout_ms=REBALANCE_MS,
            protocol_type="consumer",
            protocols=self.protocols,
        )

    def join(self, owned: Owned | None = None, now_ms: int = 0) -> JoinResult:
        """Join the group, and return the answer, which must be there at once."""
        awaited = coordinator_in(self.cluster).classic_requests.join(self.request(owned), now_ms)
        answer = awaited.answer
        assert answer is not None
        if answer.code is ErrorCode.NONE:
            self.member_id, self.generation = answer.member_id, answer.generation_id
        return answer

    def lead(self, owned: Owned, user_data: bytes | None = None) -> None:
        """Join as the only member, and assign partitions to itself."""
        requests = coordinator_in(self.cluster).classic_requests
        awaited = requests.join(self.request(), 0)
        self.cluster.advance_to(0)
        assert awaited.answer is not None
        self.member_id, self.generation = awaited.answer.member_id, awaited.answer.generation_id
        assignment = assigned(owned, user_data=user_data)
        answer = requests.sync(
            self.sync_request()._replace(assignments=((self.member_id, assignment),)), 0
        ).answer
        assert answer is not None
        assert answer.code is ErrorCode.NONE

    def sync_request(self) -> SyncRequest:
        """Build a SyncGroup request."""
        return SyncRequest(CONSUMERS, self.generation, self.member_id, self.instance_id)

    def sync(self, now_ms: int = 0) -> SyncResult:
        """Return the answer to a SyncGroup request, which must be there at once."""
        answer = coordinator_in(self.cluster).classic_requests.sync(self.sync_request(), now_ms)
        assert answer.answer is not None
        return answer.answer

    def assigned(self, now_ms: int = 0) -> dict[str, list[int]]:
        """Return what SyncGroup gives it."""
        assignment = LOG_RECORDS.read_assignment(self.sync(now_ms).assignment)
        assert assignment is not None
        return {name: list(each) for name, each in assignment.partitions.items()}

    def beat(self, now_ms: int = 0) -> ErrorCode:
        """Send a Heartbeat."""
        requests = coordinator_in(self.cluster).classic_requests
        return requests.heartbeat(
            CONSUMERS, self.member_id, self.instance_id, self.generation, now_ms
        )

    def leave(self) -> list[ErrorCode]:
        """Leave the group."""
        leaving = [LeavingMember(self.member_id, self.instance_id)]
        return coordinator_in(self.cluster).classic_requests.leave(CONSUMERS, leaving, 0)
