"""Dead-letter queues of share groups: what lands in them, and what becomes of the records.

A broker writes to the queue after its answer, so scripts wait for the records there, or until the
share coordinator knows of no record that is being archived.
"""

from collections.abc import Mapping
from uuid import UUID

from mockbroker.protocol.messages import read_share_group_state as read
from mockbroker.protocol.messages.describe_configs import (
    DescribeConfigsRequest,
    DescribeConfigsResource,
)
from mockbroker.protocol.messages.metadata import (
    MetadataRequest,
    MetadataRequestTopic,
    MetadataResponse,
)
from mockbroker.protocol.schema.message import Message
from mockbroker.protocol.types import ZERO_UUID
from tests.conformance.batches import GZIP, Item, batch
from tests.conformance.requests import Wanted, fetch, list_offsets, produce
from tests.conformance.scenarios.share_coordinator import (
    ACKNOWLEDGED,
    ARCHIVED,
    GROUP,
    Persister,
    persister,
)
from tests.conformance.script import scenario
from tests.conformance.share_members import (
    ACCEPT,
    FINAL,
    REJECT,
    RELEASE,
    SHORT_LOCKS,
    Member,
    members,
    set_configs,
    store,
)
from tests.conformance.talk import Talk
from tests.conformance.transactions import Transactor, styles

NEWEST = ("4.4",)
WITHOUT = ("4.4-sv1",)
QUEUE = "dlq.t"
ENABLED = {"errors.deadletterqueue.group.enable": "true"}
CREATED = {"errors.deadletterqueue.auto.create.topics.enable": "true", **SHORT_LOCKS}
ARCHIVING = 3
TOPIC_RESOURCE = 2


def direct(talk: Talk, queue: str = QUEUE, *, copy: bool = False, deliveries: int = 5) -> None:
    """Direct what the group cannot process to a topic."""
    set_configs(
        talk,
        {
            "errors.deadletterqueue.topic.name": queue,
            "errors.deadletterqueue.copy.record.enable": str(copy).lower(),
            "share.delivery.count.limit": str(deliveries),
            "share.record.lock.duration.ms": "30000",
            "share.isolation.level": "read_uncommitted",
        },
    )


def await_end(talk: Talk, end_offset: int, queue: str = QUEUE, partition: int = 0) -> None:
    """Wait until a partition of the queue has so many records."""
    talk.until_quietly(
        list_offsets((queue, partition, -1)), 1, lambda each: f"offset={end_offset}" in repr(each)
    )


def show(
    talk: Talk, title: str, end_offset: int, *, queue: str = QUEUE, partition: int = 0
) -> None:
    """Wait for the records of the queue, and record them without their batches."""
    await_end(talk, end_offset, queue, partition)
    talk.ask(title, fetch(talk, Wanted(queue, partition)), 16)


def await_archived(talk: Talk, topic_id: UUID, *, partition: int = 0) -> None:
    """Wait until records are archived, and none is on its way to the queue."""
    partitions = [read.PartitionData(partition=partition, leader_epoch=0)]
    topic = read.ReadStateData(topic_id=topic_id, partitions=partitions)

    def is_archived(answer: Message) -> bool:
        assert isinstance(answer, read.ReadShareGroupStateResponse)
        batches = answer.results[0].partitions[0].state_batches
        states = {each.delivery_state for each in batches}
        return ARCHIVED in states and ARCHIVING not in states

    talk.until_quietly(
        read.ReadShareGroupStateRequest(group_id=GROUP, topics=[topic]), 0, is_archived
    )


def store_items(talk: Talk, *items: Item, codec: int = 0, partition: int = 0) -> None:
    """Produce a batch of records with keys and headers."""
    data = batch(*items, at_ms=talk.at(0), codec=codec)
    talk.quietly(produce(talk, ("t", partition, data)), 3)


@scenario(presets=NEWEST, settings=CREATED)
def dead_letters_of_rejected_records(talk: Talk) -> None:
    talk.topic(QUEUE, configs=ENABLED)
    direct(talk)
    one, two = members(talk)
    asking = Persister(talk, one.topic_id)
    one.fetch("acquire", 0, batch_size=1)
    one.acknowledge("reject a batch", 1, (0, 2, [REJECT]))
    show(talk, "the first dead letters", 3)
    await_archived(talk, one.topic_id)
    asking.read("the state then")
    one.acknowledge("each its own", 2, (3, 5, [ACCEPT, RELEASE, REJECT]))
    show(talk, "one more dead letter", 4)
    await_archived(talk, one.topic_id)
    asking.read("the state of each")
    two.fetch("acquire what was released", 0)
    one.acknowledge("reject one again", 3, (5, 5, [REJECT]))
    two.acknowledge("accept what is left", 1, (4, 4, [ACCEPT]))
    asking.summary("what is stored in the end")
    store(talk, 6)
    two.fetch("fetch what is new", 2, partitions=None)
    two.acknowledge("a gap", 3, (6, 6, [0]))


