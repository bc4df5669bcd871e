"""AddPartitionsToTxn and AddOffsetsToTxn: one transaction or several, added or only verified."""

from dataclasses import replace

from mockbroker.protocol.api_keys import ApiKey
from mockbroker.protocol.messages.add_partitions_to_txn import (
    AddPartitionsToTxnRequest,
    AddPartitionsToTxnTransaction,
)
from tests.conformance.batches import Producer
from tests.conformance.releases import EVERYWHERE, since
from tests.conformance.script import scenario
from tests.conformance.talk import Talk
from tests.conformance.transactions import (
    MADE_UP_ID,
    Style,
    Transactor,
    add_offsets,
    add_partitions,
    await_complete,
    await_coordinator,
    await_stable,
    styles,
    transaction_of,
)

BATCHED_FROM = 4


def manual(talk: Talk) -> Style:
    """Return the newest style in which clients add partitions themselves."""
    return [style for style in styles(talk.release) if not style.bumps][-1]


@scenario(transactional=True, presets=EVERYWHERE)
def add_partitions_in_every_version(talk: Talk) -> None:
    talk.topic("added", partitions=3)
    for version in talk.versions(ApiKey.ADD_PARTITIONS_TO_TXN):
        one = Transactor(talk, f"add-{version}", manual(talk))
        who = one.init()
        name = one.transactional_id
        for title, parts in {
            "one": [("added", 0)],
            "the same again": [("added", 0)],
            "two more, and that one": [("added", 0), ("added", 1), ("added", 2)],
            "one twice": [("added", 1), ("added", 1)],
            "none": [],
            "one that is missing": [("added", 9)],
            "a topic that is missing": [("missing", 0), ("added", 0)],
            "a negative one": [("added", -1)],
            "an empty name": [("", 0)],
            "a bad name": [("a b", 0), ("added", 1)],
            "an internal one": [("__transaction_state", 0)],
        }.items():
            request = add_partitions(name, who, *parts)
            talk.ask_patiently(f"{title}, v{version}", request, version)
        one.end(f"abort, v{version}", committed=False)


@scenario(transactional=True, presets=EVERYWHERE)
def add_partitions_of_strangers(talk: Talk) -> None:
    talk.topic("added")
    await_coordinator(talk, "add-strangers")
    for version in talk.versions(ApiKey.ADD_PARTITIONS_TO_TXN):
        one = Transactor(talk, f"add-strangers-{version}", manual(talk))
        one.init()
        who = one.init()
        name = one.transactional_id
        for title, transactional_id, producer in [
            ("an unknown transactional id", f"{name}-unknown", who),
            ("an empty transactional id", "", who),
            ("another producer id", name, replace(who, producer_id=MADE_UP_ID)),
            ("a negative producer id", name, replace(who, producer_id=-5)),
            ("an epoch behind", name, replace(who, producer_epoch=0)),
            ("an epoch ahead", name, replace(who, producer_epoch=7)),
            ("nobody", name, Producer(-1, -1)),
        ]:
            for topic in ("added", "missing"):
                request = add_partitions(transactional_id, producer, (topic, 0))
                talk.ask_patiently(f"{title}, {topic}, v{version}", request, version)


@scenario(transactional=True, presets=EVERYWHERE)
def add_offsets_in_every_version(talk: Talk) -> None:
    await_coordinator(talk, "add-offsets", 0)
    for version in talk.versions(ApiKey.ADD_OFFSETS_TO_TXN):
        one = Transactor(talk, f"add-offsets-{version}", manual(talk))
        one.init()
        who = one.init()
        name = one.transactional_id
        for title, transactional_id, producer, group in [
            ("an unknown transactional id", f"{name}-unknown", who, "g"),
            ("an empty transactional id", "", who, "g"),
            ("another producer id", name, replace(who, producer_id=MADE_UP_ID), "g"),
            ("an epoch behind", name, replace(who, producer_epoch=0), "g"),
            ("an epoch ahead", name, replace(who, producer_epoch=7), "g"),
            ("nobody", name, Producer(-1, -1), "g"),
            ("good", name, who, "g"),
            ("good, again", name, who, "g"),
            ("another group", name, who, "h"),
            ("an empty group", name, who, ""),
        ]:
            request = add_offsets(transactional_id, producer, group)
            talk.ask_patiently(f"{title}, v{version}", request, version)
        one.end(f"commit, v{version}", committed=True)


