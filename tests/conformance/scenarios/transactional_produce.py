"""Produce within transactions: partitions that were not added, late batches, other producers."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from mockbroker.protocol.api_keys import ApiKey
from mockbroker.protocol.messages.describe_transactions import DescribeTransactionsRequest
from tests.conformance.batches import CONTROL, TRANSACTIONAL, Producer
from tests.conformance.releases import EVERYWHERE, VARIANTS, since
from tests.conformance.requests import Reading, Wanted, fetch, list_offsets, produce
from tests.conformance.script import scenario
from tests.conformance.talk import Talk
from tests.conformance.transactions import (
    BUMPING,
    MADE_UP_ID,
    Style,
    Transactor,
    await_stable,
    end_txn,
    init_producer_id,
    styles,
)

SHORT_MS: Final = 500
"""The timeout of requests that some releases answer only when it ends."""


def produce_versions(talk: Talk) -> range:
    """Return the versions that can contain transactional batches."""
    versions = talk.versions(ApiKey.PRODUCE)
    return range(3, versions[-1] + 1)


def begun(talk: Talk, name: str, style: Style) -> Transactor:
    """Return a producer whose open transaction has written one value to the topic of its name."""
    talk.topic(name)
    one = Transactor(talk, name, style)
    one.init()
    one.add(None, (name, 0))
    one.write(None, (name, 0), b"begun")
    return one


def see_ends(talk: Talk, title: str, topic: str) -> None:
    """Record steps with a partition's end and its last stable offset."""
    talk.ask(f"{title}: the log ends", list_offsets((topic, 0, -1)), 2)
    stable = list_offsets((topic, 0, -1), isolation_level=1)
    talk.ask(f"{title}: it is stable up to", stable, 2)


@scenario(transactional=True, slow=True, presets=EVERYWHERE)
def produce_what_was_not_added(talk: Talk) -> None:
    *_, newest = styles(talk.release)
    for version in produce_versions(talk):
        name = f"not-added-{version}"
        talk.topic(name, partitions=2)
        one = Transactor(talk, name, replace(newest, produce=version, end_txn=0))
        one.init()
        one.write(f"nothing begun, v{version}", (name, 0), b"a")
        see_ends(talk, f"nothing begun, v{version}", name)
        if talk.release.name == "4.4-tv1-unverified" or not talk.release.since("3.6"):
            continue  # what is open now, nobody can end
        one.add(f"add the other, v{version}", (name, 1))
        one.write(f"the other, v{version}", (name, 1), b"b")
        one.write(f"another begun, v{version}", (name, 0), b"a")
        see_ends(talk, f"another begun, v{version}", name)


@scenario(transactional=True, slow=True, presets=EVERYWHERE)
def produce_late(talk: Talk) -> None:
    *_, newest = styles(talk.release)
    for version in produce_versions(talk):
        for verb, committed in {"commit": True, "abort": False}.items():
            name = f"late-{version}-{verb}"
            how = f"after {verb}, v{version}"
            style = replace(newest, produce=version)
            if version <= 11 and style.bumps:
                style = replace(style, end_txn=4 if version == 11 else 3)
            one = begun(talk, name, style)
            who = one.producer
            one.end(None, committed=committed)
            await_stable(talk, (name, 0))
            late = produce(
                talk,
                (name, 0, one.batch(b"late", base_sequence=1, producer=who)),
                transactional_id=name,
            )
            talk.ask_patiently(how, late, version)
            see_ends(talk, how, name)
            duplicate = produce(
                talk, (name, 0, one.batch(b"begun", producer=who)), transactional_id=name
            )
            talk.ask_patiently(f"a duplicate {how}", duplicate, version)
            see_ends(talk, f"a duplicate {how}", name)


