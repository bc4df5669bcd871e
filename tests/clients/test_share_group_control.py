"""KafkaShareConsumer of 4.4.0 in a share group that a test breaks by its handle."""

import subprocess
from collections.abc import Iterator

import pytest
from confluent_kafka import Producer

from mockbroker import API, Cluster
from mockbroker.control.handles.group_handle import GroupHandle
from tests.clients.support.deadline import wait_until
from tests.clients.support.java import java_command, programs
from tests.support.share_members import SHARERS, set_up

pytestmark = [pytest.mark.java, pytest.mark.slow, pytest.mark.timeout(180)]

TOPIC = "shared-steps"
SOON = {
    "group.share.min.heartbeat.interval.ms": "100",
    "group.share.heartbeat.interval.ms": "100",
    "group.share.assignment.interval.ms": "0",
}


class Steps:
    """One member after the other, each of which does one step after the other."""

    def __init__(self, process: "subprocess.Popen[str]") -> None:
        self._process = process

    def do(self, step: str) -> str:
        self.begin(step)
        return self.result()

    def begin(self, step: str) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(step + "\n")
        self._process.stdin.flush()

    def result(self) -> str:
        assert self._process.stdout is not None
        return self._process.stdout.readline().strip()


@pytest.fixture
def cluster() -> Iterator[Cluster]:
    with Cluster(topics={TOPIC: 1}, config=SOON, journal=True) as running:
        set_up(running)
        store(running)
        yield running


def store(cluster: Cluster) -> None:
    """Produce a record: one by one, so that the client has nothing to fetch ahead."""
    producer = Producer({"bootstrap.servers": cluster.bootstrap_servers})
    producer.produce(TOPIC, b"value", partition=0)
    assert producer.flush(10) == 0


@pytest.fixture
def group(cluster: Cluster) -> GroupHandle:
    return cluster.group(SHARERS)


@pytest.fixture(scope="module")
def virtual_machine() -> Iterator[Steps]:
    """Start one for all tests: that takes longer than any of them."""
    words = ("steps", "", SHARERS, TOPIC)
    command = java_command(programs("clients-4.4.0"), "ShareGroups", *words)
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True) as process:
        try:
            yield Steps(process)
        finally:
            process.kill()


@pytest.fixture
def member(cluster: Cluster, virtual_machine: Steps) -> Iterator[Steps]:
    assert virtual_machine.do(f"join {cluster.bootstrap_servers}") == "subscribed"
    yield virtual_machine
    assert virtual_machine.do("leave") == "left"


def start_offset(group: GroupHandle) -> int:
    return group.share_partitions[TOPIC, 0].start_offset


def test_a_record_whose_lock_expired_by_the_clock_is_delivered_again(
    cluster: Cluster, group: GroupHandle, member: Steps
) -> None:
    assert member.do("poll") == "got 0:1"
    (record,) = group.acquired
    assert (record.first_offset, record.last_offset, record.delivery_count) == (0, 0, 1)
    # A member may fetch ahead, but not while it waits for the response to an acknowledgement.
    late = cluster.fault(API.SHARE_ACKNOWLEDGE, group=SHARERS, topic=TOPIC).hold().once()
    member.begin("accept")
    late.wait_held()
    cluster.clock.set(record.lock_expires_ms or 0)
    assert group.acquired == ()
    with pytest.raises(
        AssertionError, match="offset 0 was delivered once, and released or expired"
    ):
        cluster.assert_each_record_acknowledged_once(SHARERS)
    late.release()
    assert member.result() == "accepted: InvalidRecordStateException"
    assert member.do("poll") == "got 0:2"
    assert member.do("accept") == "accepted: ok"
    assert start_offset(group) == 1
    cluster.assert_each_record_acknowledged_once(SHARERS)
    cluster.assert_no_record_delivered_beyond_limit(SHARERS)


def test_a_member_survives_a_lost_response_to_an_acknowledgement(
    cluster: Cluster, group: GroupHandle, member: Steps
) -> None:
    assert member.do("poll") == "got 0:1"
    lost = cluster.fault(API.SHARE_ACKNOWLEDGE, group=SHARERS, topic=TOPIC).lose_response()
    # The client does not know whether the record is acknowledged; it is, and not delivered again.
    assert member.do("accept") == "accepted: UnknownServerException"
    assert lost.hits == 1
    store(cluster)
    assert member.do("poll") == "got 1:1"
    assert member.do("accept") == "accepted: ok"
    assert start_offset(group) == 2


def test_a_member_survives_a_lost_acknowledgement(
    cluster: Cluster, group: GroupHandle, member: Steps
) -> None:
    assert member.do("poll") == "got 0:1"
    (holder,) = group.members
    lost = cluster.fault(API.SHARE_ACKNOWLEDGE, member_id=holder, topic=TOPIC).drop_request()
    assert member.do("accept") == "accepted: UnknownServerException"
    assert lost.hits == 1
    assert member.do("poll") == "got 0:2"
    assert member.do("accept") == "accepted: ok"


def test_a_fenced_member_joins_again_and_keeps_its_record(
    cluster: Cluster, group: GroupHandle, member: Steps
) -> None:
    assert member.do("poll") == "got 0:1"
    (before,) = group.members.values()
    group.fence(before.member_id)
    wait_until(lambda: before.member_id in group.members)
    assert group.members[before.member_id].member_epoch > before.member_epoch
    # As in Kafka, its record was not released: the connection to the leader did not close.
    assert [each.member_id for each in group.acquired] == [before.member_id]
    assert member.do("accept") == "accepted: ok"
    store(cluster)
    assert member.do("poll") == "got 1:1"
