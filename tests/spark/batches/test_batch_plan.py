"""Planned ranges, their pieces, and the offsets of streams."""

from itertools import pairwise
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mockbroker import Cluster
from mockbroker.protocol.types import NO_SEQUENCE
from mockbroker.spark import batch_rows
from mockbroker.spark.batches.batch_options import BatchOptions
from mockbroker.spark.batches.batch_plan import (
    end_of_stream,
    in_pieces,
    not_before,
    planned_ranges,
    start_of_stream,
    stream_ranges,
)
from mockbroker.spark.batches.range_reading import BatchRange
from mockbroker.spark.format_errors import KafkaBatchesError, cluster_of
from mockbroker.wire import WireProducer
from mockbroker.wire.cluster import TopicIdPartition
from tests.support.written_topics import write, write_transaction


def options_for(cluster: Cluster, **changes: str) -> BatchOptions:
    where = {"kafka.bootstrap.servers": cluster.bootstrap_servers, "subscribe": "orders"}
    return BatchOptions.of(where | changes)


def ranges_of(cluster: Cluster, **changes: str) -> list[tuple[str, int, int]]:
    options = options_for(cluster, **changes)
    with cluster_of(options, KafkaBatchesError) as asked:
        planned = planned_ranges(asked, options)
        return [(str(each.partition), each.start, each.end) for each in planned]


def test_rows_are_those_of_the_journal() -> None:
    with Cluster(brokers=2, topics={"orders": 2, "others": 1}, journal=True) as cluster:
        write(cluster, "orders", 3, 2, index=1)
        write_transaction(cluster, "orders", 2, is_commit=True)
        write(cluster, "others", 1)
        names = ["topic", "partition", "base_offset", "last_offset", "producer_id"]
        names += ["producer_epoch", "leader_epoch", "marker", "coordinator_epoch"]
        written = [
            tuple(getattr(entry, name) for name in names)
            for entry in cluster.journal.find(kind=("append", "marker"), topic="o*")
        ]
        read = list(batch_rows(cluster.bootstrap_servers, ["orders", "others"]))
    assert len(written) == 5
    rows = [tuple(getattr(row, name) for name in names) for row in read]
    assert rows == sorted(written, key=lambda row: row[:3])
    assert {row.high_watermark for row in read if row.topic == "others"} == {1}


@pytest.mark.parametrize("kept_as", ["0.9.0", "0.10.2", "2.4"])
def test_logs_of_older_formats_are_read(kept_as: str) -> None:
    config = {"log.message.format.version": kept_as}
    with (
        Cluster(kafka="2.4", topics={"orders": 1}, config=config) as cluster,
        WireProducer(cluster.bootstrap_servers) as producer,
    ):
        assert not producer.produce("orders", b"a", b"b", base_sequence=NO_SEQUENCE).error
        rows = batch_rows(cluster.bootstrap_servers, ["orders"])
        spans = [(row.base_offset, row.last_offset, row.producer_id) for row in rows]
    assert spans == ([(0, 1, -1)] if kept_as == "2.4" else [(0, 0, -1), (1, 1, -1)])


def test_ranges_are_from_the_start_of_each_log_to_its_high_watermark() -> None:
    with Cluster(topics={"orders": 3}) as cluster:
        write(cluster, "orders", 3, 2)
        write(cluster, "orders", 4, index=2)
        cluster.partition("orders", 0).delete_records(3)
        assert ranges_of(cluster) == [("orders-0", 3, 5), ("orders-2", 0, 4)]
        assert ranges_of(cluster, startingOffsets="latest") == []
        limits = '{"orders": {"0": 4, "1": -2, "2": 1}}'
        assert ranges_of(cluster, startingOffsets=limits) == [
            ("orders-0", 4, 5),
            ("orders-2", 1, 4),
        ]
        with pytest.raises(KafkaBatchesError, match="orders-0 is to be read from offset 4 on, up"):
            ranges_of(
                cluster, startingOffsets=limits, endingOffsets='{"orders":{"0":3,"1":0,"2":-1}}'
            )


