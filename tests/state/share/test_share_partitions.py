"""Share partitions of a broker: loading, moves, writes that fail, locks."""

from collections.abc import Hashable

import pytest

from mockbroker.broker.handlers.record_reader import RECORD_READER
from mockbroker.protocol.errors import ApiError, ErrorCode
from mockbroker.state.cluster_state import ClusterState
from mockbroker.state.config.named_configs import GROUP as GROUP_RESOURCE
from mockbroker.state.share.acknowledgement import AcknowledgementBatch
from mockbroker.state.share.share_partition import SharePartition
from mockbroker.state.share.share_partitions import (
    ATTEMPTS,
    RETRY_MS,
    LedSharePartition,
    SharePartitionManager,
)
from mockbroker.state.share.share_session import MemberKey
from mockbroker.state.topic.topic import NO_LEADER, SHARE_GROUP_STATE, Partition
from tests.state.share.coordinator_clusters import GROUP, coordinating, key_of, leader
from tests.state.share.share_partitions import take

MEMBER = "m"


class Led:
    """The manager of the broker that leads t-0, and what it reports."""

    def __init__(self, *, start_offset: int | None = 0) -> None:
        self.cluster: ClusterState = coordinating()
        self.answered: list[Hashable] = []
        self.cluster.answered = self.answered.append
        self.manager = SharePartitionManager(1, self.cluster, RECORD_READER)
        self.key = key_of(self.cluster)
        if start_offset is not None:
            leader(self.cluster).initialize(self.key, 1, start_offset, 0)

    @property
    def partition(self) -> Partition:
        found = self.cluster.partition("t", 0)
        assert found is not None
        return found

    @property
    def state_partition(self) -> Partition:
        found = self.cluster.partition(SHARE_GROUP_STATE, 0)
        assert found is not None
        return found

    def open(self) -> LedSharePartition:
        opened = self.manager.open(self.key, self.partition)
        self.cluster.run_pending(0)
        return opened

    def share(self) -> SharePartition:
        share = self.open().share
        assert share is not None
        return share

    def acquire(self) -> SharePartition:
        share = self.share()
        take(share, (0, 4), member=MEMBER)
        self.manager.locks_changed(self.key)
        return share

    def acknowledge(self, acknowledge_type: int = 1) -> None:
        batch = AcknowledgementBatch(0, 4, [acknowledge_type])
        self.manager.acknowledge(self.key, MEMBER, [batch], 0)


def test_it_is_loaded_a_moment_after_its_first_use() -> None:
    led = Led(start_offset=7)
    opened = led.manager.open(led.key, led.partition)
    assert opened.share is None
    assert led.manager.known(led.key) is None
    assert led.cluster.run_pending(0) == [f"LoadSharePartition {led.key.coordinator_key}"]
    assert opened.share is not None
    assert (opened.share.start_offset, opened.share.state_epoch) == (7, 1)
    assert led.answered == [led.key]
    assert led.manager.open(led.key, led.partition) is opened


@pytest.mark.parametrize(
    ("reset", "start_offset"), [("latest", 0), ("earliest", 0), ("by_duration:PT1H", None)]
)
def test_a_group_without_an_offset_begins_as_configured(
    reset: str, start_offset: int | None
) -> None:
    led = Led(start_offset=-1)
    led.cluster.configs.set_named_overrides(
        GROUP_RESOURCE, GROUP, {"share.auto.offset.reset": reset}
    )
    opened = led.open()
    if start_offset is None:
        assert opened.refusal is not None
        assert opened.refusal.code is ErrorCode.OFFSET_NOT_AVAILABLE
    else:
        assert opened.share is not None
        assert opened.share.start_offset == start_offset


def test_a_state_that_cannot_be_read_is_tried_again_at_the_next_use() -> None:
    led = Led(start_offset=None)
    opened = led.open()
    assert opened.refusal is not None
    assert opened.refusal.code is ErrorCode.UNKNOWN_SERVER_ERROR
    assert opened.is_gone
    leader(led.cluster).initialize(led.key, 1, 0, 0)
    assert led.open().share is not None


def test_loading_waits_for_a_coordinator_and_then_gives_up() -> None:
    led = Led()
    leader_id, led.state_partition.leader_id = led.state_partition.leader_id, NO_LEADER
    opened = led.open()
    led.cluster.advance_to(RETRY_MS)
    assert (opened.share, opened.refusal) == (None, None)
    led.state_partition.leader_id = leader_id
    led.cluster.advance_to(2 * RETRY_MS)
    assert opened.share is not None

    without = Led()
    without.state_partition.leader_id = NO_LEADER
    opened = without.open()
    without.cluster.advance_to(ATTEMPTS * RETRY_MS)
    assert opened.refusal is not None
    assert opened.refusal.code is ErrorCode.COORDINATOR_NOT_AVAILABLE


