"""Three brokers: responses of the brokers that are not the leader."""

from mockbroker.protocol.api_keys import ApiKey
from mockbroker.protocol.messages.fetch import FetchResponse
from mockbroker.protocol.schema.message import Message
from tests.conformance.batches import plain
from tests.conformance.requests import Wanted, delete_records, fetch, list_offsets, produce
from tests.conformance.scenarios.offsets import leader_epochs
from tests.conformance.script import scenario
from tests.conformance.talk import Talk

ASSIGNMENTS = [[1, 2], [2, 3], [3, 1]]


@scenario(brokers=3)
def produce_to_others_than_the_leader(talk: Talk) -> None:
    talk.topic("t", assignments=ASSIGNMENTS)
    data = plain(b"a", at_ms=talk.at(0))
    for version in talk.versions(ApiKey.PRODUCE)[3:]:
        request = produce(talk, ("t", 0, data), ("t", 1, data), ("t", 2, data))
        for broker in (1, 2, 3):
            talk.ask(f"all, v{version}", request, version, broker=broker)
    newest = talk.latest(ApiKey.PRODUCE)
    silent = produce(talk, ("t", 1, data), acks=0)
    talk.ask("acks 0 closes", silent, newest)


def has_all(answer: Message) -> bool:
    """Return whether each readable partition of a Fetch has a high watermark of 1."""
    assert isinstance(answer, FetchResponse)
    partitions = [partition for topic in answer.responses for partition in topic.partitions]
    return all(partition.high_watermark == 1 or partition.error_code for partition in partitions)


@scenario(brokers=3)
def fetch_from_others_than_the_leader(talk: Talk) -> None:
    talk.topic("t", assignments=ASSIGNMENTS)
    newest = talk.latest(ApiKey.PRODUCE)
    for partition, broker in enumerate((1, 2, 3)):
        data = plain(b"%d" % partition, at_ms=talk.at(0))
        talk.ask("write", produce(talk, ("t", partition, data)), newest, broker=broker)
    every = [Wanted("t", partition) for partition in range(3)]
    newest_fetch = talk.latest(ApiKey.FETCH, 11)
    for broker in (1, 2, 3):  # from v11 on, followers give what they have (KIP-392)
        talk.until("all have all", fetch(talk, *every), newest_fetch, has_all, broker=broker)
    for version in talk.versions(ApiKey.FETCH):
        for broker in (1, 3):
            talk.ask(f"all, v{version}", fetch(talk, *every), version, broker=broker)
        if version >= 9:
            for leader_epoch in (0, 1):
                known = [Wanted("t", p, current_leader_epoch=leader_epoch) for p in range(3)]
                title = f"with leader epoch {leader_epoch}, v{version}"
                talk.ask(title, fetch(talk, *known), version, broker=2)


@scenario(brokers=3)
def list_offsets_of_others_than_the_leader(talk: Talk) -> None:
    talk.topic("t", assignments=ASSIGNMENTS)
    for version in talk.versions(ApiKey.LIST_OFFSETS):
        request = list_offsets(("t", 0, -1), ("t", 1, -1), ("t", 2, -1))
        talk.ask(f"all, v{version}", request, version, broker=2)


@scenario(brokers=3)
def other_questions_to_others_than_the_leader(talk: Talk) -> None:
    talk.topic("t", assignments=ASSIGNMENTS)
    for version in talk.versions(ApiKey.OFFSET_FOR_LEADER_EPOCH):
        request = leader_epochs(("t", 0, 0), ("t", 1, 0), ("t", 2, 0))
        talk.ask(f"leader epochs, v{version}", request, version, broker=2)
    for version in talk.versions(ApiKey.DELETE_RECORDS):
        gone = delete_records(("t", 0, 0), ("t", 1, 0), ("t", 2, 0))
        talk.ask(f"delete records, v{version}", gone, version, broker=2)