@given(lengths=st.lists(st.integers(1, 1_000), min_size=1, max_size=5), wanted=st.integers(0, 12))
def test_pieces_adjoin_and_are_enough(lengths: list[int], wanted: int) -> None:
    ranges = [
        BatchRange(TopicIdPartition("t", n), 5, 5 + length) for n, length in enumerate(lengths)
    ]
    pieces = in_pieces(ranges, wanted)
    assert all(each.start < each.end for each in pieces)
    for whole in ranges:
        parts = [each for each in pieces if each.partition == whole.partition]
        assert (parts[0].start, parts[-1].end) == (whole.start, whole.end)
        assert all(a.end == b.start for a, b in pairwise(parts))
    assert len(pieces) >= min(wanted, sum(lengths))


def test_a_stream_continues_where_it_ended() -> None:
    with Cluster(topics={"orders": 2}) as cluster:
        options = options_for(cluster)
        write(cluster, "orders", 3)
        with cluster_of(options, KafkaBatchesError) as asked:
            start, end = start_of_stream(asked, options), end_of_stream(asked, options)
            assert [each[1:] for each in stream_ranges(asked, options, start, end)] == [(0, 3)]
            assert stream_ranges(asked, options, end, end) == []
            write(cluster, "orders", 2, index=1)
            later = end_of_stream(asked, options)
            (added,) = stream_ranges(asked, options, end, later)
            assert (str(added.partition), added.start, added.end) == ("orders-1", 0, 2)


def test_a_partition_that_is_new_is_read_from_its_start() -> None:
    with Cluster(topics={"orders": 2}) as cluster:
        options = options_for(cluster)
        write(cluster, "orders", 2, index=1)
        with cluster_of(options, KafkaBatchesError) as asked:
            end = end_of_stream(asked, options)
            before = {"orders": end["orders"] | {"partitions": {"0": 0}}}
            (added,) = stream_ranges(asked, options, before, end)
            assert (str(added.partition), added.start, added.end) == ("orders-1", 0, 2)


def test_a_checkpoint_of_another_topic_of_the_name_is_refused() -> None:
    with Cluster(topics={"orders": 1}) as cluster:
        options = options_for(cluster)
        write(cluster, "orders", 2)
        with cluster_of(options, KafkaBatchesError) as asked:
            before = end_of_stream(asked, options)
            cluster.recreate_topic("orders")
            write(cluster, "orders", 3)
            after = end_of_stream(asked, options)
            with pytest.raises(KafkaBatchesError, match="orders was deleted and created again"):
                stream_ranges(asked, options, before, after)


def test_a_log_that_ends_before_the_checkpoint_is_refused() -> None:
    with Cluster(topics={"orders": 1}) as cluster:
        options = options_for(cluster)
        write(cluster, "orders", 2, 3)
        with cluster_of(options, KafkaBatchesError) as asked:
            before = end_of_stream(asked, options)
            cluster.partition("orders", 0).lose_tail(3)
            after = end_of_stream(asked, options)
            with pytest.raises(
                KafkaBatchesError, match="orders-0 ends at offset 2, but was already read"
            ):
                stream_ranges(asked, options, before, after)


def test_an_end_offset_that_temporarily_steps_back_is_ignored() -> None:
    topic_id, other = str(UUID(int=1)), str(UUID(int=2))
    reached = {"orders": {"topic_id": topic_id, "partitions": {"0": 9, "1": 4}}}
    now = {"orders": {"topic_id": topic_id, "partitions": {"0": 7, "1": 5, "2": 1}}}
    assert not_before(now, reached)["orders"]["partitions"] == {"0": 9, "1": 5, "2": 1}
    anew = {"orders": {"topic_id": other, "partitions": {"0": 7}}}
    assert not_before(anew, reached) == anew
