"""Timeouts of transactions, and expiry of transactional ids and producers."""

from dataclasses import replace

from mockbroker.protocol.api_keys import ApiKey
from mockbroker.protocol.messages.describe_producers import DescribeProducersRequest, TopicRequest
from mockbroker.protocol.messages.describe_transactions import DescribeTransactionsRequest
from tests.conformance.batches import Producer, plain
from tests.conformance.releases import EVERYWHERE, GENERATIONS, defaults_since
from tests.conformance.requests import (
    Reading,
    Wanted,
    delete_records,
    fetch,
    list_offsets,
    new_producer,
    produce,
)
from tests.conformance.script import scenario
from tests.conformance.talk import Talk
from tests.conformance.transaction_log import note_transaction_log
from tests.conformance.transactions import (
    Member,
    Transactor,
    add_offsets,
    add_partitions,
    await_complete,
    await_coordinator,
    await_stable,
    end_txn,
    init_producer_id,
    offset_commit,
    styles,
)

TIMING_OUT = {"transaction.abort.timed.out.transaction.cleanup.interval.ms": "50"}
TIMEOUT_MS = 1500
EXPIRING = {
    "transactional.id.expiration.ms": "2500",
    "transaction.remove.expired.transaction.cleanup.interval.ms": "100",
}
EXPIRED_MS = 4000


def timed_out(talk: Talk) -> list[tuple[Transactor, Producer]]:
    """Return producers whose transactions have timed out, one for each request to try."""
    tries = ("end", "abort", "write", "begin", "add", "offsets", "anew", "bump")
    found: list[tuple[Transactor, Producer]] = []
    for style in styles(talk.release):
        for each in tries:
            name = f"timeout-{style.name}-{each}"
            one = Transactor(talk, name, style)
            found.append((one, one.init(timeout_ms=TIMEOUT_MS)))
    for one, _ in found:
        talk.topic(one.transactional_id)
    for one, _ in found:
        one.add(None, (one.transactional_id, 0))
        one.write(None, (one.transactional_id, 0), b"a")
    talk.let_time_pass(2 * TIMEOUT_MS)
    for one, _ in found:
        await_stable(talk, (one.transactional_id, 0))
    return found


@scenario(transactional=True, settings=TIMING_OUT, presets=EVERYWHERE)
def transactions_time_out(talk: Talk) -> None:
    await_coordinator(talk, "timeout", 0)
    for one, who in timed_out(talk):
        name = one.transactional_id
        *_, tried = name.split("-")
        if talk.versions(ApiKey.DESCRIBE_TRANSACTIONS):
            describe = DescribeTransactionsRequest(transactional_ids=[name])
            talk.ask(f"{name}: described", describe, 0)
        if tried in {"end", "abort"}:
            for time in ("first", "second"):
                title = f"{name}: {time} time"
                one.end(title, committed=tried == "end", producer=who)
        elif tried == "write":
            one.write(f"{name}: next", (name, 0), b"b", base_sequence=1, producer=who)
            one.write(f"{name}: anew", (name, 0), b"b", base_sequence=0, producer=who)
        elif tried == "add":
            request = add_partitions(name, who, (name, 0))
            one.send(f"{name}: add", request, one.style.add_partitions)
        elif tried == "offsets":
            one.send(f"{name}: add", add_offsets(name, who, "timeout"), one.style.add_offsets)
            commit = offset_commit(talk, name, who, Member(group="timeout"), (name, 0, 1))
            one.send(f"{name}: commit", commit, one.style.offset_commit)
        elif tried == "bump" and one.style.init_producer_id >= 3:
            for time in ("first", "second"):
                bump = init_producer_id(name, who)
                one.send(f"{name}: {time} time", bump, one.style.init_producer_id)
        one.init(f"{name}: anew")
        reading = Reading(isolation_level=1)
        talk.ask(f"{name}: read", fetch(talk, Wanted(name), reading=reading), 4)


