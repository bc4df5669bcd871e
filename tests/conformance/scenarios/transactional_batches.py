"""Batches of transactions: compressed, invalid, stamped, converted for old consumers."""

from dataclasses import replace

from mockbroker.protocol.api_keys import ApiKey
from tests.conformance import batches
from tests.conformance.batches import TRANSACTIONAL, Item, Producer, batch
from tests.conformance.releases import EVERYWHERE, until
from tests.conformance.requests import Reading, Wanted, fetch, list_offsets, new_producer, produce
from tests.conformance.scenarios.transaction_markers import marker, write_markers
from tests.conformance.script import scenario
from tests.conformance.talk import Talk
from tests.conformance.transactions import (
    MADE_UP_ID,
    Style,
    Transactor,
    await_stable,
    styles,
)

LAST_SEQUENCE = (1 << 31) - 1


def checks_deltas(talk: Talk) -> bool:
    """Return whether a wrong last offset delta is refused; 0.11 stores it, which breaks its log."""
    return talk.release.since("1.1")


def newest_style(talk: Talk) -> Style:
    """Return the newest style that a release supports."""
    *_, newest = styles(talk.release)
    return newest


def begun(talk: Talk, topic: str, style: Style) -> Transactor:
    """Return a producer whose transaction has the topic's first partition and no records."""
    one = Transactor(talk, topic, style)
    one.init()
    one.add(None, (topic, 0))
    return one


def read_back(talk: Talk, title: str, topic: str) -> None:
    """Record a step with the committed records, as soon as no transaction is open."""
    await_stable(talk, (topic, 0))
    reading = Reading(isolation_level=1)
    request = fetch(talk, Wanted(topic), reading=reading)
    talk.ask(title, request, talk.latest(ApiKey.FETCH))


@scenario(transactional=True, presets=EVERYWHERE)
def batches_of_wrong_shape(talk: Talk) -> None:
    style = newest_style(talk)
    talk.topic("shapes")
    one = begun(talk, "shapes", style)
    one.write(None, ("shapes", 0), b"begun")

    def ask(title: str, data: bytes) -> None:
        request = produce(talk, ("shapes", 0, data), transactional_id="shapes")
        talk.ask_patiently(title, request, style.produce)
        talk.ask(f"{title}: the end", list_offsets(("shapes", 0, -1)), 1)

    at_ms = talk.at(0)
    who = replace(one.producer, base_sequence=1)
    items = (Item(), Item())

    def made(**wrong: int) -> bytes:
        return batch(
            *items, at_ms=at_ms, attributes=TRANSACTIONAL, producer=who, wrong=wrong or None
        )

    ask("a wrong checksum", made(crc=1))
    ask("one record more", made(record_count=3))
    ask("one record less", made(record_count=1))
    if checks_deltas(talk):
        ask("a last delta ahead", made(last_offset_delta=5))
        ask("a last delta behind", made(last_offset_delta=0))
    ask("a negative count", made(record_count=-1))
    ask("a base offset", made(base_offset=7))
    ask("cut off", made()[:-3])
    ask("two batches", made() + made())
    ask("no sequence", made(base_sequence=-1))
    ask("no epoch", made(producer_epoch=-1))
    ask("a negative epoch", made(producer_epoch=-2))
    ask("a negative producer", made(producer_id=-7))
    ask("a control batch", made(attributes=TRANSACTIONAL | batches.CONTROL))
    ask("a control batch of no transaction", made(attributes=batches.CONTROL))
    nothing = batch(at_ms=at_ms, attributes=TRANSACTIONAL, producer=who)
    ask("no records", nothing)
    ask("good after all that", made())
    one.end("commit", committed=True)
    read_back(talk, "read back", "shapes")


@scenario(transactional=True, presets=EVERYWHERE)
def idempotent_batches_of_wrong_shape(talk: Talk) -> None:
    talk.topic("shapes")
    newest = talk.latest(ApiKey.PRODUCE)
    producer = new_producer(talk)
    at_ms = talk.at(0)

    def ask(title: str, *, base_sequence: int = 0, **wrong: int) -> None:
        who = replace(producer, base_sequence=base_sequence)
        data = batch(Item(), Item(), at_ms=at_ms, producer=who, wrong=wrong or None)
        talk.ask(title, produce(talk, ("shapes", 0, data)), newest)

    ask("good")
    ask("a count too high", base_sequence=2, record_count=3)
    ask("a count too low", base_sequence=2, record_count=1)
    if checks_deltas(talk):
        ask("a delta too high", base_sequence=2, last_offset_delta=4)
        ask("a delta too low", base_sequence=2, last_offset_delta=0)
    ask("a duplicate with a count too high", record_count=3)
    if checks_deltas(talk):
        ask("a duplicate with a delta too high", last_offset_delta=4)
    ask("no sequence", base_sequence=-1)
    ask("no epoch", base_sequence=2, producer_epoch=-1)
    ask("good after all that", base_sequence=2)
    ask("a gap", base_sequence=7)
    talk.ask("the end", list_offsets(("shapes", 0, -1)), 1)