@scenario(presets=NEWEST, settings=CREATED)
def dead_letters_are_copied(talk: Talk) -> None:
    talk.topic(QUEUE, configs=ENABLED)
    direct(talk, copy=True)
    asking = persister(talk)
    asking.initialize("initialise", state_epoch=1, start_offset=0)
    one = Member(talk, asking.topic_id)
    one.load()
    store_items(
        talk,
        Item(key=b"k 0", value=b"v 0", headers=[(b"h", b"x"), (b"h", None)]),
        Item(key=None, value=b"v 1"),
        Item(key=b"k 2", value=None),
        Item(key=b"", value=b""),
    )
    store_items(talk, Item(key=b"k 4"), Item(key=b"k 5"), Item(key=b"k 6"), codec=GZIP)
    one.fetch("acquire", 0, batch_size=1)
    one.acknowledge("reject a batch", 1, (0, 3, [REJECT]))
    show(talk, "copies", 4)
    one.acknowledge("reject one of a compressed batch", 2, (5, 5, [REJECT]))
    show(talk, "a copy of one", 5)
    one.acknowledge("reject what is left of it", 3, (4, 4, [REJECT]))
    show(talk, "a copy of another", 6)
    await_archived(talk, one.topic_id)


@scenario(presets=NEWEST, settings=CREATED)
def dead_letters_after_the_last_delivery(talk: Talk) -> None:
    talk.topic(QUEUE, configs=ENABLED)
    direct(talk, deliveries=2)
    one, two = members(talk)
    asking = Persister(talk, one.topic_id)
    one.fetch("acquire", 0, batch_size=1)
    one.acknowledge("release", 1, (0, 2, [RELEASE]))
    one.fetch("acquire again", 2, partitions=None, records_max=1)
    one.acknowledge("release for the last time", 3, (0, 0, [RELEASE]))
    show(talk, "a dead letter", 1)
    await_archived(talk, one.topic_id)
    asking.read("the state then")
    one.acknowledge("reject in the last delivery", 4, (1, 1, [REJECT]))
    show(talk, "a rejected one", 2)
    await_archived(talk, one.topic_id)
    one.fetch("end the session", FINAL, partitions=None)
    show(talk, "the session's end", 3)
    await_archived(talk, one.topic_id)
    asking.read("the state after the session")
    two.fetch("acquire as another member", 0)


@scenario(presets=NEWEST, settings=CREATED)
def dead_letters_of_expired_locks(talk: Talk) -> None:
    talk.topic(QUEUE, configs=ENABLED)
    direct(talk, deliveries=2)
    set_configs(talk, {"share.record.lock.duration.ms": "1000"})
    one, _ = members(talk)
    asking = Persister(talk, one.topic_id)
    one.fetch("acquire", 0, batch_size=1)
    one.acknowledge("release", 1, (0, 2, [RELEASE]))
    one.fetch("acquire for the last time", 2, partitions=None, records_max=1)
    talk.let_time_pass(1500)
    show(talk, "dead letters", 3)
    await_archived(talk, one.topic_id)
    asking.read("the state then")
    one.acknowledge("accept a dead letter", 3, (0, 0, [ACCEPT]))


@scenario(presets=NEWEST, settings=CREATED)
def dead_letters_create_their_topic(talk: Talk) -> None:
    direct(talk, "dlq.new")
    one, _ = members(talk)
    one.fetch("acquire", 0, batch_size=1)
    one.acknowledge("reject a batch", 1, (0, 2, [REJECT]))
    await_archived(talk, one.topic_id)
    described = MetadataRequest(
        topics=[MetadataRequestTopic(name="dlq.new", topic_id=ZERO_UUID)],
        allow_auto_topic_creation=False,
    )
    answer = talk.expect(MetadataResponse, talk.quietly(described, 12))
    talk.names.learn_topic("dlq.new", answer.topics[0].topic_id)
    talk.ask("the topic", described, 12)
    talk.ask("its configs", _configs("dlq.new"), 4)
    await_end(talk, 3, "dlq.new")
    talk.ask("the dead letters", fetch(talk, Wanted("dlq.new")), 12)