@scenario(transactional=True, presets=EVERYWHERE)
def add_after_the_end(talk: Talk) -> None:
    talk.topic("added")
    style = manual(talk)
    for verb, committed in {"commit": True, "abort": False}.items():
        one = Transactor(talk, f"add-after-{verb}", style)
        who = one.init()
        one.run(committed, ("added", 0))
        one.add(f"add after {verb}", ("added", 0))
        one.end(f"end what is empty after {verb}", committed=committed)
        one.init(None)
        fenced = add_partitions(one.transactional_id, who, ("added", 0))
        talk.ask_patiently(f"add by a zombie after {verb}", fenced, style.add_partitions)
        fenced_offsets = add_offsets(one.transactional_id, who, "g")
        talk.ask_patiently(f"offsets by a zombie after {verb}", fenced_offsets, style.add_offsets)


def batched(*transactions: AddPartitionsToTxnTransaction) -> AddPartitionsToTxnRequest:
    """Add partitions to several transactions, as brokers do."""
    return AddPartitionsToTxnRequest(transactions=list(transactions))


@scenario(transactional=True, presets=since("3.6"))
def add_partitions_batched(talk: Talk) -> None:
    talk.topic("added", partitions=2)
    style = manual(talk)
    for version in talk.versions(ApiKey.ADD_PARTITIONS_TO_TXN)[BATCHED_FROM:]:
        names = [f"add-batched-{version}-{letter}" for letter in "abc"]
        producers = [Transactor(talk, name, style).init() for name in names]

        first, second, third = (
            transaction_of(name, who, ("added", 0))
            for name, who in zip(names, producers, strict=True)
        )
        wrong = transaction_of(names[1], replace(producers[1], producer_epoch=9), ("added", 0))
        missing = transaction_of(names[2], producers[2], ("added", 1), ("missing", 0))
        unknown = transaction_of(f"add-batched-{version}-z", producers[0], ("added", 1))
        for title, transactions in {
            "three": [first, second, third],
            "one good, one with a wrong epoch": [first, wrong],
            "one good, one with a missing topic": [first, missing],
            "one good, one unknown": [first, unknown],
            "the same twice": [first, first],
            "none": [],
            "an empty name": [transaction_of("", producers[0], ("added", 0))],
            "no topics": [transaction_of(names[0], producers[0])],
        }.items():
            talk.ask_patiently(f"{title}, v{version}", batched(*transactions), version)


def verify_in(talk: Talk, version: int, style: Style) -> None:
    """Verify a transaction in all its states."""
    name = f"add-verified-{version}"
    one = Transactor(talk, name, style)
    one.init()
    who = one.init()

    def verify(title: str, producer: Producer, *parts: tuple[str, int]) -> None:
        request = batched(transaction_of(name, producer, *parts, verify_only=True))
        talk.ask_patiently(f"{title}, v{version}", request, version)

    both = [("added", 0), ("added", 1)]
    verify("nothing begun", who, *both)
    one.add(None, ("added", 0))
    verify("one added", who, ("added", 0))
    verify("one added, one not", who, *both)
    verify("none", who)
    verify("a missing topic", who, ("missing", 0))
    verify("an epoch behind", replace(who, producer_epoch=0), *both)
    verify("an epoch ahead", replace(who, producer_epoch=9), *both)
    verify("another producer id", replace(who, producer_id=MADE_UP_ID), *both)
    unknown = transaction_of(f"{name}-unknown", who, *both, verify_only=True)
    talk.ask_patiently(f"unknown, v{version}", batched(unknown), version)
    mixed = batched(
        transaction_of(name, who, ("added", 0), verify_only=True),
        transaction_of(f"{name}-unknown", who, ("added", 1)),
    )
    talk.ask_patiently(f"one verified, one added, v{version}", mixed, version)
    one.end(None, committed=True)
    await_stable(talk, ("added", 0))
    await_complete(talk, one, committed=True)
    verify("ended", who, ("added", 0))


@scenario(transactional=True, presets=since("3.6"))
def add_partitions_verified(talk: Talk) -> None:
    talk.topic("added", partitions=2)
    style = manual(talk)
    for version in talk.versions(ApiKey.ADD_PARTITIONS_TO_TXN)[BATCHED_FROM:]:
        verify_in(talk, version, style)
