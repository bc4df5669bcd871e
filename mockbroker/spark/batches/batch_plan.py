"""Planning of ranges from options: the batches of partitions to read, in pieces."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any
from uuid import UUID

from mockbroker.spark.batches.batch_headers import BatchRow
from mockbroker.spark.batches.batch_options import BatchOptions, limit_of
from mockbroker.spark.batches.range_reading import BatchRange, read_range
from mockbroker.spark.format_errors import KafkaBatchesError, cluster_of
from mockbroker.wire.cluster import EARLIEST, TopicIdPartition, WireCluster

StreamOffset = dict[str, dict[str, Any]]
"""JSON object by topic: `topic_id`, and `partitions` with the next offset of each."""


def batch_rows(
    bootstrap_servers: str, topics: Sequence[str], *, may_begin_later: bool = False, **options: str
) -> Iterator[BatchRow]:
    """Yield the currently stored batches of topics, partition by partition.

    Needs neither Spark nor pyarrow; `options` are those of the data source.

    Raises:
        KafkaBatchesError: batches cannot be read; the text has the location and the reason.

    """
    required = {"kafka.bootstrap.servers": bootstrap_servers, "subscribe": ",".join(topics)}
    plan = BatchOptions.of(required | options)
    with cluster_of(plan, KafkaBatchesError) as cluster:
        for each in planned_ranges(cluster, plan):
            for reading in read_range(
                cluster, each, may_lose=plan.may_lose, may_begin_later=may_begin_later
            ):
                yield from reading.rows()


def planned_ranges(cluster: WireCluster, options: BatchOptions) -> list[BatchRange]:
    """Return the ranges to read now, by topic and partition; empty ranges are left out.

    Raises:
        KafkaBatchesError: a partition does not exist, or an offset is not in its log.
        WireError: a topic does not exist, or no broker answers.

    """
    ranges = [
        BatchRange(each, _start(cluster, each, options), _end(cluster, each, options))
        for each in partitions_of(cluster, options)
    ]
    for partition, start, end in ranges:
        if start > end:
            why = f"{partition} is to be read from offset {start} on, up to {end}"
            raise KafkaBatchesError(why)
    return in_pieces([each for each in ranges if each.start < each.end], options.partitions_min)


def partitions_of(cluster: WireCluster, options: BatchOptions) -> list[TopicIdPartition]:
    """Return the existing partitions that the options select.

    Raises:
        KafkaBatchesError: a partition does not exist.
        WireError: a topic does not exist, or no broker answers.

    """
    return [
        TopicIdPartition(topic.name, partition, topic.topic_id)
        for topic in map(cluster.topic, options.topics)
        for partition in options.partitions(topic.name, topic.leaders)
    ]


def in_pieces(ranges: Sequence[BatchRange], partitions_min: int) -> list[BatchRange]:
    """Split ranges into at least `partitions_min`; longer ranges get more pieces."""
    total = sum(each.end - each.start for each in ranges)
    pieces: list[BatchRange] = []
    for partition, start, end in ranges:
        share = partitions_min * (end - start) / total if len(ranges) < partitions_min else 1
        count = min(max(1, -int(-share // 1)), end - start)
        bounds = [start + (end - start) * number // count for number in range(count + 1)]
        pieces += [BatchRange(partition, low, high) for low, high in pairwise(bounds)]
    return pieces


def start_of_stream(cluster: WireCluster, options: BatchOptions) -> StreamOffset:
    """Return the start offset of a new stream, in the form of its checkpoint.

    Raises:
        KafkaBatchesError, WireError: as `planned_ranges`.

    """
    return _stream_offset(
        (each, _start(cluster, each, options)) for each in partitions_of(cluster, options)
    )


def end_of_stream(cluster: WireCluster, options: BatchOptions) -> StreamOffset:
    """Return the offset up to which a stream can currently read.

    Raises:
        KafkaBatchesError, WireError: as `planned_ranges`.

    """
    return _stream_offset(
        (each, _end(cluster, each, options)) for each in partitions_of(cluster, options)
    )


def not_before(offset: StreamOffset, reached: StreamOffset) -> StreamOffset:
    """Return an offset that is in no partition before the previously reached one.

    The end of reading may go back for a while after a leader change. For a recreated topic the
    previous offset is dropped.
    """
    kept: StreamOffset = {}
    for topic, view in offset.items():
        before = reached.get(topic, {"topic_id": "", "partitions": {}})
        is_same = before["topic_id"] == view["topic_id"]
        floors: Mapping[str, int] = before["partitions"] if is_same else {}
        partitions = {
            partition: max(end, floors.get(partition, end))
            for partition, end in view["partitions"].items()
        }
        kept[topic] = view | {"partitions": partitions}
    return kept


def stream_ranges(
    cluster: WireCluster, options: BatchOptions, start: StreamOffset, end: StreamOffset
) -> list[BatchRange]:
    """Return the ranges between two offsets of a stream; new partitions are read from the start.

    Raises:
        KafkaBatchesError: a topic was recreated, or a partition ends before its start offset.

    """
    ranges: list[BatchRange] = []
    for topic, view in end.items():
        before = start.get(topic, {"topic_id": view["topic_id"], "partitions": {}})
        if before["topic_id"] != view["topic_id"]:
            raise KafkaBatchesError(
                f"topic {topic} was deleted and created again: the checkpoint has the topic id "
                f"{before['topic_id']}, and the topic now has {view['topic_id']}"
            )
        for index, stop in view["partitions"].items():
            partition = TopicIdPartition(topic, int(index), UUID(view["topic_id"]))
            begin = before["partitions"].get(index)
            if begin is None:
                begin = cluster.offset(partition, EARLIEST)
            if begin > stop:
                raise KafkaBatchesError(
                    f"{partition} ends at offset {stop}, but was already read up to {begin}"
                )
            if begin < stop:
                ranges.append(BatchRange(partition, begin, stop))
    return in_pieces(ranges, options.partitions_min)


def _start(cluster: WireCluster, partition: TopicIdPartition, options: BatchOptions) -> int:
    limit = limit_of(options.starting, partition.topic, partition.partition, "startingOffsets")
    return cluster.offset(partition, limit) if limit < 0 else limit


def _end(cluster: WireCluster, partition: TopicIdPartition, options: BatchOptions) -> int:
    limit = limit_of(options.ending, partition.topic, partition.partition, "endingOffsets")
    return cluster.offset(partition, limit) if limit < 0 else limit


def _stream_offset(offsets: Iterable[tuple[TopicIdPartition, int]]) -> StreamOffset:
    result: StreamOffset = {}
    for (name, partition, topic_id), offset in offsets:
        topic = result.setdefault(name, {"topic_id": str(topic_id), "partitions": {}})
        topic["partitions"][str(partition)] = offset
    return result
