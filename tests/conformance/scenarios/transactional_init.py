"""InitProducerId with a transactional id: bumps, retries, fences, timeouts, exhaustion."""

from dataclasses import replace

from mockbroker.protocol.api_keys import ApiKey
from mockbroker.protocol.messages.describe_transactions import DescribeTransactionsRequest
from mockbroker.protocol.messages.init_producer_id import InitProducerIdResponse
from mockbroker.protocol.schema.message import Message
from tests.conformance.batches import Producer
from tests.conformance.releases import EVERYWHERE, since
from tests.conformance.requests import Reading, Wanted, fetch, list_offsets
from tests.conformance.script import scenario
from tests.conformance.talk import Talk
from tests.conformance.transactions import (
    MADE_UP_ID,
    NOBODY,
    Style,
    Transactor,
    await_coordinator,
    await_stable,
    end_txn,
    init_producer_id,
    styles,
)

BUMPS_FROM = 3
"""The first version of InitProducerId with a producer id and epoch (KIP-360)."""
INT32_MAX = (1 << 31) - 1
LAST_EPOCH = 32_766
"""The last epoch that is assigned to a producer; the next one fences it."""


def bumping_versions(talk: Talk) -> range:
    """Return the versions with a producer id and epoch."""
    return talk.versions(ApiKey.INIT_PRODUCER_ID)[BUMPS_FROM:]


@scenario(transactional=True, presets=EVERYWHERE)
def init_anew(talk: Talk) -> None:
    for version in talk.versions(ApiKey.INIT_PRODUCER_ID):
        name = f"init-anew-{version}"
        await_coordinator(talk, name)
        for time in ("first", "second", "third"):
            talk.ask_patiently(f"{time} time, v{version}", init_producer_id(name), version)
        other = init_producer_id(name, timeout_ms=5)
        talk.ask_patiently(f"another timeout, v{version}", other, version)


@scenario(transactional=True, presets=EVERYWHERE)
def init_odd_names(talk: Talk) -> None:
    await_coordinator(talk, "any")
    for version in talk.versions(ApiKey.INIT_PRODUCER_ID):
        talk.ask_patiently(f"empty, v{version}", init_producer_id(""), version)
    newest = talk.latest(ApiKey.INIT_PRODUCER_ID)
    for title, name in [("a space", " "), ("long", "x" * 300), ("unicode", "tränsäction ☃")]:
        await_coordinator(talk, name)
        talk.ask_patiently(title, init_producer_id(name), newest)
        talk.ask_patiently(f"{title}, again", init_producer_id(name), newest)


@scenario(transactional=True, presets=EVERYWHERE)
def init_timeouts(talk: Talk) -> None:
    await_coordinator(talk, "init-timeouts")
    for version in talk.versions(ApiKey.INIT_PRODUCER_ID):
        for timeout_ms in (1, 0, -1, 900_000, 900_001, INT32_MAX, -INT32_MAX - 1):
            name = f"init-timeout-{version}-{timeout_ms}"
            request = init_producer_id(name, timeout_ms=timeout_ms)
            talk.ask_patiently(f"{timeout_ms} ms, v{version}", request, version)
            request = init_producer_id(None, timeout_ms=timeout_ms)
            talk.ask(f"{timeout_ms} ms without a transactional id, v{version}", request, version)


@scenario(transactional=True, settings={"transaction.max.timeout.ms": "5000"}, presets=EVERYWHERE)
def init_timeouts_of_the_broker(talk: Talk) -> None:
    await_coordinator(talk, "init-timeouts-of-the-broker")
    newest = talk.latest(ApiKey.INIT_PRODUCER_ID)
    for timeout_ms in (4999, 5000, 5001):
        request = init_producer_id("init-timeouts-of-the-broker", timeout_ms=timeout_ms)
        talk.ask_patiently(f"{timeout_ms} ms", request, newest)


def bump_in(talk: Talk, version: int) -> None:
    """Bump a producer with every kind of request."""
    name = f"init-bump-{version}"
    await_coordinator(talk, name)

    def ask(title: str, producer: Producer) -> Producer:
        request = init_producer_id(name, producer)
        answer = talk.ask_patiently(f"{title}, v{version}", request, version)
        given = talk.expect(InitProducerIdResponse, answer)
        return Producer(given.producer_id, given.producer_epoch)

    first = ask("first", NOBODY)
    second = ask("bump", first)
    ask("the same again: a retry", first)
    ask("and again", first)
    third = ask("bump from there", second)
    ask("two behind", first)
    ask("ahead", replace(third, producer_epoch=9))
    ask("another producer id", replace(third, producer_id=MADE_UP_ID))
    ask("the last one's retry", second)
    ask("still the same", third)
    latest = ask("anew", NOBODY)
    ask("with the last epoch, after anew", replace(latest, producer_epoch=3))
    ask("with the current epoch, after anew", latest)


@scenario(transactional=True, presets=since("2.8"))
def init_bump(talk: Talk) -> None:
    for version in bumping_versions(talk):
        bump_in(talk, version)