@scenario(transactional=True, presets=EVERYWHERE)
def produce_within(talk: Talk) -> None:
    for style in styles(talk.release):
        name = f"within-{style.name}"
        how = style.name
        one = begun(talk, name, style)
        part = (name, 0)
        who = one.producer
        one.write(f"next, {how}", part, b"b", b"c", base_sequence=1)
        one.write(f"again, {how}", part, b"b", b"c", base_sequence=1)
        one.write(f"a gap, {how}", part, b"d", base_sequence=9)
        one.write(f"part of it, {how}", part, b"d", base_sequence=2)
        behind = replace(who, producer_epoch=who.producer_epoch - 1)
        one.write(f"an epoch behind, {how}", part, b"e", base_sequence=3, producer=behind)
        ahead = replace(who, producer_epoch=who.producer_epoch + 3)
        one.write(f"an epoch ahead, {how}", part, b"e", base_sequence=0, producer=ahead)
        other = replace(who, producer_id=MADE_UP_ID)
        one.write(f"another producer id, {how}", part, b"e", base_sequence=0, producer=other)
        see_ends(talk, how, name)
        request = produce(talk, (*part, one.batch(b"f", base_sequence=3, attributes=0)))
        talk.ask_patiently(f"not transactional, {how}", request, style.produce)
        see_ends(talk, f"not transactional, {how}", name)


def write_as_strangers(talk: Talk, style: Style) -> None:
    """Write batches that belong to no transaction."""
    name = f"strangers-{style.name}"
    how = style.name
    one = begun(talk, name, style)
    one.init(None)
    stranger = Transactor(talk, f"{name}-other", style)
    stranger.init()
    talk.topic(f"{name}-idle")

    def ask(title: str, topic: str, data: bytes, transactional_id: str | None) -> None:
        request = produce(talk, (topic, 0, data), transactional_id=transactional_id)
        talk.ask_patiently(f"{title}, {how}", request, style.produce)
        see_ends(talk, f"{title}, {how}", topic)

    ask("no transactional id", name, one.batch(b"a"), None)
    ask("an empty transactional id", f"{name}-idle", one.batch(b"a"), "")
    plain = one.batch(b"a", attributes=0)
    ask("a plain batch, with a transactional id", name, plain, name)
    nobody = one.batch(b"a", producer=Producer(-1, -1))
    ask("a transactional batch of nobody", f"{name}-idle", nobody, name)
    control = one.batch(b"a", attributes=TRANSACTIONAL | CONTROL)
    ask("a control batch", f"{name}-idle", control, name)


@scenario(transactional=True, presets=EVERYWHERE)
def produce_by_strangers(talk: Talk) -> None:
    for style in styles(talk.release):
        write_as_strangers(talk, style)


def write_with_foreign_ids(talk: Talk, style: Style) -> None:
    """Write with the transactional id of another producer."""
    name = f"foreign-{style.name}"
    how = style.name
    one = begun(talk, name, style)
    other = Transactor(talk, f"{name}-other", style)
    other.init()

    def ask(title: str, part: tuple[str, int], data: bytes, transactional_id: str) -> None:
        request = produce(talk, (*part, data), transactional_id=transactional_id)
        talk.ask_patiently(f"{title}, {how}", request, style.produce)
        see_ends(talk, f"{title}, {how}", part[0])

    part = (name, 0)
    ask("already open", part, one.batch(b"b", base_sequence=1), other.transactional_id)
    ask("unknown, already open", part, one.batch(b"c", base_sequence=2), "nobody-knows")
    if talk.release.since("3.6") and talk.release.name != "4.4-tv1-unverified":
        talk.topic(f"{name}-idle")
        idle = (f"{name}-idle", 0)
        ask("not open", idle, one.batch(b"b"), other.transactional_id)
        ask("unknown, not open", idle, one.batch(b"b"), "nobody-knows")


@scenario(transactional=True, presets=EVERYWHERE)
def produce_with_foreign_ids(talk: Talk) -> None:
    for style in styles(talk.release):
        write_with_foreign_ids(talk, style)


