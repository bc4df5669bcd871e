"""ListOffsets, OffsetForLeaderEpoch and DeleteRecords."""

from mockbroker.protocol.api_keys import ApiKey
from mockbroker.protocol.messages.offset_for_leader_epoch import (
    OffsetForLeaderEpochRequest,
    OffsetForLeaderPartition,
    OffsetForLeaderTopic,
)
from tests.conformance import batches
from tests.conformance.batches import Item, batch, plain
from tests.conformance.releases import until
from tests.conformance.requests import Wanted, delete_records, fetch, list_offsets, produce
from tests.conformance.script import scenario
from tests.conformance.talk import Talk

LATEST, EARLIEST, MAX_TIMESTAMP, EARLIEST_LOCAL, LATEST_TIERED = -1, -2, -3, -4, -5


def write(talk: Talk, topic: str, *items: Item, codec: int = 0, partition: int = 0) -> None:
    """Write one batch."""
    data = batch(*items, at_ms=items[0].at_ms or talk.at(0), codec=codec)
    version = talk.latest(ApiKey.PRODUCE)
    talk.ask("write", produce(talk, (topic, partition, data)), version)


@scenario()
def list_offsets_versions(talk: Talk) -> None:
    talk.topic("t", partitions=2)
    for index in range(3):
        write(talk, "t", Item(at_ms=talk.at(index * 10)), Item(at_ms=talk.at(index * 10 + 5)))
    for version in talk.versions(ApiKey.LIST_OFFSETS):
        for timestamp in (LATEST, EARLIEST):
            request = list_offsets(("t", 0, timestamp), ("t", 1, timestamp))
            talk.ask(f"{timestamp}, v{version}", request, version)
        for timestamp in (MAX_TIMESTAMP, EARLIEST_LOCAL, LATEST_TIERED, -6, -7, -99):
            request = list_offsets(("t", 0, timestamp), ("t", 1, timestamp))
            talk.ask(f"{timestamp}, v{version}", request, version)
        for after_ms in (-1, 0, 4, 5, 6, 10, 25, 26):
            request = list_offsets(("t", 0, talk.at(after_ms)), ("t", 1, talk.at(after_ms)))
            talk.ask(f"T{after_ms:+}, v{version}", request, version)
        talk.ask(f"0, v{version}", list_offsets(("t", 0, 0)), version)
        unknown = list_offsets(("t", 9, LATEST), ("missing", 0, LATEST), ("t", 0, LATEST))
        talk.ask(f"unknown, v{version}", unknown, version)
        if version >= 2:
            committed = list_offsets(("t", 0, LATEST), isolation_level=1)
            talk.ask(f"committed, v{version}", committed, version)
        if version >= 4:
            for leader_epoch in (0, 1, -2):
                fenced = list_offsets(("t", 0, LATEST), current_leader_epoch=leader_epoch)
                talk.ask(f"leader epoch {leader_epoch}, v{version}", fenced, version)
        talk.ask(f"nothing, v{version}", list_offsets(), version)
        twice = list_offsets(("t", 0, LATEST), ("t", 0, EARLIEST))
        talk.ask(f"a partition twice, v{version}", twice, version)


@scenario()
def list_offsets_by_time(talk: Talk) -> None:
    newest = talk.latest(ApiKey.LIST_OFFSETS)
    talk.topic("t")
    times = [[50, 10, 90], [20, 20], [70, 100, 60], [100], [5]]
    for codec, batch_times in enumerate(times):
        items = [Item(at_ms=talk.at(after_ms)) for after_ms in batch_times]
        write(talk, "t", *items, codec=codec)
    for after_ms in (0, 5, 6, 11, 50, 51, 89, 90, 91, 99, 100, 101):
        talk.ask(f"T{after_ms:+}", list_offsets(("t", 0, talk.at(after_ms))), newest)
    talk.ask("the latest time", list_offsets(("t", 0, MAX_TIMESTAMP)), newest)
    talk.ask("delete records", delete_records(("t", 0, 2)), talk.latest(ApiKey.DELETE_RECORDS))
    for after_ms in (0, 50, 91):
        title = f"T{after_ms:+} of what is left"
        talk.ask(title, list_offsets(("t", 0, talk.at(after_ms))), newest)
    talk.topic("untimed")
    write_untimed = produce(talk, ("untimed", 0, plain(b"a", at_ms=-1)))
    talk.ask("without time", write_untimed, talk.latest(ApiKey.PRODUCE))
    for timestamp in (0, MAX_TIMESTAMP, LATEST):
        request = list_offsets(("untimed", 0, timestamp))
        talk.ask(f"{timestamp}, without time", request, newest)


