"""Members of a group with their own connections; tests send each request explicitly."""

from collections.abc import Mapping
from typing import Final

from mockbroker.protocol.api_keys import ApiKey
from mockbroker.protocol.errors import ErrorCode
from mockbroker.protocol.messages.find_coordinator import (
    FindCoordinatorRequest,
    FindCoordinatorResponse,
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
from mockbroker.wire import WireClient
from tests.support.in_process import Brokers

GROUP: Final = "group"
SESSION_TIMEOUT_MS: Final = 10_000
JOIN_VERSION: Final = 9
SYNC_VERSION: Final = 5
HEARTBEAT_VERSION: Final = 4
LEAVE_VERSION: Final = 5
FIRST_THAT_NEEDS_MEMBER_ID: Final = 4


def group_brokers(
    release: str = "4.4", *, brokers: int = 1, configs: Mapping[str, str] | None = None
) -> Brokers:
    """Start brokers whose group coordinators are loaded and whose timers run."""
    started = Brokers(release=release, brokers=brokers, configs=configs)
    request = FindCoordinatorRequest(key=GROUP, key_type=0)
    started.ask(request, 1, FindCoordinatorResponse)  # may create the topic of groups
    started.loop.run()
    answer = started.ask(request, 1, FindCoordinatorResponse)
    assert answer.error_code == ErrorCode.NONE
    started.service.arm_timer()
    return started


class Member:
    """A member of a group, or a client that joins one."""

    def __init__(
        self,
        brokers: Brokers,
        *,
        group_id: str = GROUP,
        instance: str | None = None,
        join_version: int = JOIN_VERSION,
        broker_id: int = 1,
    ) -> None:
        """Connect."""
        self._loop = brokers.loop
        self.peer = brokers.connect(broker_id)
        self.group_id = group_id
        self.instance = instance
        self.join_version = join_version
        self.member_id = ""
        self.generation_id = -1
        self.protocols = [JoinGroupRequestProtocol(name="range", metadata=b"topics")]

    def reconnect(self, brokers: Brokers, broker_id: int = 1) -> None:
        """Continue over another connection; the former one stays open."""
        self.peer = brokers.connect(broker_id)

    # JoinGroup

    def send_join(self) -> None:
        """Send a JoinGroup, without reading the answer."""
        request = JoinGroupRequest(
            group_id=self.group_id,
            session_timeout_ms=SESSION_TIMEOUT_MS,
            rebalance_timeout_ms=60_000,
            member_id=self.member_id,
            group_instance_id=self.instance,
            protocol_type="consumer",
            protocols=self.protocols,
        )
        self.peer.send(request, self.join_version)

    def joined(self) -> JoinGroupResponse:
        """Read the answer to a JoinGroup, which has arrived."""
        self._loop.advance(0)  # the delay of a first rebalance is a timer, also when it is 0
        answer = self.peer.receive(ApiKey.JOIN_GROUP, self.join_version, JoinGroupResponse)
        if answer.error_code in {ErrorCode.NONE, ErrorCode.MEMBER_ID_REQUIRED}:
            self.member_id, self.generation_id = answer.member_id, answer.generation_id
        return answer

    def begin_to_join(self) -> None:
        """Get a member id if one is required, and send the JoinGroup that waits for the others."""
        needs_id = self.join_version >= FIRST_THAT_NEEDS_MEMBER_ID and self.instance is None
        if needs_id and not self.member_id:
            self.send_join()
            assert self.joined().error_code == ErrorCode.MEMBER_ID_REQUIRED
        self.send_join()

    def join(self) -> JoinGroupResponse:
        """Join a group that waits for no other member."""
        self.begin_to_join()
        return self.joined()

    # SyncGroup

    def send_sync(
        self, assignments: Mapping[str, bytes] | None = None, *, version: int = SYNC_VERSION
    ) -> None:
        """Send a SyncGroup, without reading the answer."""
        request = SyncGroupRequest(
            group_id=self.group_id,
            generation_id=self.generation_id,
            member_id=self.member_id,
            group_instance_id=self.instance,
            protocol_type="consumer",
            protocol_name="range",
            assignments=[
                SyncGroupRequestAssignment(member_id=member_id, assignment=assignment)
                for member_id, assignment in (assignments or {}).items()
            ],
        )
        self.peer.send(request, version)

    def synced(self, *, version: int = SYNC_VERSION) -> SyncGroupResponse:
        """Read the answer to a SyncGroup, which has arrived."""
        return self.peer.receive(ApiKey.SYNC_GROUP, version, SyncGroupResponse)

    def assign(self, assignments: Mapping[str, bytes]) -> SyncGroupResponse:
        """Send all members' assignments as the leader."""
        self.send_sync(assignments)
        return self.synced()

    # Heartbeat, LeaveGroup

    def heartbeat(self, *, version: int = HEARTBEAT_VERSION) -> int:
        """Send a Heartbeat, and return the error code."""
        request = HeartbeatRequest(
            group_id=self.group_id,
            generation_id=self.generation_id,
            member_id=self.member_id,
            group_instance_id=self.instance,
        )
        return self.peer.ask(request, version, HeartbeatResponse).error_code

    def leave(self, *others: str, version: int = LEAVE_VERSION) -> LeaveGroupResponse:
        """Leave the group, and remove other members."""
        request = LeaveGroupRequest(
            group_id=self.group_id,
            member_id=self.member_id,
            members=[
                MemberIdentity(member_id=self.member_id, group_instance_id=self.instance),
                *(MemberIdentity(member_id=member_id) for member_id in others),
            ],
        )
        return self.peer.ask(request, version, LeaveGroupResponse)


def gather(*members: Member) -> None:
    """Let members join one generation; the first leads it."""
    leader, *others = members
    leader.join()
    for member in others:
        member.begin_to_join()
    if others:
        leader.send_join()
    for member in members if others else ():
        assert member.joined().error_code == ErrorCode.NONE


def stable(*members: Member) -> None:
    """Create a stable generation in which each member's assignment is its id."""
    gather(*members)
    leader, *others = members
    for member in others:
        member.send_sync()
    leader.assign({member.member_id: member.member_id.encode() for member in members})
    for member in others:
        assert member.synced().assignment == member.member_id.encode()


def group_of_one(client: WireClient) -> str:
    """Make a group with one member whose session lasts ten seconds; give the member's id."""
    request = JoinGroupRequest(
        group_id="readers",
        session_timeout_ms=10_000,
        rebalance_timeout_ms=10_000,
        protocol_type="consumer",
        protocols=[JoinGroupRequestProtocol(name="range", metadata=b"")],
    )
    joined = client.ask(request, 3, JoinGroupResponse)
    while joined.error_code in {ErrorCode.NOT_COORDINATOR, ErrorCode.COORDINATOR_LOAD_IN_PROGRESS}:
        client.ask(FindCoordinatorRequest(key="readers"), 1, FindCoordinatorResponse)
        joined = client.ask(request, 3, JoinGroupResponse)
    assert joined.error_code == ErrorCode.NONE
    assignment = SyncGroupRequestAssignment(member_id=joined.member_id, assignment=b"all")
    synced = client.ask(
        SyncGroupRequest(
            group_id="readers",
            generation_id=joined.generation_id,
            member_id=joined.member_id,
            assignments=[assignment],
        ),
        2,
        SyncGroupResponse,
    )
    assert synced.assignment == b"all"
    return joined.member_id


def heartbeat(client: WireClient, member_id: str) -> int:
    request = HeartbeatRequest(group_id="readers", generation_id=1, member_id=member_id)
    return client.ask(request, 3, HeartbeatResponse).error_code
