"""From options to ranges: which batches of which partitions, in how many pieces."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any
from uuid import UUID

from mockbroker.spark.batches.batch_headers import BatchRow
from mockbroker.spark.batches.batch_options import BatchOptions, limit_of
from mockbroker.spark.batches.batches_error import KafkaBatchesError
from mockbroker.spark.batches.brokers import EARLIEST, Brokers, Place
from mockbroker.spark.batches.range_reading import BatchRange, read_range

StreamOffset = dict[str, dict[str, Any]]
"""By topic: `topic_id`, and `partitions` with the next offset of each, as JSON has it."""


def batch_rows(bootstrap_servers: str, topics: Sequence[str], **options: str) -> Iterator[BatchRow]:
    """Yield the stored batches of topics as they are now, partition after partition.

    Needs neither Spark nor pyarrow; `options` are those of the data source.

    Raises:
        KafkaBatchesError: they cannot be read; the text says which, and why.

    """
    told = {"kafka.bootstrap.servers": bootstrap_servers, "subscribe": ",".join(topics)}
    plan = BatchOptions.of(told | options)
    with Brokers(plan.bootstrap_servers, patience_s=plan.patience_s) as brokers:
        for each in planned_ranges(brokers, plan):
            for reading in read_range(
                brokers, each, may_lose=plan.may_lose, patience_s=plan.patience_s
            ):
                yield from reading.rows()


def planned_ranges(brokers: Brokers, options: BatchOptions) -> list[BatchRange]:
    """Return what is to be read now, by topic and partition; empty ranges are left out.

    Raises:
        KafkaBatchesError: a topic or a partition does not exist, or an offset is not in its log.

    """
    ranges = [
        BatchRange(place, _start(brokers, place, options), _end(brokers, place, options))
        for place in places_of(brokers, options)
    ]
    for place, start, end in ranges:
        if start > end:
            raise KafkaBatchesError(f"{place} is to be read from offset {start} on, up to {end}")
    return in_pieces([each for each in ranges if each.start < each.end], options.partitions_min)


def places_of(brokers: Brokers, options: BatchOptions) -> list[Place]:
    """Return the partitions that options are about, as they are now.

    Raises:
        KafkaBatchesError: a topic or a partition does not exist.

    """
    return [
        Place(view.name, partition, view.topic_id)
        for view in map(brokers.topic, options.topics)
        for partition in options.partitions(view.name, view.leaders)
    ]


def in_pieces(ranges: Sequence[BatchRange], partitions_min: int) -> list[BatchRange]:
    """Cut ranges into at least so many, the long ones into more; short ones stay as they are."""
    total = sum(each.end - each.start for each in ranges)
    pieces: list[BatchRange] = []
    for place, start, end in ranges:
        share = partitions_min * (end - start) / total if len(ranges) < partitions_min else 1
        count = min(max(1, -int(-share // 1)), end - start)
        bounds = [start + (end - start) * number // count for number in range(count + 1)]
        pieces += [BatchRange(place, low, high) for low, high in pairwise(bounds)]
    return pieces


def start_of_stream(brokers: Brokers, options: BatchOptions) -> StreamOffset:
    """Return where a new stream begins, as its checkpoint keeps it.

    Raises:
        KafkaBatchesError: as `planned_ranges`.

    """
    return _stream_offset(
        (place, _start(brokers, place, options)) for place in places_of(brokers, options)
    )


def end_of_stream(brokers: Brokers, options: BatchOptions) -> StreamOffset:
    """Return up to where a stream can read by now.

    Raises:
        KafkaBatchesError: as `planned_ranges`.

    """
    return _stream_offset(
        (place, _end(brokers, place, options)) for place in places_of(brokers, options)
    )


def not_before(offset: StreamOffset, reached: StreamOffset) -> StreamOffset:
    """Return an offset that is nowhere behind one that was given before.

    The end of reading may step back for a while when a leader changes. Of a topic that was made
    anew nothing is kept.
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
    brokers: Brokers, options: BatchOptions, start: StreamOffset, end: StreamOffset
) -> list[BatchRange]:
    """Return what lies between two offsets of a stream; new partitions are read from the start.

    Raises:
        KafkaBatchesError: a topic was made anew since, or a partition ends before it was read to.

    """
    ranges: list[BatchRange] = []
    for topic, view in end.items():
        before = start.get(topic, {"topic_id": view["topic_id"], "partitions": {}})
        if before["topic_id"] != view["topic_id"]:
            raise KafkaBatchesError(
                f"topic {topic} was deleted, and another one has its name: the checkpoint is about "
                f"{before['topic_id']}, this one is {view['topic_id']}"
            )
        for partition, stop in view["partitions"].items():
            place = Place(topic, int(partition), UUID(view["topic_id"]))
            begin = before["partitions"].get(partition)
            if begin is None:
                begin = brokers.offset(place, EARLIEST)
            if begin > stop:
                raise KafkaBatchesError(
                    f"{place} ends at offset {stop}, and was read up to {begin} already"
                )
            if begin < stop:
                ranges.append(BatchRange(place, begin, stop))
    return in_pieces(ranges, options.partitions_min)


def _start(brokers: Brokers, place: Place, options: BatchOptions) -> int:
    limit = limit_of(options.starting, place.topic, place.partition, "startingOffsets")
    return brokers.offset(place, limit) if limit < 0 else limit


def _end(brokers: Brokers, place: Place, options: BatchOptions) -> int:
    limit = limit_of(options.ending, place.topic, place.partition, "endingOffsets")
    return brokers.offset(place, limit) if limit < 0 else limit


def _stream_offset(offsets: Iterable[tuple[Place, int]]) -> StreamOffset:
    told: StreamOffset = {}
    for place, offset in offsets:
        topic = told.setdefault(place.topic, {"topic_id": str(place.topic_id), "partitions": {}})
        topic["partitions"][str(place.partition)] = offset
    return told
