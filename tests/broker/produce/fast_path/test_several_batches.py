"""Requests with several partitions, and compressed batches, on the fast path."""

import pytest

from mockbroker.broker.produce.fast_path.produce_path import ProducePath
from mockbroker.protocol.messages.produce import PartitionProduceData
from tests.conformance.batches import Item, Producer, batch
from tests.support.fast_path import answers, path_of
from tests.support.in_process import NOW_MS, Brokers, frame_of, sized
from tests.support.requests import batch_of, produce

PLAIN = batch_of()


def several(records: dict[int, bytes], acks: int = -1) -> bytes:
    """Return a request with a batch for each of these partitions."""
    request = produce(acks=acks)
    request.topic_data[0].partition_data = [
        PartitionProduceData(index=index, records=each) for index, each in records.items()
    ]
    return frame_of(request, 9)


def idempotent(sequence: int, codec: int = 0) -> bytes:
    return batch(Item(), at_ms=NOW_MS, codec=codec, producer=Producer(7, 0, sequence))


@pytest.mark.parametrize("acks", [-1, 0])
def test_requests_for_several_partitions_are_answered(acks: int) -> None:
    brokers = Brokers(topics={"orders": 3})
    brokers.connect().feed(sized(several({0: idempotent(0), 1: idempotent(0), 2: idempotent(0)})))
    path = path_of(brokers)
    frames = [several({0: idempotent(n), 2: idempotent(n)}, acks) for n in (1, 1, 2)]
    assert not answers(path, frames[0]), "it is learned"
    assert answers(path, bytearray(frames[1]))
    assert answers(path, frames[2])
    ends = [log.log_end_offset for _, log in sorted(brokers.state.logs.items(), key=repr)]
    assert sorted(ends) == [1, 3, 3]


@pytest.mark.parametrize(
    "records",
    [
        {0: idempotent(1), 1: idempotent(0)},
        {0: idempotent(1), 1: idempotent(2)},
        {0: idempotent(1), 1: idempotent(1)[:-1] + b"?"},
        {0: idempotent(1), 5: idempotent(1)},
        {0: idempotent(1), 2: idempotent(0)},
    ],
    ids=["a retry", "a gap", "a wrong checksum", "an unknown partition", "without a log"],
)
def test_nothing_is_appended_unless_all_batches_can_be(records: dict[int, bytes]) -> None:
    brokers = Brokers(topics={"orders": 3})
    brokers.connect().feed(sized(several({0: idempotent(0), 1: idempotent(0)})))
    path = path_of(brokers)
    assert [answers(path, several(records)) for _ in range(2)] == [False, False]
    assert [log.log_end_offset for log in brokers.state.logs.values()] == [1, 1]
    assert answers(path, several({0: idempotent(1), 1: idempotent(1)}))


@pytest.mark.parametrize("codec", [1, 2, 3, 4])
def test_compressed_batches_are_answered(codec: int) -> None:
    path = path_of(Brokers(topics={"orders": 1}))
    frames = [frame_of(produce(records=idempotent(n, codec)), 9) for n in range(3)]
    assert [answers(path, frame) for frame in frames] == [False, True, True]


def test_zstd_below_v7_is_left_to_the_general_path() -> None:
    path = path_of(Brokers(topics={"orders": 1}))
    frames = [frame_of(produce(records=idempotent(0, codec)), 6) for codec in (3, 4, 3)]
    assert [answers(path, frame) for frame in frames] == [False, False, True]


def test_zstd_from_v7_on_is_answered() -> None:
    path = path_of(Brokers(topics={"orders": 1}))
    frames = [frame_of(produce(records=idempotent(0, codec)), 7) for codec in (3, 4)]
    assert [answers(path, frame) for frame in frames] == [False, True]


def test_batches_that_unpack_to_far_more_are_left_to_the_general_path() -> None:
    path = path_of(Brokers(topics={"orders": 1}))
    zeros = batch(Item(value=bytes(100_000)), at_ms=NOW_MS, codec=1)
    assert len(zeros) < 400
    assert [answers(path, frame_of(produce(records=zeros), 9)) for _ in range(2)] == [False, False]


def learned(brokers: Brokers) -> ProducePath:
    """Return a path with a template, to a topic with two logs that know producer 7."""
    brokers.connect().feed(sized(several({0: idempotent(0), 1: idempotent(0)})))
    path = path_of(brokers)
    assert not answers(path, several({0: idempotent(1), 1: idempotent(1)}))
    return path


def test_delayed_requests_of_each_partition_are_woken() -> None:
    brokers = Brokers(topics={"orders": 2})
    path = learned(brokers)
    woken: list[object] = []
    brokers.service.purgatory.touch = woken.append  # type: ignore[assignment, method-assign]
    brokers.service.purgatory.waiting[brokers.partition("orders")] = {}
    assert answers(path, several({0: idempotent(1), 1: idempotent(1)}))
    assert woken == [brokers.partition("orders", 0), brokers.partition("orders", 1)]


def test_batches_without_a_producer_id_are_answered() -> None:
    brokers = Brokers(topics={"orders": 2})
    assert answers(learned(brokers), several({0: PLAIN, 1: PLAIN}))


def test_bytes_after_the_last_batch_are_left_to_the_general_path() -> None:
    brokers = Brokers(topics={"orders": 2})
    assert not answers(learned(brokers), several({0: idempotent(1), 1: idempotent(1)}) + b"\0")
    assert [log.log_end_offset for log in brokers.state.logs.values()] == [1, 1]


def test_two_batches_for_one_partition_are_left_to_the_general_path() -> None:
    brokers = Brokers(topics={"orders": 2})
    path = learned(brokers)
    request = produce()
    request.topic_data[0].partition_data = [PartitionProduceData(index=0, records=PLAIN)] * 2
    assert not answers(path, frame_of(request, 9))
    assert [log.log_end_offset for log in brokers.state.logs.values()] == [1, 1]


def test_nothing_is_appended_unless_memory_is_left_for_all_batches() -> None:
    brokers = Brokers(topics={"orders": 2})
    path, budget = learned(brokers), brokers.state.budget
    frame = several({0: idempotent(1), 1: idempotent(1)})
    used_bytes = budget.used_bytes
    budget.used_bytes = budget.reclaim_above_bytes - len(frame) - 1
    assert not answers(path, frame)
    budget.used_bytes = used_bytes
    assert answers(path, frame)


def test_a_small_batch_does_not_retain_a_large_receive_buffer() -> None:
    brokers = Brokers(topics={"orders": 2})
    path = learned(brokers)
    large, small = (
        batch(Item(value=bytes(size)), at_ms=NOW_MS, producer=Producer(7, 0, 1))
        for size in (100_000, 5_000)
    )
    assert answers(path, bytearray(several({0: large, 1: small})))
    logs = [brokers.state.log_of(brokers.partition("orders", index), NOW_MS) for index in (0, 1)]
    kept = [log.segments.active.buffers[-1] for log in logs]
    assert [isinstance(each, memoryview) for each in kept] == [True, False]
