"""EndTxn in every state and version, and its marker."""

from dataclasses import replace

from mockbroker.protocol.api_keys import ApiKey
from tests.conformance.batches import Producer
from tests.conformance.releases import EVERYWHERE
from tests.conformance.requests import Reading, Wanted, fetch, list_offsets
from tests.conformance.script import scenario
from tests.conformance.talk import Talk
from tests.conformance.transactions import (
    MADE_UP_ID,
    Transactor,
    add_partitions,
    await_coordinator,
    await_stable,
    end_txn,
    styles,
)

BOTH = {"commit": True, "abort": False}


def see_committed(talk: Talk, title: str, topic: str) -> None:
    """Record steps with a partition's committed records, as soon as no transaction is open."""
    await_stable(talk, (topic, 0))
    committed = Reading(isolation_level=1)
    request = fetch(talk, Wanted(topic), reading=committed)
    talk.ask(f"{title}: what is committed", request, talk.latest(ApiKey.FETCH))
    talk.ask(f"{title}: it is stable up to", list_offsets((topic, 0, -1), isolation_level=1), 2)


def versions_of_end(talk: Talk) -> list[int]:
    """Return every version of EndTxn that is served; some advertised versions are not."""
    newest = 4 if talk.release.name == "4.4-tv0" else 5
    return [version for version in talk.versions(ApiKey.END_TXN) if version <= newest]


@scenario(transactional=True, presets=EVERYWHERE)
def end_with_nothing_begun(talk: Talk) -> None:
    *_, style = styles(talk.release)
    for version in versions_of_end(talk):
        for title, committed in BOTH.items():
            name = f"end-nothing-{version}-{title}"
            one = Transactor(talk, name, replace(style, end_txn=version))
            first = one.init()
            one.end(f"{title}, v{version}", committed=committed)
            again = end_txn(name, first, committed=committed)
            talk.ask_patiently(f"{title} again, v{version}", again, version)


@scenario(transactional=True, presets=EVERYWHERE)
def end_of_strangers(talk: Talk) -> None:
    *_, style = styles(talk.release)
    for version in versions_of_end(talk):
        name = f"end-strangers-{version}"
        one = Transactor(talk, name, replace(style, end_txn=version))
        one.init()
        who = one.init()
        nobody = Producer(-1, -1)
        for title, transactional_id, producer in [
            ("an unknown transactional id", f"{name}-unknown", who),
            ("an empty transactional id", "", who),
            ("another producer id", name, replace(who, producer_id=MADE_UP_ID)),
            ("a negative producer id", name, replace(who, producer_id=-5)),
            ("an epoch behind", name, replace(who, producer_epoch=0)),
            ("an epoch ahead", name, replace(who, producer_epoch=7)),
            ("a negative epoch", name, replace(who, producer_epoch=-3)),
            ("nobody", name, nobody),
        ]:
            for verb, committed in BOTH.items():
                request = end_txn(transactional_id, producer, committed=committed)
                talk.ask(f"{title}, {verb}, v{version}", request, version)


@scenario(transactional=True, presets=EVERYWHERE)
def end_and_again(talk: Talk) -> None:
    for style in styles(talk.release):
        for verb, committed in BOTH.items():
            name = f"end-again-{style.name}-{verb}"
            how = f"{verb}, {style.name}"
            talk.topic(name)
            one = Transactor(talk, name, style)
            one.init()
            for time in ("first", "second"):
                one.add(f"{time}: add, {how}", (name, 0))
                one.write(f"{time}: write, {how}", (name, 0), time.encode())
                who = one.producer
                one.end(f"{time}: end, {how}", committed=committed)
                one.end(f"{time}: the same again, {how}", committed=committed, producer=who)
                one.end(f"{time}: the opposite, {how}", committed=not committed, producer=who)
                one.end(f"{time}: the same after that, {how}", committed=committed, producer=who)
            see_committed(talk, how, name)


@scenario(transactional=True, presets=EVERYWHERE)
def end_in_every_version(talk: Talk) -> None:
    *_, newest = styles(talk.release)
    for version in versions_of_end(talk):
        for verb, committed in BOTH.items():
            name = f"end-v{version}-{verb}"
            how = f"{verb}, v{version}"
            talk.topic(name)
            one = Transactor(talk, name, replace(newest, end_txn=version))
            one.init()
            add = add_partitions(name, one.producer, (name, 0))
            one.send(f"add, {how}", add, newest.add_partitions)
            one.write(f"write, {how}", (name, 0), b"a")
            who = one.producer
            one.end(f"end, {how}", committed=committed)
            again = end_txn(name, who, committed=committed)
            talk.ask_patiently(f"the same again, {how}", again, version)
            opposite = end_txn(name, who, committed=not committed)
            talk.ask_patiently(f"the opposite, {how}", opposite, version)
            see_committed(talk, how, name)
            one.init(f"then anew, {how}")


@scenario(transactional=True, presets=EVERYWHERE)
def end_with_wrong_epochs_while_open(talk: Talk) -> None:
    for style in styles(talk.release):
        name = f"end-wrong-{style.name}"
        talk.topic(name)
        one = Transactor(talk, name, style)
        one.init()
        who = one.init()
        one.add(None, (name, 0))
        one.write(None, (name, 0), b"a")
        for title, producer in {
            "an epoch behind": replace(who, producer_epoch=0),
            "an epoch ahead": replace(who, producer_epoch=7),
            "another producer id": replace(who, producer_id=MADE_UP_ID),
        }.items():
            for verb, committed in BOTH.items():
                how = f"{title}, {verb}, {style.name}"
                one.end(how, committed=committed, producer=producer)
        talk.ask(f"still open, {style.name}", list_offsets((name, 0, -1), isolation_level=1), 2)


@scenario(transactional=True, presets=EVERYWHERE)
def end_with_nothing_written(talk: Talk) -> None:
    for style in styles(talk.release):
        if style.bumps:
            style = replace(style, end_txn=4)  # noqa: PLW2901 - only those add partitions
        for verb, committed in BOTH.items():
            name = f"end-unwritten-{style.name}-{style.produce}-{verb}"
            how = f"{verb}, {style.name}"
            talk.topic(name, partitions=2)
            one = Transactor(talk, name, style)
            one.init()
            one.add(f"add, {how}", (name, 0), (name, 1))
            one.write(f"write to one, {how}", (name, 1), b"a")
            one.end(f"end, {how}", committed=committed)
            talk.until_quietly(
                list_offsets((name, 0, -1)), 1, lambda answer: "offset=1" in repr(answer)
            )
            see_committed(talk, how, name)
            everything = fetch(talk, Wanted(name, 0), Wanted(name, 1))
            await_stable(talk, (name, 1))
            talk.ask(f"all of it, {how}", everything, talk.latest(ApiKey.FETCH))


@scenario(transactional=True, presets=EVERYWHERE)
def end_of_an_empty_transaction_then_another(talk: Talk) -> None:
    await_coordinator(talk, "end-then")
    for style in styles(talk.release):
        name = f"end-then-{style.name}"
        talk.topic(name)
        one = Transactor(talk, name, style)
        one.init()
        for index, committed in enumerate([True, False, False, True, True]):
            one.add(f"{index}: add, {style.name}", (name, 0))
            one.write(f"{index}: write, {style.name}", (name, 0), b"%d" % index, b"again")
            one.end(f"{index}: end, {style.name}", committed=committed)
        see_committed(talk, style.name, name)
        talk.ask(f"all of it, {style.name}", fetch(talk, Wanted(name)), talk.latest(ApiKey.FETCH))
