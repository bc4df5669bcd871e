"""The share coordinator, as a raw client sees it: the persister's APIs (KIP-932)."""

from uuid import UUID

from mockbroker.protocol.messages import delete_share_group_state as delete
from mockbroker.protocol.messages import initialize_share_group_state as initialize
from mockbroker.protocol.messages import read_share_group_state as read
from mockbroker.protocol.messages import read_share_group_state_summary as summary
from mockbroker.protocol.messages import write_share_group_state as write
from mockbroker.protocol.messages.find_coordinator import (
    FindCoordinatorRequest,
    FindCoordinatorResponse,
)
from mockbroker.protocol.schema.message import Message
from mockbroker.protocol.types import ZERO_UUID
from mockbroker.state.random_source import uuid_text
from tests.conformance.script import scenario
from tests.conformance.talk import UNKNOWN_ID, Talk

NEWEST = ("4.4",)

GROUP = "g"
AVAILABLE, ACKNOWLEDGED, ARCHIVED = 0, 2, 4
Batch = tuple[int, int, int, int]


class Persister:
    """The requests of a share-partition leader to the share coordinator."""

    def __init__(self, talk: Talk, topic_id: UUID, group_id: str = GROUP) -> None:
        self.talk = talk
        self.topic_id = topic_id
        self.group_id = group_id

    def initialize(
        self, title: str, *, state_epoch: int = 0, start_offset: int = -1, partition: int = 0
    ) -> None:
        data = initialize.PartitionData(
            partition=partition, state_epoch=state_epoch, start_offset=start_offset
        )
        topic = initialize.InitializeStateData(topic_id=self.topic_id, partitions=[data])
        request = initialize.InitializeShareGroupStateRequest(
            group_id=self.group_id, topics=[topic]
        )
        self.talk.ask(title, request, 0)

    def read(self, title: str, *, leader_epoch: int = 0, partition: int = 0) -> None:
        data = read.PartitionData(partition=partition, leader_epoch=leader_epoch)
        topic = read.ReadStateData(topic_id=self.topic_id, partitions=[data])
        request = read.ReadShareGroupStateRequest(group_id=self.group_id, topics=[topic])
        self.talk.ask(title, request, 0)

    def summary(self, title: str, *, partition: int = 0, version: int = 1) -> None:
        data = summary.PartitionData(partition=partition, leader_epoch=0)
        topic = summary.ReadStateSummaryData(topic_id=self.topic_id, partitions=[data])
        request = summary.ReadShareGroupStateSummaryRequest(group_id=self.group_id, topics=[topic])
        self.talk.ask(title, request, version)

    def write(
        self,
        title: str,
        *batches: Batch,
        state_epoch: int = 0,
        leader_epoch: int = 0,
        start_offset: int = 0,
        done: int = 0,
        partition: int = 0,
        version: int = 1,
    ) -> None:
        data = write.PartitionData(
            partition=partition,
            state_epoch=state_epoch,
            leader_epoch=leader_epoch,
            start_offset=start_offset,
            delivery_complete_count=done if version else -1,
            state_batches=[
                write.StateBatch(
                    first_offset=first,
                    last_offset=last,
                    delivery_state=state,
                    delivery_count=count,
                )
                for first, last, state, count in batches
            ],
        )
        topic = write.WriteStateData(topic_id=self.topic_id, partitions=[data])
        request = write.WriteShareGroupStateRequest(group_id=self.group_id, topics=[topic])
        self.talk.ask(title, request, version)

    def delete(self, title: str, *, partition: int = 0) -> None:
        data = delete.PartitionData(partition=partition)
        topic = delete.DeleteStateData(topic_id=self.topic_id, partitions=[data])
        request = delete.DeleteShareGroupStateRequest(group_id=self.group_id, topics=[topic])
        self.talk.ask(title, request, 0)


def persister(talk: Talk, *, partitions: int = 1) -> Persister:
    """Create a topic, and wait until there are share coordinators."""
    topic_id = talk.topic("t", partitions=partitions)
    keys = [f"{GROUP}:{uuid_text(topic_id)}:0"]
    finding = FindCoordinatorRequest(key_type=2, coordinator_keys=keys)
    talk.until_quietly(finding, 6, _is_found)
    topics = [
        summary.ReadStateSummaryData(
            topic_id=topic_id,
            partitions=[summary.PartitionData(partition=index) for index in range(partitions)],
        )
    ]
    request = summary.ReadShareGroupStateSummaryRequest(group_id=GROUP, topics=topics)
    talk.until_quietly(request, 1, _is_loaded)
    return Persister(talk, topic_id)


def _is_found(answer: Message) -> bool:
    assert isinstance(answer, FindCoordinatorResponse)
    return not answer.coordinators[0].error_code


def _is_loaded(answer: Message) -> bool:
    assert isinstance(answer, summary.ReadShareGroupStateSummaryResponse)
    return not any(each.error_code for topic in answer.results for each in topic.partitions)


