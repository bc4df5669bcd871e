"""DescribeLogDirs: the log directories of a broker, with partition sizes (KIP-113, KIP-827)."""

from collections.abc import Iterable

from mockbroker.broker.call import Call
from mockbroker.protocol.messages.describe_log_dirs import (
    DescribeLogDirsPartition,
    DescribeLogDirsRequest,
    DescribeLogDirsResponse,
    DescribeLogDirsResult,
    DescribeLogDirsTopic,
)
from mockbroker.protocol.types import TopicPartition
from mockbroker.state.topic.topic import Partition


def describe_log_dirs(request: DescribeLogDirsRequest, call: Call) -> DescribeLogDirsResponse:
    """Describe each directory; its space is the memory limit shared by all brokers."""
    cluster = call.cluster
    wanted = _wanted(request, call)
    budget = cluster.budget
    results = [
        DescribeLogDirsResult(
            log_dir=path,
            topics=_topics(call, partitions, wanted),
            total_bytes=budget.limit_bytes,
            usable_bytes=budget.limit_bytes - budget.used_bytes,
            is_cordoned=cluster.log_dirs.is_cordoned(call.broker_id, path),
        )
        for path, partitions in cluster.log_dirs.content(call.broker_id).items()
    ]
    return DescribeLogDirsResponse(results=results)


def _wanted(request: DescribeLogDirsRequest, call: Call) -> frozenset[TopicPartition] | None:
    if request.topics is None:
        return None
    return frozenset(
        TopicPartition(topic.topic, index)
        for topic in call.paced(request.topics)
        for index in topic.partitions
    )


def _topics(
    call: Call, partitions: Iterable[Partition], wanted: frozenset[TopicPartition] | None
) -> list[DescribeLogDirsTopic]:
    by_name: dict[str, DescribeLogDirsTopic] = {}
    lists_unwanted = call.cluster.options.cluster_admin.log_dirs_list_unwanted_topics
    for partition in call.paced(partitions):
        name, index = partition.topic_partition
        is_wanted = wanted is None or partition.topic_partition in wanted
        if not (is_wanted or lists_unwanted):
            continue
        topic = by_name.setdefault(name, DescribeLogDirsTopic(name=name))
        if is_wanted:
            log = partition.log_at(call.broker_id)
            size_bytes = 0 if log is None else log.size_bytes
            topic.partitions.append(
                DescribeLogDirsPartition(partition_index=index, partition_size=size_bytes)
            )
    return list(by_name.values())