@scenario(transactional=True, presets=EVERYWHERE)
def produce_to_several(talk: Talk) -> None:
    for style in styles(talk.release):
        name = f"several-{style.name}"
        talk.topic(name, partitions=3)
        one = Transactor(talk, name, style)
        one.init()
        one.add(None, (name, 0), (name, 1))
        data = one.batch(b"a", b"b")
        two = produce(talk, (name, 0, data), (name, 1, data), transactional_id=name)
        talk.ask_patiently(f"both, {style.name}", two, style.produce)
        more = one.batch(b"c", base_sequence=2)
        gap = one.batch(b"c", base_sequence=7)
        mixed = produce(talk, (name, 0, more), (name, 1, gap), transactional_id=name)
        talk.ask_patiently(f"one with a gap, {style.name}", mixed, style.produce)
        missing = produce(talk, (name, 1, more), (name, 9, more), transactional_id=name)
        talk.ask_patiently(f"one that is missing, {style.name}", missing, style.produce)
        for acks in (1, 2):
            data = one.batch(b"d", base_sequence=3)
            weak = produce(talk, (name, acks - 1, data), transactional_id=name, acks=acks)
            talk.ask_patiently(f"acks {acks}, {style.name}", weak, style.produce)
        one.end(f"commit, {style.name}", committed=True)
        await_stable(talk, (name, 0), (name, 1))
        committed = Reading(isolation_level=1)
        request = fetch(talk, Wanted(name, 0), Wanted(name, 1), reading=committed)
        talk.ask(f"read back, {style.name}", request, talk.latest(ApiKey.FETCH))


@scenario(transactional=True, presets=since("3.6"))
def produce_a_stale_duplicate_first(talk: Talk) -> None:
    for style in styles(talk.release):
        name = f"stale-{style.name}"
        one = begun(talk, name, style)
        one.end(None, committed=True)
        await_stable(talk, (name, 0))
        old = (
            one.producer
            if not style.bumps
            else replace(one.producer, producer_epoch=one.producer.producer_epoch - 1)
        )
        one.add(None, (name, 0))
        part = (name, 0)
        one.write(f"the stale one, {style.name}", part, b"begun", base_sequence=0, producer=old)
        one.write(f"the next one, {style.name}", part, b"b", base_sequence=int(not style.bumps))
        one.write(f"the next one again, {style.name}", part, b"b", base_sequence=1)
        see_ends(talk, style.name, name)


@scenario(transactional=True, presets=EVERYWHERE)
def produce_after_a_fence(talk: Talk) -> None:
    for style in styles(talk.release):
        name = f"fence-{style.name}"
        one = begun(talk, name, style)
        old = one.producer
        one.init()
        await_stable(talk, (name, 0))
        how = style.name
        part = (name, 0)
        one.write(f"the zombie goes on, {how}", part, b"z", base_sequence=1, producer=old)
        one.write(f"the zombie starts anew, {how}", part, b"z", base_sequence=0, producer=old)
        zombie = one.batch(b"z", base_sequence=1, producer=old, attributes=0)
        request = produce(talk, (name, 0, zombie))
        talk.ask_patiently(f"the zombie without transaction, {how}", request, style.produce)
        talk.ask(f"the zombie ends, {how}", end_txn(name, old, committed=True), style.end_txn)
        one.add(f"its heir adds, {how}", part)
        one.write(f"its heir starts with a gap, {how}", part, b"h", base_sequence=4)
        one.write(f"its heir starts, {how}", part, b"h", base_sequence=0)
        one.write(f"the zombie once more, {how}", part, b"z", base_sequence=1, producer=old)
        one.end(f"its heir commits, {how}", committed=True)
        await_stable(talk, (name, 0))
        committed = Reading(isolation_level=1)
        reading = fetch(talk, Wanted(name), reading=committed)
        talk.ask(f"read back, {how}", reading, talk.latest(ApiKey.FETCH))


def in_every_version(talk: Talk) -> Iterator[tuple[int, Style]]:
    """Return every version of Produce with the matching style."""
    known = list(styles(talk.release))
    for version in produce_versions(talk):
        fitting = [style for style in known if style.produce <= max(version, known[0].produce)]
        yield version, replace(fitting[-1], produce=version)


