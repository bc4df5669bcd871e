"""Share partitions of a broker: loading, moves, writes that fail, locks."""

from collections.abc import Hashable

import pytest

from mockbroker.broker.handlers.record_reader import RECORD_READER
from mockbroker.protocol.errors import ApiError, ErrorCode
from mockbroker.state.cluster_state import ClusterState
from mockbroker.state.config.named_configs import GROUP as GROUP_RESOURCE
from mockbroker.state.share.acknowledgement import AcknowledgementBatch
from mockbroker.state.share.share_log_record import ShareGroupOffset
from mockbroker.state.share.share_partition import SharePartition
from mockbroker.state.share.share_partitions import (
    ATTEMPTS,
    RETRY_MS,
    LedSharePartition,
    SharePartitionManager,
)
from mockbroker.state.share.share_session import MemberKey
from mockbroker.state.share.state_batch import StateBatch
from mockbroker.state.topic.replication_control import NewTopic
from mockbroker.state.topic.topic import NO_LEADER, SHARE_GROUP_STATE, Partition
from tests.state.share.coordinator_clusters import GROUP, coordinating, key_of, leader
from tests.state.share.dead_letters.dead_letter_writers import RecordingWriter
from tests.state.share.share_partitions import take

MEMBER = "m"


class Led:
    """The manager of the broker that leads t-0, and what it reports."""

    def __init__(self, *, start_offset: int | None = 0) -> None:
        self.cluster: ClusterState = coordinating()
        self.answered: list[Hashable] = []
        self.cluster.answered = self.answered.append
        self.writer = RecordingWriter()
        self.manager = SharePartitionManager(1, self.cluster, RECORD_READER, self.writer)
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

    def direct_dead_letters(self) -> None:
        """Direct dead letters to a topic; the second delivery of a record is the last."""
        configs = [("errors.deadletterqueue.group.enable", "true")]
        self.cluster.create_topic(NewTopic(name="dlq.t", configs=configs))
        self.cluster.configs.set_named_overrides(
            GROUP_RESOURCE,
            GROUP,
            {"errors.deadletterqueue.topic.name": "dlq.t", "share.delivery.count.limit": "2"},
        )

    def stored(self) -> ShareGroupOffset:
        stored = leader(self.cluster).summary(self.key)
        assert stored is not None
        return stored

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


RELEASE, REJECT = 2, 3
WRITE = "WriteDeadLetters g t-0 0-4"
WRITTEN = [(("dlq.t", 0), 0, 4, False)]


def test_rejected_records_are_archived_after_they_are_dead_letters() -> None:
    led = Led()
    led.direct_dead_letters()
    share = led.acquire()
    led.acknowledge(REJECT)
    assert share.as_text() == ["window 0 to 4, 0 done", "0-4 ARCHIVING 1"]
    assert led.stored().state_batches == (StateBatch(0, 4, 3, 1),)
    with pytest.raises(ApiError) as caught:
        led.acknowledge()
    assert caught.value.code is ErrorCode.INVALID_RECORD_STATE
    assert not share.can_acquire_records or share.next_fetch_offset() == 5
    assert led.cluster.run_pending(0) == [WRITE]
    assert led.writer.written == WRITTEN
    assert led.stored().state_batches == (StateBatch(0, 4, 4, 1),)
    assert led.stored().delivery_complete_count == 5
    assert share.as_text() == ["window 5 to 5, 0 done"]
    assert led.answered[-1] == led.key