@scenario(transactional=True, settings=TIMING_OUT, presets=EVERYWHERE)
def a_transaction_that_goes_on_times_out(talk: Talk) -> None:
    # The time counts from the first partition that is added, whatever is written later.
    style = next(iter(styles(talk.release)))
    talk.topic("goes-on", partitions=2)
    one = Transactor(talk, "goes-on", style)
    one.init(timeout_ms=3000)
    one.add(None, ("goes-on", 0))
    one.write(None, ("goes-on", 0), b"a")
    talk.let_time_pass(1000)
    one.add("add another in time", ("goes-on", 1))
    one.write("write in time", ("goes-on", 0), b"b")
    talk.let_time_pass(3000)
    await_stable(talk, ("goes-on", 0), ("goes-on", 1))
    one.write("write too late", ("goes-on", 0), b"c")
    one.end("end too late", committed=True)
    idle = Transactor(talk, "idle", style)
    idle.init(timeout_ms=200)
    talk.let_time_pass(1000)
    idle.end("what was not begun does not time out", committed=True)


@scenario(alone=True, settings=EXPIRING, presets=EVERYWHERE)
def transactional_ids_expire(talk: Talk) -> None:
    *_, style = styles(talk.release)
    talk.topic("t")
    empty, ended, still_open = (
        Transactor(talk, f"expire-{name}", style) for name in ("empty", "ended", "open")
    )
    empty.init()
    ended.init()
    ended.run(True, ("t", 0))
    still_open.init()
    still_open.add(None, ("t", 0))
    still_open.write(None, ("t", 0), b"o")
    talk.let_time_pass(EXPIRED_MS)
    for each in (empty, ended, still_open):
        name = each.transactional_id
        who = each.producer
        if talk.versions(ApiKey.DESCRIBE_TRANSACTIONS):
            describe = DescribeTransactionsRequest(transactional_ids=[name])
            talk.ask(f"{name}: described", describe, 0)
        if each is still_open:
            each.write(f"{name}: write", ("t", 0), b"w")
            each.end(f"{name}: commit", committed=True)
            continue
        request = add_partitions(name, who, ("t", 0))
        each.send(f"{name}: add", request, style.add_partitions)
        if talk.release.since("3.6") and talk.release.name != "4.4-tv1-unverified":
            each.write(f"{name}: write", ("t", 0), b"w", producer=who)
        offsets = add_offsets(name, who, "g")
        each.send(f"{name}: add offsets", offsets, style.add_offsets)
        for committed in (True, False):
            end = end_txn(name, who, committed=committed)
            each.send(f"{name}: end, committed {committed}", end, style.end_txn)
        if style.init_producer_id >= 3:
            bump = init_producer_id(name, replace(who, producer_epoch=who.producer_epoch))
            each.send(f"{name}: bump", bump, style.init_producer_id)
            each.send(f"{name}: the same bump", bump, style.init_producer_id)
        each.init(f"{name}: anew")


@scenario(alone=True, settings=EXPIRING, presets=EVERYWHERE)
def tombstones_of_transactional_ids(talk: Talk) -> None:
    style = next(iter(styles(talk.release)))
    one = Transactor(talk, "log-a", style)
    one.init()
    talk.let_time_pass(EXPIRED_MS)
    for partition in range(3):
        note_transaction_log(talk, f"partition {partition}", partition)


