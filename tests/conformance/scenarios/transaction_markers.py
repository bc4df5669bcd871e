"""WriteTxnMarkers, which normally only brokers send, and hanging transactions."""

from mockbroker.protocol.api_keys import ApiKey
from mockbroker.protocol.messages.describe_producers import DescribeProducersRequest, TopicRequest
from mockbroker.protocol.messages.write_txn_markers import (
    WritableTxnMarker,
    WritableTxnMarkerTopic,
    WriteTxnMarkersRequest,
)
from tests.conformance.batches import TRANSACTIONAL, Item, Producer, batch
from tests.conformance.releases import EVERYWHERE, until
from tests.conformance.requests import Reading, Wanted, fetch, list_offsets, produce
from tests.conformance.script import scenario
from tests.conformance.talk import SILENCE_S, Talk
from tests.conformance.transactions import (
    MADE_UP_ID,
    Part,
    Transactor,
    add_partitions,
    await_coordinator,
    await_stable,
    end_txn,
    init_producer_id,
    styles,
)


def marker(
    producer: Producer,
    *parts: Part,
    committed: bool = False,
    coordinator_epoch: int = 0,
    transaction_version: int = 0,
) -> WritableTxnMarker:
    """Describe a marker for partitions."""
    topics: dict[str, WritableTxnMarkerTopic] = {}
    for name, index in parts:
        topic = topics.setdefault(name, WritableTxnMarkerTopic(name=name))
        topic.partition_indexes.append(index)
    return WritableTxnMarker(
        producer_id=producer.producer_id,
        producer_epoch=producer.producer_epoch,
        transaction_result=committed,
        topics=list(topics.values()),
        coordinator_epoch=coordinator_epoch,
        transaction_version=transaction_version,
    )


def write_markers(*markers: WritableTxnMarker) -> WriteTxnMarkersRequest:
    """Write markers, as a coordinator does."""
    return WriteTxnMarkersRequest(markers=list(markers))


def see(talk: Talk, title: str, topic: str) -> None:
    """Record steps with a partition's stable offset, and with its producers if possible."""
    stable = list_offsets((topic, 0, -1), isolation_level=1)
    talk.ask(f"{title}: it is stable up to", stable, 2)
    if talk.versions(ApiKey.DESCRIBE_PRODUCERS):
        wanted = TopicRequest(name=topic, partition_indexes=[0])
        talk.ask(f"{title}: producers", DescribeProducersRequest(topics=[wanted]), 0)


def see_all(talk: Talk, title: str, topic: str) -> None:
    """Record steps with all batches of a partition."""
    reading = Reading(isolation_level=1)
    request = fetch(talk, Wanted(topic), reading=reading)
    talk.ask(f"{title}: all of it", request, talk.latest(ApiKey.FETCH))


def mark_for_nobody(talk: Talk, version: int) -> None:
    """Write markers of one version for unknown producers."""
    name = f"markers-{version}"
    talk.topic(name, partitions=2)
    who = Producer(MADE_UP_ID, 5)
    part = (name, 0)

    def write(title: str, *markers: WritableTxnMarker) -> None:
        request = write_markers(*markers)
        talk.ask(f"{title}, v{version}", request, version)
        see(talk, f"{title}, v{version}", name)

    write("commit of an unknown producer", marker(who, part, committed=True))
    write("the same again", marker(who, part, committed=True))
    write("an abort after it", marker(who, part))
    write("an epoch ahead", marker(Producer(MADE_UP_ID, 9), part))
    write("an epoch behind", marker(Producer(MADE_UP_ID, 8), part))
    write("a coordinator ahead", marker(Producer(MADE_UP_ID, 9), part, coordinator_epoch=4))
    write("a coordinator behind", marker(Producer(MADE_UP_ID, 9), part, coordinator_epoch=3))
    write("a missing topic", marker(who, ("missing", 0)))
    write("a missing partition", marker(who, (name, 7), (name, 1)))
    write("no partitions", marker(who))
    write("nothing")
    write("two", marker(Producer(7, 0), part), marker(Producer(8, 0), (name, 1), part))
    write("a negative producer", marker(Producer(-1, 0), part))
    write("a negative epoch", marker(Producer(MADE_UP_ID + 1, -1), part))
    write("a negative coordinator", marker(Producer(9, 0), part, coordinator_epoch=-1))
    write("the last epoch", marker(Producer(MADE_UP_ID + 2, 32_767), part))
    see_all(talk, f"v{version}", name)


@scenario(transactional=True, presets=EVERYWHERE)
def markers_of_nobody(talk: Talk) -> None:
    for version in talk.versions(ApiKey.WRITE_TXN_MARKERS):
        mark_for_nobody(talk, version)


