"""A truncated log equals its state before the removed records were appended."""

from random import Random
from typing import Final, NamedTuple

import pytest

from mockbroker.broker.internal_records.log_records_codec import LOG_RECORDS
from mockbroker.protocol.records.batch import build_batch, parse_batch_header, stamp
from mockbroker.protocol.records.record import Record
from mockbroker.state.cluster_state import ClusterState
from mockbroker.state.event_reporter import EventReporter
from mockbroker.state.events import LogTruncated
from mockbroker.state.log.log_truncation import batch_boundary, set_high_watermark, truncate_to
from mockbroker.state.log.partition_log import PartitionLog
from mockbroker.state.producer.end_txn_marker import EndTxnMarker
from mockbroker.state.topic.replication_control import NewTopic
from mockbroker.state.topic.topic import Partition
from tests.state.cluster_building import new_cluster

NOW_MS: Final = 1_000
PRODUCERS: Final[tuple[int, ...]] = (7, 8, 9)


class Moment(NamedTuple):
    """A log as it was when it ended at an offset."""

    log_end_offset: int
    text: str
    used_bytes: int


class Writer:
    """A writer to one partition, as clients and a coordinator, with small segments."""

    def __init__(self, release: str = "3.9", seed: int = 0) -> None:
        self.cluster: ClusterState = new_cluster(release)
        wanted = NewTopic(name="orders", num_partitions=1, configs=[("segment.bytes", "300")])
        self.partition: Partition = self.cluster.create_topic(wanted).partitions[0]
        self.log: PartitionLog = self.cluster.log_of(self.partition, NOW_MS)
        self._random = Random(seed)
        self._next_sequence: dict[int, int] = dict.fromkeys(PRODUCERS, 0)
        self._open: set[int] = set()

    def write(
        self, count: int = 1, producer_id: int = -1, *, is_transactional: bool = False
    ) -> None:
        """Append a batch."""
        end = self.log.log_end_offset
        sequence = self._next_sequence.get(producer_id, -1)
        records = [
            Record(offset=end + n, timestamp=NOW_MS + n, key=None, value=b"%d" % n)
            for n in range(count)
        ]
        data = bytearray(
            build_batch(
                records,
                producer_id=producer_id,
                producer_epoch=0 if producer_id >= 0 else -1,
                base_sequence=sequence,
                is_transactional=is_transactional,
            )
        )
        guard = None
        if is_transactional:
            guard = self.log.producers.maybe_start_verification(
                producer_id, sequence, 0, supports_epoch_bump=False, now_ms=NOW_MS
            )
            self._open.add(producer_id)
        stamp(data, 0, end, self.partition.leader_epoch)
        self.log.append(
            parse_batch_header(data, 0),
            data,
            leader_epoch=self.partition.leader_epoch,
            now_ms=NOW_MS,
            verification_guard=guard,
        )
        if producer_id >= 0:
            self._next_sequence[producer_id] += count

    def end(self, producer_id: int, *, is_commit: bool) -> None:
        """Append a marker."""
        marker = EndTxnMarker(producer_id, 0, 0, is_commit)
        self.cluster.append_end_txn_marker(
            self.partition, marker, transaction_version=0, now_ms=NOW_MS
        )
        self._open.discard(producer_id)

    def step(self) -> None:
        """Take a random step of a producer."""
        random = self._random
        producer_id = random.choice(PRODUCERS)
        if producer_id in self._open and random.random() < 0.4:
            self.end(producer_id, is_commit=random.random() < 0.5)
        elif random.random() < 0.2:
            self.write(random.randint(1, 3))
        elif random.random() < 0.15:
            self.log.assign_leader_epoch(self.partition.leader_epoch + 1)
            self.partition.leader_epoch += 1
        else:
            is_transactional = producer_id in self._open or (
                self._next_sequence[producer_id] == 0 or random.random() < 0.5
            )
            self.write(random.randint(1, 3), producer_id, is_transactional=is_transactional)

    def moment(self) -> Moment:
        """Return the current state of the log."""
        lines = self.log.as_text().splitlines()
        text = "\n".join(line for line in lines if " 0 bytes" not in line)  # rolled, but empty
        return Moment(self.log.log_end_offset, text, self.cluster.budget.used_bytes)

    def truncate(self, offset: int) -> int:
        """Truncate the log."""
        return truncate_to(self.log, offset, LOG_RECORDS, now_ms=NOW_MS)