@scenario(transactional=True, presets=EVERYWHERE)
def produce_whole_transactions(talk: Talk) -> None:
    for version, style in in_every_version(talk):
        name = f"whole-{version}"
        talk.topic(name)
        one = Transactor(talk, name, style)
        one.init()
        for committed in (True, False):
            one.add(f"add, v{version}", (name, 0))
            one.write(f"write, v{version}", (name, 0), b"a", b"b")
            one.write(f"write more, v{version}", (name, 0), b"c")
            see_ends(talk, f"open, v{version}", name)
            one.end(f"end, v{version}", committed=committed)
            await_stable(talk, (name, 0))
            see_ends(talk, f"ended, v{version}", name)
        reading = Reading(isolation_level=1)
        newest = talk.latest(ApiKey.FETCH)
        request = fetch(talk, Wanted(name), reading=reading)
        talk.ask(f"read back, v{version}", request, newest)


@scenario(transactional=True, presets=EVERYWHERE)
def produce_plainly_with_a_transactional_producer(talk: Talk) -> None:
    *_, style = styles(talk.release)
    talk.topic("plainly")
    one = Transactor(talk, "plainly", style)
    one.init()
    for sequence in (0, 1, 1, 5):
        data = one.batch(b"a", base_sequence=sequence, attributes=0)
        talk.ask_patiently(f"{sequence}", produce(talk, ("plainly", 0, data)), style.produce)
    one.add("add", ("plainly", 0))
    one.write("a transaction goes on from there", ("plainly", 0), b"t", base_sequence=2)
    one.end("commit", committed=True)
    await_stable(talk, ("plainly", 0))
    see_ends(talk, "after that", "plainly")
    request = init_producer_id(None)
    talk.ask("somebody else", request, style.init_producer_id)


@scenario(transactional=True, presets=EVERYWHERE)
def produce_plainly_within_a_transaction(talk: Talk) -> None:
    for style in styles(talk.release):
        name = f"plainly-within-{style.name}"
        one = begun(talk, name, style)
        one.timeout_ms = SHORT_MS
        data = one.batch(b"p", base_sequence=1, attributes=0)
        for version in produce_versions(talk):
            how = f"{style.name}, v{version}"
            plainly = produce(talk, (name, 0, data), timeout_ms=SHORT_MS)
            talk.ask_patiently(f"without a transactional id, {how}", plainly, version)
            named = produce(talk, (name, 0, data), transactional_id=name, timeout_ms=SHORT_MS)
            talk.ask_patiently(f"with a transactional id, {how}", named, version)
        see_ends(talk, style.name, name)
        one.write(f"the transaction goes on, {style.name}", (name, 0), b"t")
        one.end(f"commit, {style.name}", committed=True)
        await_stable(talk, (name, 0))
        see_ends(talk, f"ended, {style.name}", name)


@scenario(transactional=True, slow=True, presets=("4.4", *VARIANTS))
def produce_and_end_by_transaction_version(talk: Talk) -> None:
    # Clients should not send the newest versions where transaction.version is below 2.
    for version in (12, 13):
        for verb, committed in {"commit": True, "abort": False}.items():
            name = f"beyond-{version}-{verb}"
            how = f"{verb}, v{version}"
            talk.topic(name)
            one = Transactor(talk, name, replace(BUMPING, produce=version))
            who = one.init()
            one.write(f"write, {how}", (name, 0), b"a")
            see_ends(talk, f"write, {how}", name)
            one.end(f"end, {how}", committed=committed)
            one.end(f"end again, {how}", committed=committed, producer=who)
            one.init(f"anew, {how}")
            one.end(f"nothing begun, {how}", committed=committed)
            await_stable(talk, (name, 0))
            see_ends(talk, f"ended, {how}", name)
            if talk.versions(ApiKey.DESCRIBE_TRANSACTIONS):
                describe = DescribeTransactionsRequest(transactional_ids=[name])
                talk.ask(f"described, {how}", describe, 0)
