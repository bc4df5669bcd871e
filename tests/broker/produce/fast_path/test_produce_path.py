"""The fast path of a Produce: it answers as the general path does, or not at all."""

import sys
from pathlib import Path
from random import Random
from types import FrameType
from typing import Final

import pytest

import mockbroker
from mockbroker.broker.produce.fast_path.produce_path import fast_path_for
from mockbroker.protocol.api_keys import ApiKey
from mockbroker.protocol.messages.create_topics import (
    CreatableTopic,
    CreateTopicsRequest,
    CreateTopicsResponse,
)
from mockbroker.protocol.messages.delete_topics import (
    DeleteTopicsRequest,
    DeleteTopicsResponse,
    DeleteTopicState,
)
from mockbroker.protocol.messages.incremental_alter_configs import (
    AlterableConfig,
    AlterConfigsResource,
    IncrementalAlterConfigsRequest,
    IncrementalAlterConfigsResponse,
)
from mockbroker.protocol.messages.produce import ProduceRequest
from mockbroker.protocol.types import ZERO_UUID, Uuid
from mockbroker.state.replication.leader_election import elect_leader
from tests.conformance.batches import Item, Producer, batch
from tests.support.fast_path import answers, path_of
from tests.support.in_process import (
    CLIENT_ID,
    NOW_MS,
    Brokers,
    Peer,
    frame_of,
    sized,
)
from tests.support.logged import Logged
from tests.support.requests import batch_of, produce
from tests.support.traffic import PARTITIONS, Traffic

SOURCE: Final = Path(mockbroker.__file__).parent
TOPIC_TYPE: Final = 2
SET: Final = 0
CONNECTIONS: Final = 3
ROUNDS: Final = 400
PLAIN_ANSWERS_MIN: Final = 50
DEFAULTS: Final = (
    ("message.timestamp.type", "CreateTime"),
    ("compression.type", "producer"),
    ("cleanup.policy", "delete"),
    ("max.message.bytes", "1048588"),
    ("message.timestamp.after.max.ms", "9223372036854775807"),
)
CONFIGS: Final = (
    ("message.timestamp.type", "LogAppendTime"),
    ("compression.type", "zstd"),
    ("compression.type", "uncompressed"),
    ("cleanup.policy", "compact"),
    ("max.message.bytes", "100"),
    ("message.timestamp.after.max.ms", "0"),
    ("segment.bytes", "1048576"),
    *DEFAULTS * 5,
)


class Twins:
    """Two equal clusters, of which one has no fast path; whatever is done is done to both."""

    def __init__(self, seed: int) -> None:
        topics = {"orders": PARTITIONS, "payments": PARTITIONS}
        self.brokers = 1 + seed % 2
        self.fast = Brokers(brokers=self.brokers, topics=topics)
        self.general = Brokers(brokers=self.brokers, topics=topics, fast=False)
        self.random = Random(seed)
        self.traffic = Traffic(self.random, self.topic_id, NOW_MS)
        self.peers = [self.connect() for _ in range(CONNECTIONS)]
        self.habits = [self.traffic.habit() for _ in range(CONNECTIONS)]

    def topic_id(self, name: str) -> Uuid | None:
        topic = self.fast.state.topics.get(name)
        return None if topic is None else topic.topic_id

    def connect(self) -> tuple[Peer, Peer]:
        broker_id = self.random.randint(1, self.brokers)
        return self.fast.connect(broker_id), self.general.connect(broker_id)

    def produce(self) -> None:
        """Let one connection send a few requests, in one piece or in pieces."""
        number = self.random.randrange(CONNECTIONS)
        if self.random.randrange(25) == 0:
            self.habits[number] = self.traffic.habit()
        count = self.random.choice((1, 1, 2, 8))
        data = b"".join(sized(self.traffic.frame(self.habits[number])) for _ in range(count))
        cut = self.random.randrange(len(data))
        for peer in self.peers[number]:
            peer.feed(data[:cut])
            peer.feed(data[cut:])
        fast, general = self.peers[number]
        assert fast.new_frames() == general.new_frames()
        assert fast.is_hung_up == general.is_hung_up
        if fast.is_hung_up:
            self.peers[number] = self.connect()

    def change(self) -> None:
        """Let time pass, or an admin change something."""
        name = self.random.choice(("orders", "payments"))
        changes = (pass_time, jump, configure, delete, create)
        (change,) = self.random.choices(changes, (6, 4, 6, 1, 2))
        draw = self.random.random()
        change(self.fast, name, draw)
        change(self.general, name, draw)
        self.traffic.now_ms = self.fast.service.client_now_ms