@scenario(presets=NEWEST)
def share_state_of_a_partition(talk: Talk) -> None:
    asking = persister(talk)
    asking.summary("summary of nothing")
    asking.summary("summary of nothing, v0", version=0)
    asking.read("read before it is initialised")
    asking.write("write before it is initialised", (0, 9, ACKNOWLEDGED, 1))
    asking.delete("delete before it is initialised")
    asking.initialize("initialise")
    asking.summary("summary")
    asking.read("read")
    asking.write("write", (0, 9, ACKNOWLEDGED, 1), (10, 19, AVAILABLE, 1), start_offset=0, done=10)
    asking.read("read what was written")
    asking.summary("summary of what was written")
    asking.write("move the start", (10, 14, AVAILABLE, 2), start_offset=10, done=0)
    asking.read("read after the start moved")
    asking.write("write without a count, v0", (12, 12, ARCHIVED, 2), start_offset=10, version=0)
    asking.summary("summary without a count")
    asking.write("move the start back", (5, 24, ACKNOWLEDGED, 1), start_offset=5, done=3)
    asking.summary("summary after the start moved back")
    asking.read("read after the start moved back")
    asking.initialize("initialise again", state_epoch=1, start_offset=7)
    asking.read("read after it was initialised again")
    asking.summary("summary after it was initialised again")
    asking.delete("delete")
    asking.read("read what was deleted")
    asking.summary("summary of what was deleted")
    asking.delete("delete again")


@scenario(presets=NEWEST)
def share_state_epochs(talk: Talk) -> None:
    asking = persister(talk)
    asking.initialize("initialise", state_epoch=5, start_offset=0)
    asking.initialize("initialise in the same epoch", state_epoch=5, start_offset=3)
    asking.initialize("initialise in an older epoch", state_epoch=4, start_offset=9)
    asking.read("read", leader_epoch=2)
    asking.summary("summary after a leader has read")
    asking.read("read as an older leader", leader_epoch=1)
    asking.write("write as an older leader", (0, 0, 2, 1), state_epoch=5, leader_epoch=1)
    asking.write("write in an older state epoch", (0, 0, 2, 1), state_epoch=4, leader_epoch=2)
    asking.write("write in a newer state epoch", (3, 3, 2, 1), state_epoch=9, leader_epoch=2)
    asking.write("write as a newer leader", (4, 4, 2, 1), state_epoch=5, leader_epoch=7)
    asking.summary("summary after a newer leader has written")
    asking.read("read as that leader", leader_epoch=7)
    asking.read("read as the former one", leader_epoch=6)
    asking.initialize("initialise in a newer epoch", state_epoch=6)
    asking.read("read after a new state epoch as an old leader", leader_epoch=6)
    asking.read("read after a new state epoch", leader_epoch=7)


@scenario(presets=NEWEST)
def share_state_refusals(talk: Talk) -> None:
    asking = persister(talk)
    asking.initialize("initialise")
    for title, partition in [("a negative partition", -1), ("an unknown partition", 1)]:
        asking.initialize(f"initialise {title}", partition=partition)
        asking.read(f"read {title}", partition=partition)
        asking.summary(f"summary of {title}", partition=partition)
        asking.write(f"write {title}", partition=partition)
        asking.delete(f"delete {title}", partition=partition)
    asking.initialize("initialise a negative epoch", state_epoch=-1)
    asking.read("read as a negative leader", leader_epoch=-1)
    asking.write("write as a negative leader", leader_epoch=-1)
    asking.write("write a negative epoch", state_epoch=-1)
    for title, topic_id, group_id in [
        ("of an unknown topic", UNKNOWN_ID, GROUP),
        ("of no topic", ZERO_UUID, GROUP),
        ("of no group", asking.topic_id, ""),
    ]:
        other = Persister(talk, topic_id, group_id)
        other.initialize(f"initialise {title}")
        other.read(f"read {title}")
        other.summary(f"summary {title}")
        other.write(f"write {title}")
        other.delete(f"delete {title}")


@scenario(presets=NEWEST)
def share_state_of_many_partitions(talk: Talk) -> None:
    asking = persister(talk, partitions=3)
    data = [initialize.PartitionData(partition=index, start_offset=index) for index in (2, 0, 1, 2)]
    topic = initialize.InitializeStateData(topic_id=asking.topic_id, partitions=data)
    none = initialize.InitializeStateData(topic_id=asking.topic_id, partitions=[])
    for title, topics in [
        ("four partitions", [topic]),
        ("a topic twice", [topic, topic]),
        ("a topic without partitions", [topic, none]),
        ("no topics", []),
    ]:
        request = initialize.InitializeShareGroupStateRequest(group_id=GROUP, topics=topics)
        talk.ask(f"initialise {title}", request, 0)
    partitions = [read.PartitionData(partition=index) for index in (1, 0, 2, 0)]
    read_topic = read.ReadStateData(topic_id=asking.topic_id, partitions=partitions)
    reading = read.ReadShareGroupStateRequest(group_id=GROUP, topics=[read_topic])
    talk.ask("read four partitions", reading, 0)
    asking.delete("delete one", partition=1)
    talk.ask("read after one was deleted", reading, 0)
