"""DescribeLogDirs and AlterReplicaLogDirs: placement of replicas, and moves."""

from collections.abc import Sequence

from mockbroker.protocol.api_keys import ApiKey
from mockbroker.protocol.messages.alter_replica_log_dirs import (
    AlterReplicaLogDir,
    AlterReplicaLogDirsRequest,
    AlterReplicaLogDirTopic,
)
from mockbroker.protocol.messages.describe_log_dirs import (
    DescribableLogDirTopic,
    DescribeLogDirsRequest,
    DescribeLogDirsResponse,
    DescribeLogDirsResult,
)
from mockbroker.protocol.schema.message import Message
from tests.conformance.batches import plain
from tests.conformance.releases import defaults_since
from tests.conformance.requests import produce
from tests.conformance.scenarios.configs import BROKER, Change, increment
from tests.conformance.script import scenario
from tests.conformance.talk import Talk

SINCE_1_0 = defaults_since("1.0")
TWO_DIRECTORIES = {"log.dirs": "first,second"}


def log_dirs(*topics: tuple[str, Sequence[int]]) -> DescribeLogDirsRequest:
    """Request the log directories of partitions, each a (topic, partitions)."""
    return DescribeLogDirsRequest(
        topics=[DescribableLogDirTopic(topic=name, partitions=list(ps)) for name, ps in topics]
    )


ALL = DescribeLogDirsRequest(topics=None)


def move(path: str, *topics: tuple[str, Sequence[int]]) -> AlterReplicaLogDirsRequest:
    """Move partitions into a directory."""
    listed = [AlterReplicaLogDirTopic(name=name, partitions=list(ps)) for name, ps in topics]
    return AlterReplicaLogDirsRequest(dirs=[AlterReplicaLogDir(path=path, topics=listed)])


def results(talk: Talk, request: DescribeLogDirsRequest = ALL) -> list[DescribeLogDirsResult]:
    """Describe the first broker's directories without recording a step."""
    answer = talk.quietly(request, talk.latest(ApiKey.DESCRIBE_LOG_DIRS))
    return talk.expect(DescribeLogDirsResponse, answer).results


def learn_directories(talk: Talk, brokers: Sequence[int] = (1,)) -> list[str]:
    """Learn the directories of brokers with one each; those of mockbroker may share a name."""
    version = talk.latest(ApiKey.DESCRIBE_LOG_DIRS)
    paths: list[str] = []
    for broker in brokers:
        answer = talk.expect(DescribeLogDirsResponse, talk.quietly(ALL, version, broker=broker))
        paths.append(answer.results[0].log_dir)
    for path in paths:
        talk.names.learn_text(path, "<directory>")
    return paths


def write(talk: Talk, topic: str, partition: int, *values: bytes, broker: int = 1) -> None:
    """Append a batch."""
    data = plain(*values, at_ms=talk.at(0))
    version = talk.latest(ApiKey.PRODUCE)
    talk.ask("write", produce(talk, (topic, partition, data)), version, broker=broker)


@scenario(alone=True, presets=SINCE_1_0)
def describe_log_dirs(talk: Talk) -> None:
    learn_directories(talk)
    versions = talk.versions(ApiKey.DESCRIBE_LOG_DIRS)
    for version in versions:
        talk.ask(f"nothing yet, v{version}", ALL, version)
    talk.topic("t", partitions=3)
    talk.topic("u")
    write(talk, "t", 0, b"a")
    write(talk, "t", 0, b"b" * 100, b"c")
    write(talk, "t", 2, b"d")
    for version in versions:
        for title, request in [
            ("all", ALL),
            ("none", log_dirs()),
            ("one topic", log_dirs(("t", [0, 1, 2]))),
            ("one partition", log_dirs(("t", [1]))),
            ("no partition", log_dirs(("t", []))),
            ("unknown partitions", log_dirs(("t", [2, 3, -1]))),
            ("unknown topic", log_dirs(("missing", [0]))),
            ("bad name", log_dirs(("bad name", [0]))),
            ("unknown and known", log_dirs(("missing", [0]), ("u", [0]))),
            ("a topic twice", log_dirs(("t", [0]), ("t", [1, 1]))),
        ]:
            talk.ask(f"{title}, v{version}", request, version)


@scenario(brokers=3, presets=SINCE_1_0)
def describe_log_dirs_of_three_brokers(talk: Talk) -> None:
    learn_directories(talk, (1, 2, 3))
    talk.topic("t", assignments=[[1, 2], [2, 3], [3, 2]])
    write(talk, "t", 1, b"a" * 50, broker=2)
    newest = talk.latest(ApiKey.DESCRIBE_LOG_DIRS)

    def has_copy(answer: Message) -> bool:
        assert isinstance(answer, DescribeLogDirsResponse)
        partitions = [each for topic in answer.results[0].topics for each in topic.partitions]
        return any(each.partition_size for each in partitions)

    request = log_dirs(("t", [0, 1, 2]))
    for broker in (2, 3):
        talk.until("it holds the record", request, newest, has_copy, broker=broker)
    for broker in (1, 2, 3):
        talk.ask("all of the topic", request, newest, broker=broker)