def pass_time(brokers: Brokers, _name: str, draw: float) -> None:
    brokers.pass_time(int(draw * 1000))


def jump(brokers: Brokers, _name: str, draw: float) -> None:
    """Let the state's clock jump, and leave clients behind; or stop it, or let it go on."""
    by_ms = int(draw * 3 * 86_400_000)
    brokers.clock.advance(by_ms)
    brokers.clock.clients.behind_ms += by_ms
    brokers.clock.clients.is_steady = draw < 0.8
    brokers.service.clock_moved()


def ages(brokers: Brokers) -> list[object]:
    """Return the values by which segments and producers expire."""
    return [
        (
            [segment.largest_timestamp_ms for segment in log.segments],
            [entry.shifted_ms(log.timestamp_shifts) for entry in log.producers],
        )
        for _, log in sorted(brokers.state.logs.items(), key=lambda each: each[0].topic_partition)
    ]


def configure(brokers: Brokers, name: str, draw: float) -> None:
    key, value = CONFIGS[int(draw * len(CONFIGS))]
    config = AlterableConfig(name=key, config_operation=SET, value=value)
    resource = AlterConfigsResource(resource_type=TOPIC_TYPE, resource_name=name, configs=[config])
    request = IncrementalAlterConfigsRequest(resources=[resource])
    brokers.ask(request, 1, IncrementalAlterConfigsResponse)


def delete(brokers: Brokers, name: str, _draw: float) -> None:
    request = DeleteTopicsRequest(
        topics=[DeleteTopicState(name=name, topic_id=ZERO_UUID)], timeout_ms=1000
    )
    brokers.ask(request, 6, DeleteTopicsResponse)


def create(brokers: Brokers, name: str, draw: float) -> None:
    topic = CreatableTopic(name=name, num_partitions=1 + int(draw * 5), replication_factor=1)
    request = CreateTopicsRequest(topics=[topic], timeout_ms=1000)
    brokers.ask(request, 7, CreateTopicsResponse)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(8))
def test_both_paths_give_the_same_answers_and_the_same_state(seed: int, logged: Logged) -> None:
    sys.stdout.write(f"seed {seed}\n")
    twins = Twins(seed)
    for number in range(ROUNDS):
        if twins.random.randrange(20) == 0:
            twins.change()
        twins.produce()
        assert number % 4 or ages(twins.fast) == ages(twins.general)
    assert twins.fast.state.as_text() == twins.general.state.as_text()
    for topic in twins.fast.state.topics:
        for index in range(len(topic.partitions)):
            assert twins.fast.log_bytes(topic.name, index) == twins.general.log_bytes(
                topic.name, index
            )
    assert not logged.named("handler_failed")
    assert twins.fast.fast_answers > PLAIN_ANSWERS_MIN
    assert not twins.general.fast_answers


@pytest.mark.parametrize("version", range(5, 14))
def test_common_case_requests_are_answered_from_the_second_frame_on(version: int) -> None:
    brokers = Brokers(topics={"orders": 2})
    topic_id = brokers.topic("orders").topic_id if version >= 13 else ZERO_UUID
    path = path_of(brokers)
    frames = [frame_of(produce(index=n % 2, topic_id=topic_id), version, n) for n in range(4)]
    assert [answers(path, frame) for frame in frames] == [False, True, True, True]


@pytest.mark.parametrize("version", [3, 4])
def test_versions_without_a_log_start_take_the_general_path(version: int) -> None:
    brokers = Brokers(topics={"orders": 1})
    path = path_of(brokers)
    assert [answers(path, frame_of(produce(), version)) for _ in range(3)] == [False] * 3


def test_acks_0_gives_an_empty_answer() -> None:
    path = path_of(Brokers(topics={"orders": 1}))
    frame = frame_of(produce(acks=0), 9)
    assert path.answer(frame, 0, len(frame)) is None
    assert path.answer(frame, 0, len(frame)) == b""


