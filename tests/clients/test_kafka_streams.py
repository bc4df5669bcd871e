"""Kafka Streams with exactly_once_v2: each word is counted once, even after a kill."""

import struct
from collections import Counter, defaultdict
from collections.abc import Generator, Iterator, Mapping
from concurrent.futures import Future
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import Final, TypeAlias, cast

import pytest
from confluent_kafka import Consumer, KafkaError, Message, Producer, TopicPartition
from confluent_kafka.admin import AdminClient
from confluent_kafka.cimpl import NewTopic

from mockbroker import Cluster
from tests.clients.support.deadline import TIMEOUT_S, wait_until
from tests.clients.support.stored_batches import committed_offset, last_stable_offset
from tests.clients.support.word_count import WordCount

pytestmark = [pytest.mark.java, pytest.mark.slow, pytest.mark.timeout(300)]

PARTITION_COUNT: Final = 2
BEFORE, IN_BETWEEN, AFTER = range(200), range(200, 300), range(300, 400)
"""The lines that are counted before the kill, those it comes amid, and what the second run gets."""

READ_COMMITTED: Final = "read_committed"
READ_UNCOMMITTED: Final = "read_uncommitted"

SECOND_RUNS: Final[Mapping[str, Mapping[str, str]]] = {
    # the same member of the group, which fences what it had left open
    "in place": {"group.instance.id": "counter"},
    # somebody new: the group waits until the first one's session is over, readers until its
    # transaction is
    "elsewhere": {"session.timeout.ms": "6000", "transaction.timeout.ms": "4000"},
}

OFTEN: Final[Mapping[str, str]] = {
    "group.streams.heartbeat.interval.ms": "500",
    "group.streams.min.heartbeat.interval.ms": "500",
    "group.streams.initial.rebalance.delay.ms": "0",
}
"""Broker settings with which members of a streams group soon hear of changes."""

SHORT_SESSIONS: Final[Mapping[str, str]] = {
    **OFTEN,
    "group.streams.session.timeout.ms": "6000",
    "group.streams.min.session.timeout.ms": "6000",
}
"""Broker settings with which a killed member of a streams group is soon removed."""

Counts: TypeAlias = Mapping[str, list[int]]
"""What was said of each word, in order."""


def word_count(bootstrap_servers: str, topic: str) -> WordCount:
    """Return an application whose topics exist."""
    application = WordCount(
        bootstrap_servers=bootstrap_servers,
        application_id=f"count-{topic}",
        input=f"lines-{topic}",
        output=f"counts-{topic}",
    )
    create_topics(bootstrap_servers, application.input, application.output)
    return application


def count_words(*lines: range) -> Counter[str]:
    return Counter(word for numbers in lines for index in numbers for word in words_of(index))


def words_of(index: int) -> list[str]:
    return [f"word-{index % 7}", f"word-{index % 11}", f"word-{index * index % 5}"]


def create_topics(bootstrap_servers: str, *topics: str) -> None:
    admin = AdminClient({"bootstrap.servers": bootstrap_servers})
    new_topics = [NewTopic(topic, num_partitions=PARTITION_COUNT) for topic in topics]
    created = cast("dict[str, Future[None]]", admin.create_topics(new_topics))
    for each in created.values():
        each.result(TIMEOUT_S)


def write(application: WordCount, lines: range) -> None:
    producer = Producer({"bootstrap.servers": application.bootstrap_servers})
    for index in lines:
        line = " ".join(words_of(index)).title()
        producer.produce(application.input, line, partition=index % PARTITION_COUNT)
    assert producer.flush(TIMEOUT_S) == 0


@contextmanager
def messages(
    application: WordCount, topic: str, isolation_level: str
) -> Generator[Iterator[Message | None]]:
    """Give what comes from all partitions of the topic, and None for each end of one."""
    consumer = Consumer(
        {
            "bootstrap.servers": application.bootstrap_servers,
            "group.id": f"reader of {topic}",
            "isolation.level": isolation_level,
            "enable.auto.commit": False,
            "enable.partition.eof": True,
            "fetch.wait.max.ms": 50,
        }
    )
    consumer.assign([TopicPartition(topic, number, 0) for number in range(PARTITION_COUNT)])

    def polled() -> Iterator[Message | None]:
        while True:
            message = consumer.poll(TIMEOUT_S)
            assert message is not None, f"nothing from {topic} in {TIMEOUT_S} s"
            error = message.error()
            assert error is None or error.code() == KafkaError._PARTITION_EOF, error  # noqa: SLF001
            yield message if error is None else None

    yield polled()
    consumer.close()


def wait_for(application: WordCount, topic: str, isolation_level: str, message_count: int) -> None:
    with messages(application, topic, isolation_level) as coming:
        assert len(list(islice(filter(None, coming), message_count))) == message_count