def test_only_the_leader_has_it() -> None:
    led = Led()
    led.partition.leader_id = 2
    with pytest.raises(ApiError) as caught:
        led.open()
    assert caught.value.code is ErrorCode.NOT_LEADER_OR_FOLLOWER


def test_it_is_forgotten_when_the_partition_has_moved() -> None:
    led = Led()
    opened = led.open()
    led.partition.leader_epoch += 1
    assert led.manager.known(led.key) is opened.share, "the leader is the same"
    led.partition.elected_in_epoch = led.partition.leader_epoch
    assert led.manager.known(led.key) is None
    assert opened.is_gone
    assert led.open() is not opened


def test_a_partition_that_moves_while_it_is_loaded_is_not_loaded() -> None:
    led = Led()
    opened = led.manager.open(led.key, led.partition)
    led.partition.leader_id = 2
    led.cluster.run_pending(0)
    assert (opened.share, opened.is_gone) == (None, True)


def test_acknowledgements_are_stored() -> None:
    led = Led()
    led.acquire()
    led.acknowledge()
    stored = leader(led.cluster).summary(led.key)
    assert stored is not None
    assert stored.delivery_complete_count == 5
    assert led.answered[-1] == led.key


def test_acknowledgements_of_an_unknown_share_partition() -> None:
    with pytest.raises(ApiError) as caught:
        Led().acknowledge()
    assert caught.value.code is ErrorCode.UNKNOWN_TOPIC_OR_PARTITION


def test_a_write_that_fails_is_reverted() -> None:
    led = Led()
    share = led.acquire()
    before = share.as_text()
    leader_id, led.state_partition.leader_id = led.state_partition.leader_id, NO_LEADER
    with pytest.raises(ApiError) as caught:
        led.acknowledge()
    assert caught.value.code is ErrorCode.COORDINATOR_NOT_AVAILABLE
    assert share.as_text() == before
    led.state_partition.leader_id = leader_id
    led.acknowledge()


def test_a_fenced_write_forgets_it() -> None:
    led = Led()
    led.acquire()
    leader(led.cluster).read(led.key, 9, 0)
    with pytest.raises(ApiError) as caught:
        led.acknowledge()
    assert caught.value.code is ErrorCode.NOT_LEADER_OR_FOLLOWER
    assert led.manager.known(led.key) is None


def test_expired_locks_are_stored() -> None:
    led = Led()
    share = led.acquire()
    led.cluster.advance_to(30_000)
    assert share.as_text()[1] == "0-4 AVAILABLE 1"
    stored = leader(led.cluster).summary(led.key)
    assert stored is not None
    assert len(stored.state_batches) == 1
    assert led.manager.known(led.key) is share


def test_locks_of_a_forgotten_share_partition_do_nothing() -> None:
    led = Led()
    share = led.acquire()
    led.partition.leader_id = 2
    led.cluster.advance_to(30_000)
    assert share.as_text()[1].startswith("0-4 ACQUIRED 1")


def test_a_session_that_ends_releases_records_even_if_that_cannot_be_stored() -> None:
    led = Led()
    share = led.acquire()
    member = MemberKey(GROUP, MEMBER)
    unknown = (led.key.topic_id, 1)
    partitions = [(led.key.topic_id, 0), unknown]
    led.manager.sessions.fetch(member, 0, partitions, connection_id=5, sessions_max=1)
    led.manager.connection_closed(4, 0)
    assert share.as_text()[1].startswith("0-4 ACQUIRED 1")
    led.state_partition.leader_id = NO_LEADER
    led.manager.connection_closed(5, 0)
    assert len(led.manager.sessions) == 0
    assert share.as_text()[1].startswith("0-4 ACQUIRED 1"), "its lock will expire"


def test_a_group_without_sessions_is_forgotten_when_a_connection_closes() -> None:
    led = Led()
    share = led.acquire()
    partitions = [(led.key.topic_id, 0)]
    for number, name in enumerate(("one", "two")):
        member = MemberKey(GROUP, name)
        led.manager.sessions.fetch(member, 0, partitions, connection_id=number, sessions_max=2)
    led.manager.release_session(MemberKey(GROUP, "one"), 0)
    led.manager.connection_closed(0, 0)
    assert led.manager.known(led.key) is share, "another member has a session"
    led.manager.release_session(MemberKey(GROUP, "two"), 0)
    assert led.manager.known(led.key) is share
    led.manager.connection_closed(1, 0)
    assert led.manager.known(led.key) is None