def test_a_broker_that_does_not_lead_leaves_requests_to_the_general_path() -> None:
    brokers = Brokers(brokers=2, topics={"orders": 1})
    leader = brokers.partition("orders").leader_id
    path = path_of(brokers, 3 - leader)
    assert [answers(path, frame_of(produce(), 9)) for _ in range(3)] == [False] * 3


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("cleanup.policy", "compact"),
        ("message.timestamp.type", "LogAppendTime"),
        ("compression.type", "zstd"),
    ],
)
def test_a_topic_whose_configs_change_batches_takes_the_general_path(name: str, value: str) -> None:
    brokers = Brokers(topics={"orders": 1})
    path = path_of(brokers)
    frame = frame_of(produce(), 9)
    assert [answers(path, frame) for _ in range(2)] == [False, True]
    brokers.state.configs.set_topic_overrides("orders", {name: value})
    brokers.state.configs_changed("orders")
    assert not answers(path, frame)
    brokers.state.configs.set_topic_overrides("orders", {})
    brokers.state.configs_changed("orders")
    assert answers(path, frame)


def test_a_topic_of_an_old_format_takes_the_general_path() -> None:
    brokers = Brokers(topics={"orders": 1}, release="2.4")
    brokers.state.configs.set_topic_overrides("orders", {"message.format.version": "0.10.0"})
    brokers.state.configs_changed("orders")
    path = path_of(brokers)
    assert [answers(path, frame_of(produce(), 8)) for _ in range(3)] == [False] * 3


def test_a_former_leader_leaves_requests_to_the_general_path() -> None:
    brokers = Brokers(brokers=2, topics={"orders": 1})
    partition = brokers.partition("orders")
    partition.replicas = partition.in_sync_replicas = (1, 2)
    path = path_of(brokers, partition.leader_id)
    frame = frame_of(produce(), 9)
    assert [answers(path, frame) for _ in range(2)] == [False, True]
    elect_leader(brokers.state, partition, 3 - partition.leader_id, now_ms=NOW_MS)
    assert [answers(path, frame) for _ in range(3)] == [False] * 3


def test_without_enough_replicas_acks_all_takes_the_general_path() -> None:
    brokers = Brokers(brokers=2, topics={"orders": 1}, configs={"min.insync.replicas": "2"})
    partition = brokers.partition("orders")
    partition.replicas, partition.in_sync_replicas = (1, 2), (partition.leader_id,)
    path = path_of(brokers, partition.leader_id)
    assert [answers(path, frame_of(produce(), 9)) for _ in range(3)] == [False] * 3
    assert [answers(path, frame_of(produce(acks=0), 9)) for _ in range(2)] == [False, True]


def test_changed_topics_are_learned_again() -> None:
    brokers = Brokers(topics={"orders": 1})
    path = path_of(brokers)
    frame = frame_of(produce(), 9)
    assert [answers(path, frame) for _ in range(2)] == [False, True]
    brokers.state.delete_topic(brokers.topic("orders"))
    assert not answers(path, frame)
    create(brokers, "orders", 0)
    assert [answers(path, frame) for _ in range(2)] == [False, True]
    assert brokers.state.log_of(brokers.partition("orders"), NOW_MS).log_end_offset == 1


@pytest.mark.parametrize(("misses", "last"), [(8, 8), (31, 8), (40, 32)])
def test_the_first_eight_misses_and_each_32nd_are_learned(misses: int, last: int) -> None:
    path = path_of(Brokers(topics={f"topic-{n}": 1 for n in range(1, misses + 1)}))
    frames = [frame_of(produce(f"topic-{n}"), 9) for n in range(1, misses + 1)]
    assert not any(answers(path, frame) for frame in frames)
    assert answers(path, frames[last - 1])


def test_a_frame_is_learned_with_others_behind_it() -> None:
    path = path_of(Brokers(topics={"orders": 1, "payments": 1}))
    assert not answers(path, frame_of(produce("payments"), 9))
    frame = frame_of(produce(), 9)
    assert path.answer(frame * 2, 0, len(frame)) is None
    assert answers(path, frame)


def test_duplicates_and_refusals_are_left_to_the_general_path() -> None:
    brokers = Brokers(topics={"orders": 1})
    path = path_of(brokers)
    frames = [
        frame_of(produce(records=batch(Item(), at_ms=NOW_MS, producer=Producer(7, 0, sequence))), 9)
        for sequence in (0, 0, 1, 5)
    ]
    first, again, following, gap = frames
    path.answer(first, 0, len(first))
    assert answers(path, first)
    assert [answers(path, frame) for frame in (again, following, gap)] == [False, True, False]


