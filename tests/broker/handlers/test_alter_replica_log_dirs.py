"""AlterReplicaLogDirs, partition by partition."""

from mockbroker.protocol.errors import ErrorCode
from mockbroker.protocol.messages.alter_replica_log_dirs import (
    AlterReplicaLogDir,
    AlterReplicaLogDirsRequest,
    AlterReplicaLogDirsResponse,
    AlterReplicaLogDirTopic,
)
from tests.support.in_process import Brokers


def moved(brokers: Brokers, *wanted: tuple[str, str, list[int]]) -> dict[str, ErrorCode]:
    request = AlterReplicaLogDirsRequest(
        dirs=[
            AlterReplicaLogDir(
                path=path, topics=[AlterReplicaLogDirTopic(name=name, partitions=partitions)]
            )
            for path, name, partitions in wanted
        ]
    )
    answer = brokers.ask(request, 2, AlterReplicaLogDirsResponse)
    return {
        f"{topic.topic_name}-{partition.partition_index}": ErrorCode(partition.error_code)
        for topic in answer.results
        for partition in topic.partitions
    }


def test_each_partition_is_moved_or_has_an_error() -> None:
    brokers = Brokers(topics={"a": 2}, configs={"log.dirs": "/x,/y"})
    assert moved(brokers, ("/x", "a", [0, 1]), ("/z", "b", [0])) == {
        "a-0": ErrorCode.NONE,
        "a-1": ErrorCode.NONE,
        "b-0": ErrorCode.LOG_DIR_NOT_FOUND,
    }
    content = brokers.state.log_dirs.content(1)
    assert [len(content[path]) for path in ("/x", "/y")] == [2, 0]


def test_the_last_of_two_directories_counts() -> None:
    brokers = Brokers(topics={"a": 1}, configs={"log.dirs": "/x,/y"})
    assert moved(brokers, ("/nowhere", "a", [0]), ("/y", "a", [0])) == {"a-0": ErrorCode.NONE}
    assert brokers.state.log_dirs.content(1)["/y"] == [brokers.partition("a")]