@scenario(transactional=True, presets=EVERYWHERE)
def compressed_transactions(talk: Talk) -> None:
    style = newest_style(talk)
    for codec in (batches.GZIP, batches.SNAPPY, batches.LZ4, batches.ZSTD):
        if codec == batches.ZSTD and not talk.release.since("2.3"):
            continue
        name = f"packed-{codec}"
        talk.topic(name)
        one = begun(talk, name, style)
        items = [Item(value=b"%d" % index) for index in range(3)]
        data = batch(
            *items,
            at_ms=talk.at(0),
            codec=codec,
            attributes=TRANSACTIONAL,
            producer=replace(one.producer, base_sequence=0),
        )
        request = produce(talk, (name, 0, data), transactional_id=name)
        talk.ask_patiently(f"write, {codec}", request, style.produce)
        talk.ask_patiently(f"again, {codec}", request, style.produce)
        one.end(f"commit, {codec}", committed=True)
        read_back(talk, f"read back, {codec}", name)


@scenario(transactional=True, presets=EVERYWHERE)
def stamped_and_compacted_transactions(talk: Talk) -> None:
    style = newest_style(talk)
    for name, configs in {
        "stamped": {"message.timestamp.type": "LogAppendTime"},
        "compacted": {"cleanup.policy": "compact"},
        "recompressed": {"compression.type": "gzip"},
    }.items():
        talk.topic(name, configs=configs)
        one = begun(talk, name, style)
        for sequence, key in enumerate((b"k", b"k", None)):
            data = batch(
                Item(key=key),
                at_ms=talk.at(sequence),
                attributes=TRANSACTIONAL,
                producer=replace(one.producer, base_sequence=sequence),
            )
            request = produce(talk, (name, 0, data), transactional_id=name)
            talk.ask_patiently(f"{sequence} to {name}", request, style.produce)
            talk.ask_patiently(f"{sequence} to {name} again", request, style.produce)
        one.end(f"abort {name}", committed=False)
        read_back(talk, f"read back {name}", name)


@scenario(transactional=True, presets=EVERYWHERE)
def first_sequences_of_transactions(talk: Talk) -> None:
    for style in styles(talk.release):
        for first in (5, LAST_SEQUENCE - 1):
            name = f"first-{style.name}-{first}"
            talk.topic(name)
            one = begun(talk, name, style)
            how = f"{first}, {style.name}"
            part = (name, 0)
            one.write(f"begin with {how}", part, b"a", b"b", base_sequence=first)
            one.write(f"next after {how}", part, b"c", base_sequence=(first + 2) & LAST_SEQUENCE)
            one.write(f"zero after {how}", part, b"z", base_sequence=0)
            one.end(f"commit {how}", committed=True)
            await_stable(talk, part)
            talk.ask(f"the end, {how}", list_offsets((name, 0, -1)), 1)


@scenario(transactional=True, presets=EVERYWHERE)
def sequences_after_a_marker(talk: Talk) -> None:
    talk.topic("marked")
    newest = talk.latest(ApiKey.PRODUCE)
    marking = talk.latest(ApiKey.WRITE_TXN_MARKERS)
    for index, (epoch, sequence) in enumerate([(4, 5), (4, 0), (5, 5), (5, 0), (3, 0)]):
        who = Producer(MADE_UP_ID + index, 4)
        request = write_markers(marker(who, ("marked", 0)))
        talk.ask(f"a marker of epoch 4, {index}", request, marking)
        for next_one in (sequence, sequence + 1):
            numbered = Producer(who.producer_id, epoch, next_one)
            data = batch(Item(), at_ms=talk.at(0), producer=numbered)
            title = f"then epoch {epoch} with {next_one}, {index}"
            talk.ask(title, produce(talk, ("marked", 0, data)), newest)


@scenario(transactional=True, presets=EVERYWHERE)
def sequences_across_transactions(talk: Talk) -> None:
    for style in styles(talk.release):
        name = f"across-{style.name}"
        talk.topic(name)
        one = Transactor(talk, name, style)
        one.init()
        part = (name, 0)
        for index, committed in enumerate((True, False, True)):
            how = f"{index}, {style.name}"
            one.add(f"add {how}", part)
            one.write(f"write {how}", part, b"a", b"b")
            again = 0 if style.bumps else 2 * index
            one.write(f"again {how}", part, b"a", b"b", base_sequence=again)
            one.write(f"zero {how}", part, b"a", b"b", base_sequence=0)
            one.end(f"end {how}", committed=committed)
            await_stable(talk, part)
        one.init(f"anew, {style.name}")
        one.add(f"add anew, {style.name}", part)
        one.write(f"go on with the old sequence, {style.name}", part, b"x", base_sequence=6)
        one.write(f"begin with zero, {style.name}", part, b"x")
        one.end(f"end anew, {style.name}", committed=True)
        read_back(talk, f"read back, {style.name}", name)


