"""The cluster's time, as a test lets it pass."""

import asyncio
import threading
import time

import pytest

from mockbroker import Cluster
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
from mockbroker.protocol.messages.sync_group import (
    SyncGroupRequest,
    SyncGroupRequestAssignment,
    SyncGroupResponse,
)
from mockbroker.wire import WireClient, WireProducer

SEVEN_DAYS_MS = 7 * 86_400_000


def test_time_passes_by_itself_and_jumps_when_told() -> None:
    with Cluster() as cluster:
        before_ms = cluster.clock.now_ms
        assert abs(before_ms - time.time() * 1000) < 60_000
        passed = cluster.clock.advance("7d")
        assert SEVEN_DAYS_MS <= passed.now_ms - before_ms < SEVEN_DAYS_MS + 60_000
        assert cluster.clock.now_ms >= passed.now_ms


def test_a_manual_clock_stands_still_between_jumps() -> None:
    with Cluster(clock="manual") as cluster:
        before_ms = cluster.clock.now_ms
        assert cluster.clock.advance(1_500).now_ms == before_ms + 1_500
        assert cluster.clock.now_ms == before_ms + 1_500


def test_what_falls_due_is_told_in_order() -> None:
    with Cluster(config={"log.retention.check.interval.ms": "1000"}, clock="manual") as cluster:
        assert cluster.clock.advance("999ms").done == ()
        assert cluster.clock.advance("2s").done == ("log-retention", "log-retention")


@pytest.mark.parametrize("by", ["soon", -1])
def test_what_is_no_duration_moves_nothing(by: str | int) -> None:
    with Cluster(clock="manual") as cluster:
        before_ms = cluster.clock.now_ms
        with pytest.raises(ValueError, match=r"no duration|does not go back"):
            cluster.clock.advance(by)
        assert cluster.clock.now_ms == before_ms


def test_any_thread_may_move_it() -> None:
    with Cluster(clock="manual") as cluster:
        before_ms = cluster.clock.now_ms
        threads = [threading.Thread(target=cluster.clock.advance, args=(1,)) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert cluster.clock.now_ms == before_ms + 8


@pytest.mark.asyncio
async def test_a_coroutine_on_the_clusters_loop_may_move_it_and_so_may_another_thread() -> None:
    async with Cluster(clock="manual") as cluster:
        before_ms = cluster.clock.now_ms
        cluster.clock.advance("1s")
        await asyncio.to_thread(cluster.clock.advance, "1s")
        assert cluster.clock.now_ms == before_ms + 2_000


def test_the_transactional_ids_that_expired_are_told() -> None:
    with (
        Cluster(clock="manual") as cluster,
        WireProducer(cluster.bootstrap_servers, "b") as second,
        WireProducer(cluster.bootstrap_servers, "a") as first,
    ):
        for producer in (second, first):
            producer.init_producer_id()
        assert cluster.clock.advance("6d").transactional_ids == ()
        second.init_producer_id()
        assert cluster.clock.advance("2d").transactional_ids == ("a",)


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


def test_the_members_of_a_group_outlive_a_jump() -> None:
    with Cluster() as cluster, WireClient(cluster.bootstrap_servers) as client:
        member_id = group_of_one(client)
        cluster.clock.advance("7d")
        assert heartbeat(client, member_id) == ErrorCode.NONE


def test_sessions_fall_due_where_they_are_not_kept() -> None:
    with Cluster() as cluster, WireClient(cluster.bootstrap_servers) as client:
        member_id = group_of_one(client)
        cluster.clock.advance("9s", keep_sessions=False)
        assert heartbeat(client, member_id) == ErrorCode.NONE
        cluster.clock.advance("11s", keep_sessions=False)
        assert heartbeat(client, member_id) == ErrorCode.UNKNOWN_MEMBER_ID