def _configs(topic: str) -> DescribeConfigsRequest:
    names = ["errors.deadletterqueue.group.enable", "message.timestamp.type", "cleanup.policy"]
    resource = DescribeConfigsResource(
        resource_type=TOPIC_RESOURCE, resource_name=topic, configuration_keys=names
    )
    return DescribeConfigsRequest(resources=[resource], include_synonyms=True)


@scenario(presets=NEWEST)
def dead_letters_without_a_topic(talk: Talk) -> None:
    direct(talk, "dlq.none")
    one, _ = members(talk)
    one.fetch("acquire", 0, batch_size=1)
    one.acknowledge("reject a batch", 1, (0, 2, [REJECT]))
    await_archived(talk, one.topic_id)
    Persister(talk, one.topic_id).read("the state then")
    described = MetadataRequest(
        topics=[MetadataRequestTopic(name="dlq.none", topic_id=ZERO_UUID)],
        allow_auto_topic_creation=False,
    )
    talk.ask("the topic", described, 12)
    direct(talk, "")


@scenario(presets=NEWEST, settings=CREATED)
def dead_letters_for_a_topic_that_refuses_them(talk: Talk) -> None:
    queues: list[tuple[str, Mapping[str, str]]] = [
        ("dlq.disabled", {}),
        ("other", ENABLED),
        ("dlq.compacted", {**ENABLED, "cleanup.policy": "compact"}),
        ("dlq.small", {**ENABLED, "max.message.bytes": "100"}),
        ("dlq.unsafe", {**ENABLED, "min.insync.replicas": "2"}),
    ]
    asking = persister(talk, partitions=len(queues))
    for index, (queue, configs) in enumerate(queues):
        talk.topic(queue, configs=configs)
        direct(talk, queue)
        asking.initialize(f"initialise for {queue}", state_epoch=1, partition=index, start_offset=0)
        one = Member(talk, asking.topic_id)
        one.load(index)
        store_items(talk, Item(), Item(), Item(), partition=index)
        one.fetch("acquire", 0, batch_size=1, partitions=[index])
        one.acknowledge("reject one", 1, (0, 0, [REJECT]), partition=index)
        await_archived(talk, one.topic_id, partition=index)
        talk.ask("what the topic has", list_offsets((queue, 0, -1)), 1)
        one.fetch("end the session", FINAL, partitions=None)


@scenario(presets=NEWEST, settings=CREATED)
def dead_letters_of_several_partitions(talk: Talk) -> None:
    talk.topic(QUEUE, partitions=2, configs=ENABLED)
    direct(talk)
    asking = persister(talk, partitions=3)
    one = Member(talk, asking.topic_id)
    for index in (1, 0, 2):
        asking.initialize("initialise", state_epoch=1, partition=index, start_offset=0)
        one.load(index)
        store_items(talk, Item(), partition=index)
        one.fetch("acquire", 0, partitions=[index])
        one.acknowledge(f"reject of partition {index}", 1, (0, 0, [REJECT]), partition=index)
        await_archived(talk, one.topic_id, partition=index)
        one.fetch("end the session", FINAL, partitions=None)
    show(talk, "the first partition", 2)
    show(talk, "the second partition", 1, partition=1)


@scenario(presets=NEWEST, settings=CREATED)
def dead_letters_in_batches_of_the_allowed_size(talk: Talk) -> None:
    small = {**ENABLED, "max.message.bytes": "700"}
    talk.topic(QUEUE, configs=small)
    direct(talk, copy=True)
    asking = persister(talk)
    asking.initialize("initialise", state_epoch=1, start_offset=0)
    one = Member(talk, asking.topic_id)
    one.load()
    store_items(talk, *(Item(value=b"%d" % number * 20) for number in range(5)))
    store_items(talk, Item(value=b"5" * 800), Item(value=b"6"), Item(value=b"7" * 550))
    store_items(talk, Item(value=b"8" * 900), Item(value=b"9"), codec=GZIP)
    long_header = [(b"not copied", b"x" * 300)]
    store_items(talk, *(Item(value=b"%d" % each, headers=long_header) for each in (10, 11, 12)))
    one.fetch("acquire", 0, batch_size=1)
    one.acknowledge("reject small records", 1, (0, 4, [REJECT]))
    show(talk, "several batches", 5)
    one.acknowledge("reject large records", 2, (5, 7, [REJECT]))
    show(talk, "only headers of a large record, and nothing of another", 7)
    one.acknowledge("reject a large compressed batch", 3, (8, 9, [REJECT]))
    show(talk, "only headers of a large batch", 9)
    one.acknowledge("reject records with long headers", 4, (10, 12, [REJECT]))
    show(talk, "batches of as many records as were read", 12)