@scenario(transactional=True, presets=since("2.8"))
def init_odd_producers(talk: Talk) -> None:
    for version in bumping_versions(talk):
        name = f"init-odd-{version}"
        await_coordinator(talk, name)
        odd = [(5, -1), (-1, 5), (-5, 5), (5, -2), (-2, -2), (-1, 0), (-1, -2), (0, -1)]
        for known in ("unknown", "known"):
            for producer_id, producer_epoch in odd:
                request = init_producer_id(name, Producer(producer_id, producer_epoch))
                title = f"{producer_id}, {producer_epoch}, to an {known} id, v{version}"
                talk.ask_patiently(title, request, version)
            talk.ask_patiently(f"make it known, v{version}", init_producer_id(name), version)
        unknown = init_producer_id(f"{name}-unknown", Producer(MADE_UP_ID, 17))
        talk.ask_patiently(f"an unknown transactional id, v{version}", unknown, version)
        talk.ask_patiently(f"and again, v{version}", unknown, version)
        last = init_producer_id(f"{name}-last", Producer(MADE_UP_ID, 32_767))
        talk.ask_patiently(f"the last of all epochs, v{version}", last, version)


def see_log(talk: Talk, topic: str) -> None:
    """Record steps with a partition's batches and its last stable offset."""
    await_stable(talk, (topic, 0))
    version = talk.latest(ApiKey.FETCH)
    talk.ask("all of it", fetch(talk, Wanted(topic)), version)
    committed = Reading(isolation_level=1)
    talk.ask("what is committed", fetch(talk, Wanted(topic), reading=committed), version)
    talk.ask("it is stable up to", list_offsets((topic, 0, -1), isolation_level=1), 2)


@scenario(transactional=True, presets=EVERYWHERE)
def init_during_a_transaction(talk: Talk) -> None:
    for style in styles(talk.release):
        name = f"init-during-{style.name}"
        talk.topic(name)
        one = Transactor(talk, name, style)
        first = one.init()
        one.add(None, (name, 0))
        one.write(None, (name, 0), b"a", b"b")
        request = init_producer_id(name)
        talk.ask(f"at once, {style.name}", request, style.init_producer_id)
        one.init(f"in the end, {style.name}")
        see_log(talk, name)
        one.write(f"the old one writes, {style.name}", (name, 0), b"old", producer=first)
        one.end(f"the old one commits, {style.name}", committed=True, producer=first)
        one.add(f"the new one adds, {style.name}", (name, 0))
        one.write(f"the new one writes, {style.name}", (name, 0), b"new")
        one.end(f"the new one commits, {style.name}", committed=True)
        see_log(talk, name)


@scenario(transactional=True, presets=since("2.8"))
def init_bump_during_a_transaction(talk: Talk) -> None:
    for style in styles(talk.release):
        name = f"init-bump-during-{style.name}"
        talk.topic(name)
        one = Transactor(talk, name, style)
        first = one.init()
        one.add(None, (name, 0))
        one.write(None, (name, 0), b"a")
        request = init_producer_id(name, first)
        talk.ask(f"at once, {style.name}", request, style.init_producer_id)
        one.init(f"the same in the end, {style.name}", first)
        one.init(f"once more, {style.name}", first)
        see_log(talk, name)
        one.init(f"anew, {style.name}")


@scenario(transactional=True, presets=since("2.8"))
def init_bump_by_a_zombie(talk: Talk) -> None:
    """A zombie's epoch is only checked while its successor has no open transaction."""
    for style in styles(talk.release):
        name = f"init-zombie-{style.name}"
        talk.topic(name)
        one = Transactor(talk, name, style)
        zombie = one.init()
        one.init(f"its successor, {style.name}")
        request = init_producer_id(name, zombie)
        talk.ask(f"nothing is open, {style.name}", request, style.init_producer_id)
        one.add(f"the successor adds, {style.name}", (name, 0))
        one.write(f"the successor writes, {style.name}", (name, 0), b"a")
        talk.ask(f"amid its transaction, {style.name}", request, style.init_producer_id)
        talk.ask_patiently(f"when that is aborted, {style.name}", request, style.init_producer_id)
        one.write(f"the successor goes on, {style.name}", (name, 0), b"b")
        one.end(f"the successor commits, {style.name}", committed=True)
        see_log(talk, name)
        one.init(f"anew, {style.name}")


def end_and_init(talk: Talk, style: Style) -> None:
    """End a transaction, and continue with every kind of request."""
    for committed in (True, False):
        name = f"init-after-{style.name}-{committed}"
        talk.topic(name)
        one = Transactor(talk, name, style)
        first = one.init()
        one.run(committed, (name, 0))
        ended = "commit" if committed else "abort"
        last = one.producer
        one.init(f"anew after {ended}, {style.name}")
        if style.init_producer_id >= BUMPS_FROM:
            for title, who in {"first": first, "last": last, "current": one.producer}.items():
                one.init(f"with the {title} epoch after {ended}, {style.name}", who)


@scenario(transactional=True, presets=EVERYWHERE)
def init_after_a_transaction(talk: Talk) -> None:
    for style in styles(talk.release):
        end_and_init(talk, style)


