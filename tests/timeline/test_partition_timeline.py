"""Timeline of a partition, from the state of a cluster that real clients and a wire client fill."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from datetime import timedelta
from xml.etree import ElementTree as ET

import pytest

from mockbroker import Cluster
from mockbroker.audit.finding import Finding, Severity
from mockbroker.protocol.records.batch import build_batch, parse_batch_header, stamp
from mockbroker.protocol.records.record import Record
from mockbroker.protocol.types import BatchHeader
from mockbroker.state.cluster_state import ClusterState
from mockbroker.state.log.partition_log import PartitionLog
from mockbroker.timeline import partition_timeline as timelines
from mockbroker.timeline.partition_timeline import (
    LANES_MAX,
    OVERVIEW,
    OffsetView,
    partition_timeline,
)
from mockbroker.timeline.timeline import Beyond, CellKind, Timeline
from mockbroker.timeline.timeline_svg import timeline_svg
from mockbroker.wire import WireProducer
from tests.support.in_process import NOW_MS, Brokers

K = CellKind
COMMITTED, OPEN, ABORTED = K.COMMITTED, K.OPEN, K.ABORTED


def shown(
    cluster: Cluster, view: OffsetView = OVERVIEW, findings: Sequence[Finding] = ()
) -> Timeline:
    """Lay out partition 0 of the topic `orders`."""

    def look(state: ClusterState, _now_ms: int) -> Timeline:
        partition = state.partition("orders", 0)
        assert partition is not None
        return partition_timeline(state, partition, view, findings=findings)

    return cluster.look(look)


def cells(timeline: Timeline) -> list[tuple[str, CellKind, str, str]]:
    return [
        (timeline.lanes[cell.lane].name, cell.kind, cell.first, cell.second)
        for cell in timeline.cells
    ]


Connect = Callable[..., WireProducer]


@pytest.fixture
def connect() -> Iterator[Connect]:
    """Return a function that connects a producer, which is closed after the test."""
    with ExitStack() as stack:

        def connected(cluster: Cluster, name: str | None = None) -> WireProducer:
            return stack.enter_context(WireProducer(cluster.bootstrap_servers, name))

        yield connected


def test_transactions_of_a_real_client_are_drawn_with_their_outcomes() -> None:
    confluent_kafka = pytest.importorskip("confluent_kafka")
    with Cluster(topics={"orders": 1}) as cluster:
        config = {"bootstrap.servers": cluster.bootstrap_servers, "linger.ms": 0}
        producer = confluent_kafka.Producer({**config, "transactional.id": "payments"})
        producer.init_transactions()
        for end in (producer.commit_transaction, producer.abort_transaction):
            producer.begin_transaction()
            producer.produce("orders", b"paid")
            producer.flush()
            end()
        producer.begin_transaction()
        producer.produce("orders", b"paid")
        producer.flush()
        timeline = shown(cluster)
    assert timeline.lanes[0].detail == "payments"
    kinds = [kind for _, kind, _, _ in cells(timeline)]
    assert kinds == [COMMITTED, K.COMMIT, ABORTED, K.ABORT, OPEN]
    assert [column.title for column in timeline.columns] == ["0", "1", "2", "3", "4"]
    assert [(line.names, line.offset) for line in timeline.lines] == [
        (("log start",), 0),
        (("last stable offset",), 4),
        (("high watermark", "log end"), 5),
    ]
    (note,) = timeline.notes
    assert note.startswith("open from offset 4 on: producer ")
    assert note.endswith("'payments' (Ongoing)")


def test_batches_are_in_the_lane_of_their_producer_with_sequences(connect: Connect) -> None:
    with Cluster(topics={"orders": 1}) as cluster:
        producer = connect(cluster)
        producer.produce("orders", b"a", b"b", base_sequence=-1)
        producer.init_producer_id()
        producer.produce("orders", b"a", b"b", b"c", base_sequence=0)
        timeline = shown(cluster)
        name = f"producer {producer.producer_id}"
    assert cells(timeline) == [
        ("no producer id", K.BATCH, "2 records", ""),
        (name, K.BATCH, "seq 0–2", "epoch 0"),
    ]
    assert [column.title for column in timeline.columns] == ["0–1", "2–4"]
    assert (timeline.cells[1].first_offset, timeline.cells[1].last_offset) == (2, 4)


def test_a_jump_of_the_clock_is_seen_in_the_two_clocks(connect: Connect) -> None:
    with Cluster(topics={"orders": 1}) as cluster:
        producer = connect(cluster)
        producer.produce("orders", b"a", base_sequence=-1)
        cluster.clock.advance(timedelta(days=7))
        producer.produce("orders", b"a", base_sequence=-1)
        before, after = shown(cluster).columns
    assert before.wall_time_ms is not None
    assert before.cluster_time_ms == before.wall_time_ms
    assert after.wall_time_ms is not None
    assert after.cluster_time_ms is not None
    assert after.cluster_time_ms - after.wall_time_ms == 7 * 86_400_000


def test_a_hanging_transaction_is_named_so(connect: Connect) -> None:
    with Cluster(topics={"orders": 1}, kafka="2.8") as cluster:
        producer = connect(cluster, "payments")
        producer.init_producer_id()
        producer.add_partition("orders")
        producer.produce("orders", b"a", base_sequence=0)
        producer.abort()
        producer.produce("orders", b"late", base_sequence=1)
        timeline = shown(cluster)
    assert cells(timeline)[-1][1:] == (OPEN, "seq 1", "HANGING · epoch 0")
    assert timeline.notes[0].startswith("HANGING from offset 2 on: producer ")


def test_replicas_end_where_they_have_fetched(connect: Connect) -> None:
    config = {"default.replication.factor": "3"}
    with Cluster(brokers=3, topics={"orders": 1}, config=config) as cluster:
        handle = cluster.partition("orders", 0)
        producer = connect(cluster)
        producer.produce("orders", b"a", base_sequence=-1)
        lagging = handle.replicas[1]
        handle.lag(lagging)
        producer.produce("orders", b"b", b"c", base_sequence=-1, acks=1)
        timeline = shown(cluster)
        names = [f"broker {broker}" for broker in handle.replicas]
    bars = {
        timeline.lanes[cell.lane].name: (cell.start, cell.width)
        for cell in timeline.cells
        if cell.kind is K.REPLICA
    }
    assert bars == {names[0]: (0, 2), names[1]: (0, 1), names[2]: (0, 2)}
    roles = {lane.name: lane.detail for lane in timeline.lanes if lane.name in names}
    assert roles[names[0]] == "leader"
    assert roles[names[2]] == "in sync"


def finding_at(first: int, last: int, rule: str = "REPEATED_KEY") -> Finding:
    return Finding(
        rule, Severity.ERROR, "It is twice in the log.", topic="orders", partition=0,
        producer_id=9, first_offset=first, last_offset=last,
    )  # fmt: skip


def test_findings_label_their_batches_and_lost_batches_have_a_lane(connect: Connect) -> None:
    with Cluster(topics={"orders": 1}) as cluster:
        producer = connect(cluster)
        for _ in range(2):
            producer.produce("orders", b"a", base_sequence=-1)
        lost = [finding_at(first, first, "LOST_ACKED") for first in (3, 2, 1)]
        timeline = shown(cluster, findings=[finding_at(1, 1), *lost])
    marked = [cell for cell in timeline.cells if cell.is_evidence]
    assert [(cell.first, cell.second, cell.start) for cell in marked] == [
        ("1 record", "DUPLICATE", 1),
        ("LOST", "1 · 9", 1),
        ("LOST", "2 · 9", 2),
        ("LOST", "3 · 9", 3),
    ]
    assert "It is twice in the log." in marked[0].tip
    assert [column.title for column in timeline.columns] == ["0", "1", "2", "3"]
    assert timeline.columns[1].is_evidence


def test_a_partition_without_a_record_has_a_note() -> None:
    with Cluster(topics={"orders": 1}) as cluster:
        timeline = shown(cluster)
    assert timeline.columns == ()
    assert timeline.notes == ("no record has been written yet",)
    assert ET.fromstring(timeline_svg(timeline)).get("aria-label") == "orders-0"


def test_many_producers_share_the_last_lane(connect: Connect) -> None:
    with Cluster(topics={"orders": 1}) as cluster:
        for _ in range(LANES_MAX + 3):
            producer = connect(cluster)
            producer.init_producer_id()
            producer.produce("orders", b"a", base_sequence=0)
        timeline = shown(cluster)
    assert len(timeline.lanes) == LANES_MAX
    assert timeline.lanes[-1].name == "4 more producers"
    assert [cell.lane for cell in timeline.cells][-4:] == [LANES_MAX - 1] * 4


# Long logs.

BATCHES = 100_000


@pytest.fixture(scope="module")
def long_log() -> Brokers:
    """Return a cluster whose partition has very many batches of one record."""
    brokers = Brokers(topics={"orders": 1})
    log = brokers.state.log_of(brokers.partition("orders"), NOW_MS)
    data = bytearray(build_batch([Record(value=b"x", timestamp=NOW_MS)]))
    header = parse_batch_header(data)
    for offset in range(BATCHES):
        copy = bytearray(data)
        stamp(copy, 0, offset, 0)
        log.append_checked(header, copy, 0, NOW_MS, 0)
    return brokers


VIEWS = [OVERVIEW, OffsetView(0, BATCHES), OffsetView(40_000, 40_030), OffsetView(None, 9, 5)]


@pytest.mark.slow
@pytest.mark.parametrize("view", VIEWS)
def test_a_view_of_a_long_log_has_few_elements_and_parses_few_batches(
    long_log: Brokers, view: OffsetView, monkeypatch: pytest.MonkeyPatch
) -> None:
    parsed: list[object] = []

    def parsing(data: bytes) -> BatchHeader:
        parsed.append(data)
        return parse_batch_header(data)

    monkeypatch.setattr(timelines, "parse_batch_header", parsing)
    timeline = partition_timeline(long_log.state, long_log.partition("orders"), view)
    assert len(parsed) <= view.columns_max
    assert 0 < len(timeline.columns) <= view.columns_max
    drawing = timeline_svg(timeline)
    assert sum(1 for _ in ET.fromstring(drawing).iter()) < 12 * view.columns_max + 60
    assert len(drawing) < 60_000


@pytest.mark.slow
def test_a_view_counts_what_is_beyond_it(long_log: Brokers) -> None:
    partition = long_log.partition("orders")
    timeline = partition_timeline(long_log.state, partition, OffsetView(40_000, 40_030))
    assert timeline.beyond == Beyond(40_000, BATCHES - 40_030)
    assert [column.title for column in timeline.columns][:2] == ["40000", "40001"]
    whole = partition_timeline(long_log.state, partition, OffsetView(0, BATCHES, 10))
    assert whole.beyond == Beyond()
    assert [cell.first for cell in whole.cells] == ["10,000 batches"] * 10
    assert whole.columns[-1].title == "90000–99999"


@pytest.mark.slow
def test_an_overview_folds_the_middle_of_a_long_log(long_log: Brokers) -> None:
    timeline = partition_timeline(long_log.state, long_log.partition("orders"))
    (folded,) = [cell for cell in timeline.cells if cell.kind is K.FOLDED]
    assert folded.first_offset == 3
    assert folded.last_offset is not None
    assert folded.last_offset > BATCHES - 20


def test_a_look_does_not_open_a_log() -> None:
    brokers = Brokers(topics={"orders": 1})
    partition_timeline(brokers.state, brokers.partition("orders"))
    log: PartitionLog | None = brokers.partition("orders").log
    assert log is None