@scenario(alone=True, presets=SINCE_1_0)
def alter_replica_log_dirs(talk: Talk) -> None:
    (path,) = learn_directories(talk)
    talk.topic("t", partitions=2)
    for version in talk.versions(ApiKey.ALTER_REPLICA_LOG_DIRS):
        for title, request in [
            ("none", AlterReplicaLogDirsRequest(dirs=[])),
            ("no topic", move(path)),
            ("no partition", move(path, ("t", []))),
            ("where it is", move(path, ("t", [0, 1]))),
            ("unknown directory", move("/nowhere", ("t", [0]))),
            ("relative directory", move("here", ("t", [0]))),
            ("no directory", move("", ("t", [0]))),
            ("unknown partition", move(path, ("t", [1, 2, -1]))),
            ("unknown topic", move(path, ("missing", [0]))),
            ("unknown topic, unknown directory", move("/nowhere", ("missing", [0]))),
            ("twice", move(path, ("t", [0, 0]))),
        ]:
            talk.ask(f"{title}, v{version}", request, version)
    newest = talk.latest(ApiKey.ALTER_REPLICA_LOG_DIRS)
    both = move("/nowhere", ("t", [0, 1]))
    both.dirs += move(path, ("t", [1])).dirs
    talk.ask("one partition to two directories", both, newest)
    talk.ask("described", ALL, talk.latest(ApiKey.DESCRIBE_LOG_DIRS))


@scenario(brokers=3, presets=SINCE_1_0)
def alter_replica_log_dirs_of_others(talk: Talk) -> None:
    path, _, _ = learn_directories(talk, (1, 2, 3))
    talk.topic("t", assignments=[[1, 2], [2, 3], [2, 1]])
    newest = talk.latest(ApiKey.ALTER_REPLICA_LOG_DIRS)
    talk.ask("all to a directory of one", move(path, ("t", [0, 1, 2])), newest)


@scenario(alone=True, settings=TWO_DIRECTORIES, presets=defaults_since("2.4"))
def move_between_log_dirs(talk: Talk) -> None:
    for path in (each.log_dir for each in results(talk)):
        folder = "first" if path.endswith("first") else "second"
        talk.names.learn_text(path, f"<{folder} directory>")
    describe, alter = (
        talk.latest(key) for key in (ApiKey.DESCRIBE_LOG_DIRS, ApiKey.ALTER_REPLICA_LOG_DIRS)
    )
    paths = sorted(each.log_dir for each in results(talk))
    talk.ask("nothing yet", ALL, describe)
    # Before there is such a partition, its place may be chosen.
    talk.ask("chosen before", move(paths[1], ("t", [0])), alter)
    talk.topic("t")
    write(talk, "t", 0, b"a")
    talk.ask("where it was chosen to be", ALL, describe)

    def is_only_in(path: str) -> bool:
        found = results(talk)
        here = [each for each in found if each.topics]
        return [each.log_dir for each in here] == [path] and not any(
            partition.is_future_key
            for each in here
            for topic in each.topics
            for partition in topic.partitions
        )

    for path in paths:
        talk.ask("moved", move(path, ("t", [0])), alter)
        while not is_only_in(path):
            talk.wait_a_moment()
        talk.ask("described", ALL, describe)
        write(talk, "t", 0, b"b")
    talk.ask("described at last", ALL, describe)


@scenario(alone=True, presets=("4.4",))
def cordoned_log_dirs(talk: Talk) -> None:
    (path,) = learn_directories(talk)
    talk.topic("t")
    configs = talk.latest(ApiKey.INCREMENTAL_ALTER_CONFIGS)
    newest = talk.latest(ApiKey.DESCRIBE_LOG_DIRS)

    def is_cordoned(answer: Message) -> bool:
        assert isinstance(answer, DescribeLogDirsResponse)
        return answer.results[0].is_cordoned

    for value in ("*", path):
        request = increment(BROKER, "1", Change("cordoned.log.dirs", value))
        talk.ask("cordon", request, configs)
        talk.until("it is", log_dirs(("t", [0])), newest, is_cordoned)
        for version in talk.versions(ApiKey.DESCRIBE_LOG_DIRS):
            talk.ask(f"described, v{version}", log_dirs(("t", [0])), version)
        talk.ask("moved within", move(path, ("t", [0])), talk.latest(ApiKey.ALTER_REPLICA_LOG_DIRS))
        request = increment(BROKER, "1", Change("cordoned.log.dirs", ""))
        talk.ask("no more", request, configs)
        talk.until(
            "it is not", log_dirs(("t", [0])), newest, lambda answer: not is_cordoned(answer)
        )