@scenario(transactional=True, presets=until("3.9"))
def transactions_for_old_readers(talk: Talk) -> None:
    style = next(iter(styles(talk.release)))
    talk.topic("converted")
    part = ("converted", 0)
    one = begun(talk, "converted", style)
    one.write(None, part, b"a", b"b")
    one.end(None, committed=True)
    await_stable(talk, part)
    one.add(None, part)
    one.write(None, part, b"c")
    one.end(None, committed=False)
    await_stable(talk, part)
    one.add(None, part)
    one.write(None, part, b"d")
    for version in (0, 1, 2, 3):
        for offset in (0, 1, 2, 3, 4, 5, 6):
            request = fetch(talk, Wanted("converted", 0, offset))
            talk.ask(f"from {offset}, v{version}", request, version)
    for version in (0, 3):
        wanted = Wanted("converted", 0, 0, max_bytes=100)
        talk.ask(f"little, v{version}", fetch(talk, wanted), version)
    one.end("end", committed=True)


@scenario(transactional=True, presets=until("2.8"))
def transactions_of_old_formats(talk: Talk) -> None:
    style = newest_style(talk)
    for stored in ("0.9.0", "0.10.0"):
        name = f"format-{stored}"
        talk.topic(name, configs={"message.format.version": stored})
        one = begun(talk, name, style)
        one.write(f"write to {stored}", (name, 0), b"a")
        numbered = batch(Item(), at_ms=talk.at(0), producer=new_producer(talk))
        request = produce(talk, (name, 0, numbered))
        talk.ask(f"idempotent to {stored}", request, style.produce)
        marking = write_markers(marker(Producer(MADE_UP_ID, 0), (name, 0)))
        newest = talk.latest(ApiKey.WRITE_TXN_MARKERS)
        talk.ask(f"a marker to {stored}", marking, newest)
        talk.ask(f"the end of {stored}", list_offsets((name, 0, -1)), 1)
        one.end(f"commit to {stored}", committed=True)
        talk.ask(f"then the end of {stored}", list_offsets((name, 0, -1)), 1)


@scenario(transactional=True, presets=EVERYWHERE)
def transactions_without_acknowledgement(talk: Talk) -> None:
    style = newest_style(talk)
    name = "unacknowledged"
    talk.topic(name)
    one = begun(talk, name, style)
    good = produce(talk, (name, 0, one.batch(b"a")), transactional_id=name, acks=0)
    one.write(None, (name, 0), b"first", base_sequence=0)
    more = produce(talk, (name, 0, one.batch(b"b", base_sequence=1)), transactional_id=name, acks=0)
    talk.send_only(more, style.produce)
    talk.ask("it was taken", list_offsets((name, 0, -1)), 1)
    talk.send_only(good, style.produce)
    talk.ask("a duplicate is no error", list_offsets((name, 0, -1)), 1)
    gap = produce(talk, (name, 0, one.batch(b"c", base_sequence=9)), transactional_id=name, acks=0)
    talk.ask("a gap closes", gap, style.produce)
    unsafe = produce(
        talk, (name, 0, one.batch(b"c", base_sequence=2)), transactional_id=name, acks=7
    )
    talk.ask("acks 7", unsafe, style.produce)
    one.end("commit", committed=True)


@scenario(transactional=True, presets=EVERYWHERE)
def duplicates_within_transactions(talk: Talk) -> None:
    for style in styles(talk.release):
        name = f"duplicates-{style.name}"
        talk.topic(name)
        one = begun(talk, name, style)
        part = (name, 0)
        for index in range(7):
            one.write(None, part, b"%d" % index)
        for index in range(7):
            how = f"{index} again, {style.name}"
            one.write(how, part, b"%d" % index, base_sequence=index)
        who = one.producer
        one.end(None, committed=True)
        await_stable(talk, part)
        one.add(None, part)
        for index in range(7):
            how = f"{index} after the end, {style.name}"
            one.write(how, part, b"%d" % index, base_sequence=index, producer=who)
        one.write(f"and on, {style.name}", part, b"7")
        talk.ask(f"the end, {style.name}", list_offsets((name, 0, -1)), 1)


@scenario(transactional=True, presets=EVERYWHERE)
def batches_of_two_producers(talk: Talk) -> None:
    for style in styles(talk.release):
        name = f"two-{style.name}"
        talk.topic(name, partitions=2)
        one = begun(talk, name, style)
        one.add(None, (name, 1))
        two = Transactor(talk, f"{name}-other", style)
        two.init()
        two.add(None, (name, 1))
        parts = ((name, 0, one.batch(b"a")), (name, 1, two.batch(b"b")))
        for title, transactional_id in {"one's": name, "the other's": f"{name}-other"}.items():
            both = produce(talk, *parts, transactional_id=transactional_id)
            talk.ask_patiently(f"under {title} id, {style.name}", both, style.produce)
        plainly = one.batch(b"p", producer=Producer(MADE_UP_ID, 0), attributes=0)
        mixed = produce(talk, parts[0], (name, 1, plainly), transactional_id=name)
        talk.ask_patiently(f"one that is plain, {style.name}", mixed, style.produce)
        for index in range(2):
            talk.ask(f"the end of {index}, {style.name}", list_offsets((name, index, -1)), 1)