def counts_in(application: WordCount, topic: str, isolation_level: str) -> Counts:
    counts: dict[str, list[int]] = defaultdict(list)
    missing_ends = PARTITION_COUNT
    with messages(application, topic, isolation_level) as coming:
        while missing_ends:
            message = next(coming)
            if message is None:
                missing_ends -= 1
                continue
            word, value = message.key(), message.value()
            assert word is not None
            assert value is not None
            counts[word.decode()] += struct.unpack(">q", value)
    return counts


@pytest.mark.parametrize("second_run", SECOND_RUNS)
def test_words_are_counted_once_after_a_kill_in_the_middle_of_a_transaction(
    bootstrap_servers: str, topic: str, tmp_path: Path, second_run: str
) -> None:
    configs = SECOND_RUNS[second_run]
    count_through_a_kill(
        bootstrap_servers, topic, tmp_path, configs, in_place=second_run == "in place"
    )


def test_words_are_counted_once_by_the_streams_protocol(topic: str, tmp_path: Path) -> None:
    with Cluster(config=SHORT_SESSIONS) as cluster:
        configs = {"group.protocol": "streams", "transaction.timeout.ms": "4000"}
        count_through_a_kill(cluster.bootstrap_servers, topic, tmp_path, configs, in_place=False)


def test_a_static_member_of_a_streams_group_restarts_without_a_rebalance(
    topic: str, tmp_path: Path
) -> None:
    configs = {"group.protocol": "streams", "group.instance.id": "counter"}
    with Cluster(config=OFTEN) as cluster:
        application = word_count(cluster.bootstrap_servers, topic)
        group = cluster.group(application.application_id)
        write(application, BEFORE)
        with application.running(tmp_path / "state", configs):
            wait_for(application, application.output, READ_COMMITTED, len(BEFORE) * 3)
            (first,) = group.members.values()
            epoch = group.group_epoch
        (away,) = group.members.values()
        assert (away.member_id, away.member_epoch) == (first.member_id, -2)

        write(application, AFTER)
        expected = count_words(BEFORE, AFTER)
        with application.running(tmp_path / "state", configs):
            wait_for(application, application.output, READ_COMMITTED, expected.total())
            (second,) = group.members.values()
        assert second.member_id != first.member_id
        assert (second.instance_id, second.assigned) == (first.instance_id, first.assigned)
        assert group.group_epoch == epoch


def test_instances_share_tasks_by_the_streams_protocol_until_one_is_killed(
    topic: str, tmp_path: Path
) -> None:
    configs = {"group.protocol": "streams", "transaction.timeout.ms": "4000"}
    with Cluster(config=SHORT_SESSIONS) as cluster:
        application = word_count(cluster.bootstrap_servers, topic)
        group = cluster.group(application.application_id)

        def is_shared_by(members: int) -> bool:
            """Tell whether all members have equal numbers of the tasks of both subtopologies."""
            try:
                shares = [len(each.assigned) for each in group.members.values()]
            except LookupError:  # no instance has joined yet
                return False
            return shares == [2 * PARTITION_COUNT // members] * members

        write(application, BEFORE)
        with (
            application.running(tmp_path / "one", configs) as one,
            application.running(tmp_path / "two", configs),
        ):
            wait_until(lambda: is_shared_by(2))
            one.kill()
            one.wait(TIMEOUT_S)
            wait_until(lambda: is_shared_by(1))
            write(application, AFTER)
            expected = count_words(BEFORE, AFTER)
            wait_for(application, application.output, READ_COMMITTED, expected.total())
        in_order = {word: list(range(1, count + 1)) for word, count in expected.items()}
        assert counts_in(application, application.output, READ_COMMITTED) == in_order


def count_through_a_kill(
    bootstrap_servers: str,
    topic: str,
    tmp_path: Path,
    configs: Mapping[str, str],
    *,
    in_place: bool,
) -> None:
    application = word_count(bootstrap_servers, topic)
    expected = count_words(BEFORE, IN_BETWEEN, AFTER)
    counted_before = len(BEFORE) * 3
    cut_off_after = counted_before + len(IN_BETWEEN)

    write(application, BEFORE)
    with application.running(tmp_path / "first", configs, still_after=cut_off_after) as process:
        wait_for(application, application.output, READ_COMMITTED, counted_before)
        write(application, IN_BETWEEN)
        for where in (application.output, application.changelog):
            wait_for(application, where, READ_UNCOMMITTED, cut_off_after)
        process.kill()
        process.wait(TIMEOUT_S)
    write(application, AFTER)
    folder = tmp_path / ("first" if in_place else "second")
    with application.running(folder, configs):
        wait_for(application, application.output, READ_COMMITTED, expected.total())

    in_order = {word: list(range(1, count + 1)) for word, count in expected.items()}
    for where in (application.output, application.changelog):
        assert counts_in(application, where, READ_COMMITTED) == in_order, where
        cut_off = counts_in(application, where, READ_UNCOMMITTED)
        assert sum(map(len, cut_off.values())) > expected.total(), where
    for number in range(PARTITION_COUNT):
        partition = application.input, number
        committed = committed_offset(bootstrap_servers, application.application_id, *partition)
        assert committed == last_stable_offset(bootstrap_servers, *partition)