def test_large_batches_are_not_copied() -> None:
    brokers = Brokers(topics={"orders": 1})
    path = path_of(brokers)
    frame = bytearray(frame_of(produce(records=batch_of(bytes(100_000))), 9))
    assert [answers(path, frame) for _ in range(2)] == [False, True]
    log = brokers.state.log_of(brokers.partition("orders"), NOW_MS)
    (kept,) = log.read(0, max_bytes=1, up_to_offset=1).buffers
    assert isinstance(kept, memoryview)
    assert bytes(kept) in bytes(frame)


def test_delayed_requests_of_the_partition_are_woken() -> None:
    brokers = Brokers(topics={"orders": 1})
    path = path_of(brokers)
    woken: list[bool] = []
    frame = frame_of(produce(), 9)
    path.answer(frame, 0, len(frame))
    brokers.service.purgatory.touch = lambda key: woken.append(  # type: ignore[method-assign]
        key is brokers.partition("orders")
    )
    path.answer(frame, 0, len(frame))
    assert not woken
    brokers.service.purgatory.waiting[brokers.partition("orders")] = {}
    path.answer(frame, 0, len(frame))
    assert woken == [True]


@pytest.mark.parametrize("records", [1, 10])
def test_few_modules_are_crossed(records: int) -> None:
    peer = Brokers(topics={"orders": 1}).connect()
    items = [Item(value=bytes(10 + number)) for number in range(records)]
    batches = [
        batch(*items, at_ms=NOW_MS, producer=Producer(7, 0, number * records))
        for number in range(4)
    ]
    frames = [sized(frame_of(produce(records=each), 9)) for each in batches]
    peer.feed(b"".join(frames[:3]))
    crossed: set[str] = set()

    def note(frame: FrameType, event: str, _: object) -> None:
        path = frame.f_code.co_filename
        if event == "call" and path.startswith(str(SOURCE)):
            crossed.add(path)

    sys.setprofile(note)
    try:
        peer.feed(frames[3])
    finally:
        sys.setprofile(None)
    assert len(peer.new_frames()) == 4
    assert len(crossed) <= 10, crossed


def test_a_broker_without_produce_has_no_fast_path() -> None:
    brokers = Brokers()
    frame = frame_of(produce(), 9)
    del brokers.service.routes[ApiKey.PRODUCE]
    assert fast_path_for(brokers.service, 1, 7, "User:me").answer(frame, 0, len(frame)) is None


@pytest.mark.parametrize(
    "request_",
    [
        produce(acks=2),
        produce("no-such-topic"),
        produce("__consumer_offsets"),
        ProduceRequest(acks=-1, timeout_ms=1, topic_data=produce().topic_data * 2),
    ],
)
def test_uncommon_requests_are_not_learned(request_: ProduceRequest) -> None:
    brokers = Brokers(topics={"orders": 1, "__consumer_offsets": 1})
    path = path_of(brokers)
    frame = frame_of(request_, 9)
    assert [answers(path, frame) for _ in range(3)] == [False] * 3
    for odd in (b"", frame[:9], frame[:-1], frame + b"\0"):
        assert not answers(path, odd)
    assert not brokers.state.logs


def test_a_frame_of_an_odd_form_is_not_learned() -> None:
    path = path_of(Brokers(topics={"orders": 1}))
    frame = frame_of(produce(), 9)
    tags_at = 8 + 2 + len(CLIENT_ID)
    odd = frame[:tags_at] + b"\x01\x63\x01\xff" + frame[tags_at + 1 :]
    assert [answers(path, odd) for _ in range(3)] == [False] * 3
    assert [answers(path, frame) for _ in range(2)] == [False, True]


def test_frames_after_the_end_of_a_turn_are_left_for_the_next() -> None:
    path = path_of(Brokers(topics={"orders": 1}))
    data = sized(frame_of(produce(), 9))
    out: list[bytes] = []
    ends = [path.answer_frames(data * 2, 0, len(data), out) for _ in range(2)]
    assert (ends, len(out)) == ([0, len(data)], 1)