def drive_to(talk: Talk, transactional_id: str, producer_epoch: int) -> Producer:
    """Bump epochs up to a given one, without steps."""
    await_coordinator(talk, transactional_id)
    request = init_producer_id(transactional_id)
    given: Message | None = None
    left = producer_epoch + 1
    while left > 0:
        many = min(left, 400)
        for answer in talk.quietly_at_once([request] * many, 0):
            given = talk.expect(InitProducerIdResponse, answer)
            left -= given.error_code == 0
    assert isinstance(given, InitProducerIdResponse)
    talk.names.learn_producer(given.producer_id)
    return Producer(given.producer_id, given.producer_epoch)


@scenario(transactional=True, slow=True, presets=("0.11", "4.4"))
def init_exhaustion(talk: Talk) -> None:
    newest = talk.latest(ApiKey.INIT_PRODUCER_ID)
    last = drive_to(talk, "init-exhaustion", LAST_EPOCH - 1)
    request = init_producer_id("init-exhaustion")
    if newest >= BUMPS_FROM:
        request = init_producer_id("init-exhaustion", last)
    talk.ask_patiently("the last epoch", request, newest)
    talk.ask_patiently("once more", init_producer_id("init-exhaustion"), newest)
    if newest >= BUMPS_FROM:
        talk.ask_patiently("the retry", request, newest)
        old = init_producer_id("init-exhaustion", replace(last, producer_epoch=LAST_EPOCH))
        talk.ask_patiently("with the old id", old, newest)
    talk.ask_patiently("and on", init_producer_id("init-exhaustion"), newest)


@scenario(transactional=True, slow=True, presets=("2.8", "4.4"))
def init_exhaustion_during_a_transaction(talk: Talk) -> None:
    *_, style = styles(talk.release)
    name = "init-exhaustion-during"
    talk.topic(name)
    one = Transactor(talk, name, style)
    one.producer = drive_to(talk, name, LAST_EPOCH)
    one.add("add with the last epoch", (name, 0))
    one.write("write with the last epoch", (name, 0), b"a")
    old = one.producer
    one.init("anew")
    see_log(talk, name)
    one.write("the old one writes", (name, 0), b"b", producer=old)
    one.end("the old one commits", committed=True, producer=old)


@scenario(transactional=True, slow=True, presets=("4.4",))
def end_exhaustion(talk: Talk) -> None:
    *_, style = styles(talk.release)
    name = "end-exhaustion"
    talk.topic(name)
    one = Transactor(talk, name, style)
    one.producer = drive_to(talk, name, LAST_EPOCH - 1)
    one.write("write", (name, 0), b"a")
    one.end("the last bump", committed=True)
    one.write("write with the last epoch", (name, 0), b"b")
    old = one.producer
    one.end("a new producer id", committed=False)
    again = end_txn(name, old, committed=False)
    talk.ask_patiently("the same again", again, style.end_txn)
    with_old = init_producer_id(name, old)
    talk.ask_patiently("with the old id", with_old, style.init_producer_id)
    opposite = end_txn(name, old, committed=True)
    talk.ask_patiently("the opposite", opposite, style.end_txn)
    one.write("the new one writes", (name, 0), b"c")
    one.end("the new one ends", committed=True)
    one.init("with the old id, later", old)
    see_log(talk, name)


@scenario(
    alone=True,
    settings={
        "unstable.api.versions.enable": "true",
        "transaction.two.phase.commit.enable": "true",
    },
    presets=("4.4", "4.4-tv1"),
)
def init_prepared(talk: Talk) -> None:
    *_, style = styles(talk.release)
    for keeps, enables in ((False, False), (True, False), (False, True), (True, True)):
        name = f"prepared-{keeps}-{enables}"
        how = f"keep {keeps}, enable {enables}"
        talk.topic(name)
        one = Transactor(talk, name, style)

        def init(
            title: str, *, name: str = name, keeps: bool = keeps, enables: bool = enables
        ) -> None:
            request = init_producer_id(name)
            request.keep_prepared_txn = keeps
            request.enable2_pc = enables
            talk.ask_patiently(title, request, 6)

        init(f"unknown, {how}")
        one.init(f"known, {how}")
        init(f"nothing begun, {how}")
        one.init(None)
        one.write(None, (name, 0), b"a")
        init(f"begun, {how}")
        init(f"once more, {how}")
        describe = DescribeTransactionsRequest(transactional_ids=[name])
        talk.ask(f"described, {how}", describe, 0)
        one.end(f"commit, {how}", committed=True)


@scenario(alone=True, settings={"unstable.api.versions.enable": "true"}, presets=("4.4",))
def init_prepared_is_not_enabled(talk: Talk) -> None:
    await_coordinator(talk, "two-phases")
    for keeps, enables in ((False, False), (True, False), (False, True), (True, True)):
        request = init_producer_id(f"two-phases-{keeps}-{enables}")
        request.keep_prepared_txn = keeps
        request.enable2_pc = enables
        talk.ask_patiently(f"keep {keeps}, enable {enables}", request, 6)