@pytest.mark.parametrize("seed", range(12))
def test_a_truncated_log_equals_its_earlier_state(seed: int) -> None:
    writer = Writer("2.8", seed)  # this release has no verifications
    moments: dict[int, Moment] = {}
    for _ in range(40):
        moment = writer.moment()
        moments.setdefault(moment.log_end_offset, moment)  # no epoch has begun there yet
        writer.step()
    for end in (0, writer.log.log_end_offset):  # where an epoch has begun in any case
        moments.pop(end, None)
    for end, before in sorted(moments.items(), reverse=True):
        assert writer.truncate(end) == end
        assert writer.moment() == before


def test_only_whole_batches_are_removed() -> None:
    writer = Writer()
    writer.write(3)
    writer.write(3)
    assert batch_boundary(writer.log, 4, LOG_RECORDS) == 3
    assert writer.truncate(4) == 3
    assert (writer.log.high_watermark, writer.log.log_end_offset) == (3, 3)
    assert len(writer.log.read(0, max_bytes=10_000, up_to_offset=3).buffers) == 1


def test_truncation_is_limited_to_the_log_start_and_end() -> None:
    writer = Writer()
    for _ in range(4):
        writer.write(2)
    writer.log.delete_records(4)
    assert writer.truncate(8) == 8
    assert writer.truncate(0) == 4
    assert writer.log.offsets == (4, 4, 4)
    writer.write(1)
    assert writer.log.offsets == (4, 5, 5)


def test_a_log_that_starts_inside_a_removed_batch_ends_where_it_starts() -> None:
    writer = Writer()
    writer.write(5)
    writer.log.delete_records(3)
    assert writer.truncate(4) == 3
    assert writer.log.offsets == (3, 3, 3)
    writer.write(1)
    assert writer.log.offsets == (3, 4, 4)
    assert len(writer.log.read(3, max_bytes=10_000, up_to_offset=4).buffers) == 1


def test_a_producer_whose_records_were_deleted_earlier_stays_known() -> None:
    writer = Writer()
    writer.write(2, 7)
    writer.write(2, 8)
    writer.write(2, 9)
    writer.log.delete_records(3)
    writer.truncate(4)
    assert {entry.producer_id: entry.last_sequence for entry in writer.log.producers} == {
        7: 1,
        8: 1,
    }


def test_a_transaction_whose_marker_is_lost_is_open_again() -> None:
    writer = Writer()
    writer.write(2, 7, is_transactional=True)
    writer.end(7, is_commit=False)
    assert writer.log.last_stable_offset == 3
    assert len(writer.log.transaction_index) == 1
    writer.truncate(2)
    assert writer.log.last_stable_offset == 0
    assert len(writer.log.transaction_index) == 0
    writer.end(7, is_commit=True)
    assert writer.log.last_stable_offset == 3


def test_truncation_is_reported_to_the_observer() -> None:
    writer = Writer()
    writer.write(3)
    reported: list[object] = []
    writer.cluster.observation.reporter = EventReporter(reported.append)
    writer.truncate(0)
    assert reported == [LogTruncated("orders", 0, 3, 0)]


def test_a_high_watermark_is_set_back_and_held() -> None:
    writer = Writer()
    writer.write(2)
    writer.write(2)
    set_high_watermark(writer.log, 2)
    writer.write(2)
    assert writer.log.offsets == (0, 2, 6)
    set_high_watermark(writer.log, 99)
    assert writer.log.high_watermark == 6
