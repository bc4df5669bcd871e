"""DescribeLogDirs: partition sizes and free space of a broker."""

from mockbroker.protocol.messages.describe_log_dirs import (
    DescribableLogDirTopic,
    DescribeLogDirsRequest,
    DescribeLogDirsResponse,
    DescribeLogDirsResult,
)
from mockbroker.protocol.messages.produce import ProduceResponse
from tests.support.in_process import Brokers
from tests.support.requests import batch_of, produce

ALL = DescribeLogDirsRequest(topics=None)


def described(
    brokers: Brokers, request: DescribeLogDirsRequest = ALL, *, broker_id: int = 1, version: int = 5
) -> list[DescribeLogDirsResult]:
    answer = brokers.ask(request, version, DescribeLogDirsResponse, broker_id=broker_id)
    return answer.results


def sizes(result: DescribeLogDirsResult) -> dict[str, int]:
    return {
        f"{topic.name}-{partition.partition_index}": partition.partition_size
        for topic in result.topics
        for partition in topic.partitions
    }


def test_a_broker_reports_the_sizes_of_its_partitions() -> None:
    brokers = Brokers(topics={"a": 2, "b": 1})
    data = batch_of(b"x" * 50)
    brokers.ask(produce("a", 1, data), 9, ProduceResponse)
    size_bytes = len(data)
    (result,) = described(brokers)
    assert sizes(result) == {"a-0": 0, "a-1": size_bytes, "b-0": 0}
    budget = brokers.state.budget
    assert result.total_bytes == budget.limit_bytes
    assert result.total_bytes - result.usable_bytes == budget.used_bytes > size_bytes


def test_a_broker_reports_its_own_replicas_only() -> None:
    brokers = Brokers(brokers=2, topics={"a": 4})
    assert [len(sizes(described(brokers, broker_id=broker_id)[0])) for broker_id in (1, 2)] == [
        2,
        2,
    ]


def test_only_requested_partitions_are_listed() -> None:
    brokers = Brokers(topics={"a": 2, "b": 1})
    wanted = [DescribableLogDirTopic(topic="a", partitions=[1, 7])]
    (result,) = described(brokers, DescribeLogDirsRequest(topics=wanted))
    assert sizes(result) == {"a-1": 0}
    (result,) = described(brokers, DescribeLogDirsRequest(topics=[]))
    assert not result.topics


def test_2_8_names_the_other_topics_too() -> None:
    brokers = Brokers(topics={"a": 1, "b": 1}, release="2.8")
    wanted = [DescribableLogDirTopic(topic="a", partitions=[0])]
    (result,) = described(brokers, DescribeLogDirsRequest(topics=wanted), version=2)
    assert [(topic.name, len(topic.partitions)) for topic in result.topics] == [("a", 1), ("b", 0)]


def test_each_directory_is_listed_with_its_cordoned_state() -> None:
    brokers = Brokers(topics={"a": 3}, configs={"log.dirs": "/x,/y", "cordoned.log.dirs": "/y"})
    first, second = described(brokers)
    assert (first.log_dir, first.is_cordoned, list(sizes(first))) == ("/x", False, ["a-0", "a-2"])
    assert (second.log_dir, second.is_cordoned, list(sizes(second))) == ("/y", True, ["a-1"])