@scenario(
    transactional=True,
    settings={
        "producer.id.expiration.ms": "60000",
        "producer.id.expiration.check.interval.ms": "100",
    },
    presets=defaults_since("3.6"),
)
def producers_expire(talk: Talk) -> None:
    # What counts is the time of a producer's last record, and it may be long ago.
    newest = talk.latest(ApiKey.PRODUCE)
    *_, style = styles(talk.release)
    talk.topic("t")
    for at_ms, title in ((talk.at(0), "old"), (talk.start_ms, "fresh")):
        producer = new_producer(talk)

        def write(
            how: str, sequence: int, *, producer: Producer = producer, at_ms: int = at_ms
        ) -> None:
            numbered = replace(producer, base_sequence=sequence)
            data = plain(b"a", at_ms=at_ms, producer=numbered)
            talk.ask(how, produce(talk, ("t", 0, data)), newest)

        write(f"{title}: first", 0)
        write(f"{title}: second", 1)
        talk.let_time_pass(700)
        producers = DescribeProducersRequest(topics=[TopicRequest(name="t", partition_indexes=[0])])
        talk.ask(f"{title}: producers", producers, 0)
        write(f"{title}: a duplicate", 1)
        talk.let_time_pass(700)
        write(f"{title}: a gap", 7)
        talk.let_time_pass(700)
        lower = replace(producer, producer_epoch=0)
        write(f"{title}: a higher epoch", 0, producer=replace(producer, producer_epoch=3))
        talk.let_time_pass(700)
        write(f"{title}: a lower epoch", 0, producer=lower)
    one = Transactor(talk, "expiring-open", style)
    one.init()
    one.add(None, ("t", 0))
    one.write(None, ("t", 0), b"o")
    talk.let_time_pass(700)
    one.write("an open transaction keeps its producer", ("t", 0), b"o", base_sequence=0)
    one.write("and its sequence", ("t", 0), b"o", base_sequence=5)
    one.end("it ends", committed=True)
    await_stable(talk, ("t", 0))
    talk.ask("the log ends", list_offsets(("t", 0, -1)), 1)


@scenario(
    alone=True,
    settings={"log.retention.check.interval.ms": "1000", "log.segment.delete.delay.ms": "1000"},
    presets=GENERATIONS,
)
def retention_and_producers(talk: Talk) -> None:
    newest = talk.latest(ApiKey.PRODUCE)
    style = next(iter(styles(talk.release)))
    talk.topic("t", configs={"retention.ms": "60000"})
    talk.topic("open", configs={"retention.ms": "60000"})
    talk.topic("kept")
    producer = new_producer(talk)

    def write(title: str, topic: str, sequence: int, at_ms: int) -> None:
        numbered = replace(producer, base_sequence=sequence)
        data = plain(b"a", at_ms=at_ms, producer=numbered)
        talk.ask(title, produce(talk, (topic, 0, data)), newest)

    for topic in ("t", "kept"):
        for sequence in range(3):
            write(f"{sequence} to {topic}", topic, sequence, talk.at(0))
    one = Transactor(talk, "retained", style)
    one.init()
    one.add(None, ("open", 0))
    one.write(None, ("open", 0), b"o")
    # Kafka looks at retention for the first time half a minute after its start.
    talk.let_time_pass(36_000)
    for topic in ("t", "kept", "open"):
        for timestamp in (-2, -1):
            talk.ask(f"{timestamp} of {topic}", list_offsets((topic, 0, timestamp)), 1)
    talk.ask("stable up to", list_offsets(("open", 0, -1), isolation_level=1), 2)
    write("a duplicate that is gone", "t", 2, talk.start_ms)
    write("the next one", "t", 3, talk.start_ms)
    write("a gap", "t", 9, talk.start_ms)
    write("sequence 0 again", "t", 0, talk.start_ms)
    write("where nothing is deleted", "kept", 3, talk.at(0))
    one.write("a transaction goes on", ("open", 0), b"o")
    talk.ask("and is open", list_offsets(("open", 0, -1), isolation_level=1), 2)
    one.end("it ends", committed=True)
    await_complete(talk, one, committed=True)
    talk.ask("and is stable", list_offsets(("open", 0, -1), isolation_level=1), 2)
    talk.ask("delete all", delete_records(("kept", 0, -1)), talk.latest(ApiKey.DELETE_RECORDS))
    write("next where all is deleted", "kept", 4, talk.at(0))
    write("a gap where all is deleted", "kept", 9, talk.at(0))