@scenario(presets=NEWEST, settings=CREATED)
def dead_letters_as_their_topic_is_configured(talk: Talk) -> None:
    configured = {
        **ENABLED,
        "compression.type": "gzip",
        "message.timestamp.type": "LogAppendTime",
    }
    talk.topic(QUEUE, configs=configured)
    direct(talk)
    one, _ = members(talk)
    one.fetch("acquire", 0, batch_size=1)
    one.acknowledge("reject a batch", 1, (0, 2, [REJECT]))
    show(talk, "dead letters", 3)
    await_archived(talk, one.topic_id)


@scenario(presets=NEWEST, settings=CREATED)
def dead_letters_that_a_former_leader_left(talk: Talk) -> None:
    talk.topic(QUEUE, partitions=2, configs=ENABLED)
    direct(talk, deliveries=3, copy=True)
    asking = persister(talk, partitions=2)
    one = Member(talk, asking.topic_id)
    for index, count in enumerate((1, 3)):
        store_items(talk, Item(), Item(), Item(), partition=index)
        asking.initialize("initialise", state_epoch=1, partition=index, start_offset=0)
        asking.write(
            f"write as a leader after {count} deliveries",
            (0, 0, ACKNOWLEDGED, 1),
            (1, 1, ARCHIVING, count),
            state_epoch=1,
            done=1,
            partition=index,
        )
        one.fetch("fetch as a new leader", 0, partitions=[index], max_wait_ms=2000, min_bytes=1)
        show(talk, "the dead letter", 1, partition=index)
        await_archived(talk, one.topic_id, partition=index)
        asking.read("the state then", partition=index)
        one.acknowledge("accept what is left", 1, (2, 2, [ACCEPT]), partition=index)
        asking.summary("what is stored in the end", partition=index)
        one.fetch("end the session", FINAL, partitions=None)


@scenario(presets=NEWEST, settings=CREATED, transactional=True)
def dead_letters_of_transactions(talk: Talk) -> None:
    talk.topic(QUEUE, configs=ENABLED)
    direct(talk, copy=True)
    asking = persister(talk)
    asking.initialize("initialise", state_epoch=1, start_offset=0)
    one = Member(talk, asking.topic_id)
    one.load()
    style = next(iter(styles(talk.release)))
    aborted, still_open = (Transactor(talk, f"dead-{name}", style) for name in ("aborted", "open"))
    for each in (aborted, still_open):
        each.init()
        each.add(None, ("t", 0))
    aborted.write(None, ("t", 0), b"a 0", b"a 1")
    aborted.end(None, committed=False)
    await_end(talk, 3, "t")
    still_open.write(None, ("t", 0), b"o 3")
    one.fetch("acquire", 0, batch_size=1)
    one.acknowledge("reject aborted records", 1, (0, 1, [REJECT]))
    show(talk, "copies of aborted records", 2)
    one.acknowledge("reject the marker", 2, (2, 2, [REJECT]))
    show(talk, "a copy of a marker", 3)
    one.acknowledge("reject an open one", 3, (3, 3, [REJECT]))
    show(talk, "a copy of an open one", 4)
    await_archived(talk, one.topic_id)
    still_open.end(None, committed=False)


@scenario(presets=WITHOUT, settings=CREATED)
def dead_letters_are_off(talk: Talk) -> None:
    talk.topic(QUEUE, configs=ENABLED)
    direct(talk, deliveries=2)
    one, two = members(talk)
    asking = Persister(talk, one.topic_id)
    one.fetch("acquire", 0, batch_size=1)
    one.acknowledge("reject a batch", 1, (0, 2, [REJECT]))
    asking.read("the state then")
    one.acknowledge("release the other", 2, (3, 5, [RELEASE]))
    one.fetch("acquire again", 3, partitions=None, records_max=1)
    one.acknowledge("release for the last time", 4, (3, 3, [RELEASE]))
    asking.read("the state in the end")
    talk.ask("what the topic has", list_offsets((QUEUE, 0, -1)), 1)
    two.fetch("acquire what is left", 0)