@scenario(transactional=True, presets=EVERYWHERE)
def markers_within_a_transaction(talk: Talk) -> None:
    newest = talk.latest(ApiKey.WRITE_TXN_MARKERS)
    for style in styles(talk.release):
        name = f"markers-within-{style.name}"
        talk.topic(name)
        one = Transactor(talk, name, style)
        one.init()
        who = one.init()
        one.add(None, (name, 0))
        one.write(None, (name, 0), b"a")
        behind = Producer(who.producer_id, 0)
        talk.ask(f"an epoch behind, {style.name}", write_markers(marker(behind, (name, 0))), newest)
        see(talk, f"an epoch behind, {style.name}", name)
        good = write_markers(marker(who, (name, 0)))
        talk.ask(f"the same epoch, {style.name}", good, newest)
        see(talk, f"the same epoch, {style.name}", name)
        one.write(f"it goes on, {style.name}", (name, 0), b"b")
        see(talk, f"it goes on, {style.name}", name)
        one.end(f"commit, {style.name}", committed=True)
        await_stable(talk, (name, 0))
        see_all(talk, style.name, name)


@scenario(transactional=True, presets=EVERYWHERE)
def markers_by_transaction_version(talk: Talk) -> None:
    newest = talk.latest(ApiKey.WRITE_TXN_MARKERS)
    for transaction_version in (0, 1, 2) if newest >= 2 else (0,):
        name = f"markers-tv{transaction_version}"
        talk.topic(name)
        *_, style = styles(talk.release)
        one = Transactor(talk, name, style)
        who = one.init()
        one.add(None, (name, 0))
        one.write(None, (name, 0), b"a")
        for title, epoch in [("same", 0), ("next", 1), ("next again", 1), ("same again", 0)]:
            given = marker(
                Producer(who.producer_id, epoch),
                (name, 0),
                transaction_version=transaction_version,
            )
            how = f"{title}, transaction version {transaction_version}"
            talk.ask(how, write_markers(given), newest)
            see(talk, how, name)


@scenario(transactional=True, presets=(*until("2.8"), "4.4-tv1-unverified"))
def a_hanging_transaction(talk: Talk) -> None:
    newest = talk.latest(ApiKey.WRITE_TXN_MARKERS)
    for verb, committed in {"commit": True, "abort": False}.items():
        name = f"hanging-{verb}"
        talk.topic(name)
        *_, style = (each for each in styles(talk.release) if not each.bumps)
        one = Transactor(talk, name, style)
        one.init()
        one.run(committed, (name, 0))
        one.write(f"late after {verb}", (name, 0), b"late")
        see(talk, f"hanging after {verb}", name)
        again = end_txn(name, one.producer, committed=committed)
        talk.ask_patiently(f"the same end again after {verb}", again, style.end_txn)
        see(talk, f"after the same end, {verb}", name)
        one.init(f"a new one after {verb}")
        see(talk, f"after a new one, {verb}", name)
        add = add_partitions(name, one.producer, (name, 0))
        talk.ask_patiently(f"the new one adds after {verb}", add, style.add_partitions)
        one.write(f"the new one writes after {verb}", (name, 0), b"new")
        see(talk, f"the new one's, after {verb}", name)
        clearing = marker(one.producer, (name, 0))
        talk.ask(f"cleared after {verb}", write_markers(clearing), newest)
        see(talk, f"cleared after {verb}", name)
        see_all(talk, verb, name)


@scenario(transactional=True, presets=EVERYWHERE)
def produce_without_any_coordinator(talk: Talk) -> None:
    await_coordinator(talk, "never-begun")
    talk.topic("never-begun")
    newest = talk.latest(ApiKey.PRODUCE)
    who = Producer(MADE_UP_ID, 3)
    data = batch(Item(), at_ms=talk.at(0), attributes=TRANSACTIONAL, producer=who)
    request = produce(talk, ("never-begun", 0, data), transactional_id="never-begun")
    talk.ask_patiently("a made-up producer", request, newest)
    see(talk, "a made-up producer", "never-begun")
    talk.ask_patiently("its id is made", init_producer_id("never-begun"), 0)
    talk.ask_patiently("and again", request, newest)
    see(talk, "and again", "never-begun")


@scenario(transactional=True, presets=EVERYWHERE)
def markers_that_name_a_partition_twice(talk: Talk) -> None:
    newest = talk.latest(ApiKey.WRITE_TXN_MARKERS)
    talk.topic("twice", partitions=2)
    one, two = Producer(MADE_UP_ID, 1), Producer(MADE_UP_ID + 1, 1)
    part = ("twice", 0)
    several = write_markers(marker(one, part), marker(two, part), marker(one, part))
    talk.ask("a producer twice", several, newest)
    see(talk, "a producer twice", "twice")
    again = write_markers(marker(one, part, part))
    pending = talk.begin("a partition twice", again, newest)
    talk.finish(pending, patience_s=SILENCE_S)
    see(talk, "a partition twice", "twice")