def test_records_that_are_rejected_or_released_too_often_have_different_causes() -> None:
    led = Led()
    led.direct_dead_letters()
    share = led.acquire()
    led.acknowledge(RELEASE)
    take(share, (0, 4), member=MEMBER)
    batches = [
        AcknowledgementBatch(0, 0, [REJECT]),
        AcknowledgementBatch(1, 1, [1]),
        AcknowledgementBatch(2, 4, [RELEASE]),
    ]
    led.manager.acknowledge(led.key, MEMBER, batches, 0)
    assert [each.split(" by")[0] for each in share.as_text()[1:]] == [
        "0-0 ARCHIVING 2",
        "1-1 ACKNOWLEDGED 2",
        *(f"{offset}-{offset} ARCHIVING 2" for offset in (2, 3, 4)),
    ]
    led.cluster.run_pending(0)
    assert [each[1] for each in led.writer.written] == [0, 2, 3, 4]
    assert [str(each) for each in led.writer.causes] == [
        "Offset rejected by client.",
        *["Offset delivery count exceeded the threshold."] * 3,
    ]


def test_records_whose_locks_expire_too_often_are_dead_letters_even_if_that_is_not_stored() -> None:
    led = Led()
    led.direct_dead_letters()
    share = led.acquire()
    led.cluster.advance_to(30_000)
    take(share, (0, 4), member=MEMBER, now_ms=30_000)
    led.manager.locks_changed(led.key)
    leader_id, led.state_partition.leader_id = led.state_partition.leader_id, NO_LEADER
    led.cluster.advance_to(60_000)
    assert share.as_text()[1] == "0-4 ARCHIVING 2"
    led.state_partition.leader_id = leader_id
    assert led.cluster.run_pending(60_000) == [WRITE]
    assert led.stored().state_batches == (StateBatch(0, 4, 4, 2),)


def test_a_rejection_that_cannot_be_stored_makes_no_dead_letters() -> None:
    led = Led()
    led.direct_dead_letters()
    share = led.acquire()
    before = share.as_text()
    led.state_partition.leader_id = NO_LEADER
    with pytest.raises(ApiError):
        led.acknowledge(REJECT)
    assert share.as_text() == before
    assert led.cluster.run_pending(0) == []


def test_a_session_that_ends_after_the_last_delivery_makes_dead_letters() -> None:
    led = Led()
    led.direct_dead_letters()
    share = led.acquire()
    led.acknowledge(RELEASE)
    take(share, (0, 4), member=MEMBER)
    partitions = [(led.key.topic_id, 0)]
    member = MemberKey(GROUP, MEMBER)
    led.manager.sessions.fetch(member, 0, partitions, connection_id=1, sessions_max=1)
    led.manager.connection_closed(1, 0)
    assert led.manager.known(led.key) is None, "the group is forgotten"
    assert led.cluster.run_pending(0) == [WRITE]
    assert led.writer.written == WRITTEN
    assert led.stored().state_batches == (StateBatch(0, 4, 4, 2),)


def test_a_new_leader_writes_the_dead_letters_that_a_former_one_left() -> None:
    led = Led()
    led.direct_dead_letters()
    led.acquire()
    led.acknowledge(REJECT)
    led.manager.dead_letters.stop()
    led.cluster.run_pending(0)
    assert led.writer.written == []
    manager = SharePartitionManager(1, led.cluster, RECORD_READER, led.writer)
    opened = manager.open(led.key, led.partition)
    led.cluster.run_pending(0)
    assert led.writer.written == WRITTEN
    assert opened.share is not None
    assert opened.share.start_offset == 5


def test_a_fenced_leader_archives_nothing() -> None:
    led = Led()
    led.direct_dead_letters()
    led.acquire()
    led.acknowledge(REJECT)
    leader(led.cluster).read(led.key, 9, 0)
    led.partition.leader_id = 2
    assert led.manager.known(led.key) is None
    led.cluster.run_pending(0)
    assert led.writer.written == WRITTEN
    assert led.stored().state_batches == (StateBatch(0, 4, 3, 1),)


def test_an_older_share_version_has_no_dead_letters() -> None:
    led = Led()
    led.direct_dead_letters()
    led.cluster.finalize_feature("share.version", 1)
    share = led.acquire()
    led.acknowledge(REJECT)
    assert share.as_text() == ["window 5 to 5, 0 done"]
    assert led.cluster.run_pending(0) == []