@scenario(presets=until("3.9"))
def list_offsets_v0(talk: Talk) -> None:
    talk.topic("t", configs={"segment.bytes": "200"})
    for index in range(5):
        write(talk, "t", Item(value=b"v" * 100, at_ms=talk.at(index)))
    for timestamp in (LATEST, EARLIEST):
        for most in (1, 2, 10):
            request = list_offsets(("t", 0, timestamp))
            request.topics[0].partitions[0].max_num_offsets = most
            talk.ask(f"{timestamp}, at most {most}", request, 0)
    talk.ask("by time: in the future", list_offsets(("t", 0, talk.start_ms + 600_000)), 0)
    talk.ask("by time: long ago", list_offsets(("t", 0, 5)), 0)


def leader_epochs(
    *parts: tuple[str, int, int], current_leader_epoch: int = -1
) -> OffsetForLeaderEpochRequest:
    """Request the ends of leader epochs: each a (topic, partition, leader epoch)."""
    topics: dict[str, OffsetForLeaderTopic] = {}
    for name, partition, leader_epoch in parts:
        topics.setdefault(name, OffsetForLeaderTopic(topic=name)).partitions.append(
            OffsetForLeaderPartition(
                partition=partition,
                leader_epoch=leader_epoch,
                current_leader_epoch=current_leader_epoch,
            )
        )
    return OffsetForLeaderEpochRequest(replica_id=-1, topics=list(topics.values()))


@scenario()
def offset_for_leader_epoch(talk: Talk) -> None:
    talk.topic("t", partitions=2)
    write(talk, "t", Item(), Item())
    for version in talk.versions(ApiKey.OFFSET_FOR_LEADER_EPOCH):
        for leader_epoch in (0, 1, 9, -1, -2):
            request = leader_epochs(("t", 0, leader_epoch), ("t", 1, leader_epoch))
            talk.ask(f"{leader_epoch}, v{version}", request, version)
        unknown = leader_epochs(("t", 9, 0), ("missing", 0, 0), ("t", 0, 0))
        talk.ask(f"unknown, v{version}", unknown, version)
        talk.ask(f"nothing, v{version}", leader_epochs(), version)
        if version >= 2:
            for current in (0, 1, -2):
                request = leader_epochs(("t", 0, 0), current_leader_epoch=current)
                talk.ask(f"current {current}, v{version}", request, version)


@scenario()
def delete_records_versions(talk: Talk) -> None:
    talk.topic("t", partitions=2)
    for version in talk.versions(ApiKey.DELETE_RECORDS):
        write(talk, "t", Item(), Item(), Item())
        for title, offset in [
            ("0", 0),
            ("beyond the end", 1000),
            ("negative", -2),
            ("one more", 1 + 3 * version),
            ("one less", 3 * version),
            ("to the end", -1),
            ("to the end again", -1),
            ("0 after that", 0),
        ]:
            talk.ask(f"{title}, v{version}", delete_records(("t", 0, offset)), version)
        unknown = delete_records(("t", 9, 0), ("missing", 0, 0), ("bad name", 0, 0), ("t", 1, 0))
        talk.ask(f"unknown, v{version}", unknown, version)
        twice = delete_records(("t", 1, 0), ("t", 1, 5))
        talk.ask(f"a partition twice, v{version}", twice, version)
        talk.ask(f"nothing, v{version}", delete_records(), version)
    talk.ask("fetch what is gone", fetch(talk, Wanted("t")), talk.latest(ApiKey.FETCH))
    for timestamp in (LATEST, EARLIEST, talk.at(0)):
        request = list_offsets(("t", 0, timestamp))
        talk.ask("where the log is", request, talk.latest(ApiKey.LIST_OFFSETS))
    write(talk, "t", Item())


@scenario()
def delete_records_within_a_batch(talk: Talk) -> None:
    talk.topic("t")
    newest = talk.latest(ApiKey.DELETE_RECORDS)
    write(talk, "t", Item(value=b"a"), Item(value=b"b"), Item(value=b"c"), codec=batches.GZIP)
    talk.ask("into the batch", delete_records(("t", 0, 2)), newest)
    for offset in (1, 2):
        question = fetch(talk, Wanted("t", 0, offset))
        talk.ask(f"from {offset}", question, talk.latest(ApiKey.FETCH))
    write(talk, "t", Item(value=b"d"))


@scenario()
def delete_records_by_policy(talk: Talk) -> None:
    newest = talk.latest(ApiKey.DELETE_RECORDS)
    for policy in ("compact", "compact,delete", "delete"):
        name = policy.replace(",", "-")
        talk.topic(name, configs={"cleanup.policy": policy})
        talk.ask(f"cleanup.policy={policy}", delete_records((name, 0, 0)), newest)
