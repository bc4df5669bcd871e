"""Requests that arrive late: the end of an earlier transaction, and a batch of an ended one."""

from mockbroker.protocol.api_keys import ApiKey
from tests.conformance.releases import EVERYWHERE
from tests.conformance.requests import Reading, Wanted, fetch, list_offsets
from tests.conformance.script import scenario
from tests.conformance.talk import Talk
from tests.conformance.transactions import (
    NOBODY,
    Style,
    Transactor,
    await_stable,
    init_producer_id,
    styles,
)

BOTH = {"commit": True, "abort": False}
BUMPS_FROM = 3
"""The first version of InitProducerId with a producer id and epoch (KIP-360)."""


def see(talk: Talk, title: str, *parts: tuple[str, int]) -> None:
    """Record steps with what readers of committed records get of partitions."""
    for name, index in parts:
        committed = fetch(talk, Wanted(name, index), reading=Reading(isolation_level=1))
        talk.ask(f"{title}: {index} has", committed, talk.latest(ApiKey.FETCH))
        stable = list_offsets((name, index, -1), isolation_level=1)
        talk.ask(f"{title}: {index} is stable up to", stable, 2)


@scenario(transactional=True, presets=EVERYWHERE)
def end_that_arrives_in_the_next_transaction(talk: Talk) -> None:
    """An EndTxn arrives again, or late, when its producer has begun another transaction."""
    for style in styles(talk.release):
        for verb, committed in BOTH.items():
            for last, is_committed in BOTH.items():
                end_late(talk, style, (verb, committed), (last, is_committed))


def end_late(talk: Talk, style: Style, late: tuple[str, bool], last: tuple[str, bool]) -> None:
    """Have a late end arrive between two writes, and end as the client wants then."""
    how = f"{late[0]} then {last[0]}, {style.name}"
    name = f"delayed-{style.name}-{late[0]}-{last[0]}"
    talk.topic(name, partitions=2)
    first, second = (name, 0), (name, 1)
    one = Transactor(talk, name, style)
    sender = one.init()
    one.add(None, first)
    one.write(None, first, b"of the first transaction")
    one.end(None, committed=late[1])
    await_stable(talk, first)
    one.add(f"the second begins, {how}", first)
    one.write(f"it writes, {how}", first, b"before it")
    one.end(f"the late end, {how}", committed=late[1], producer=sender)
    if not style.bumps:
        await_stable(talk, first)
    see(talk, f"after the late end, {how}", first)
    one.write(f"it writes to the same partition, {how}", first, b"after it")
    one.add(f"it adds another one, {how}", second)
    one.write(f"it writes there, {how}", second, b"after it, elsewhere")
    one.end(f"its own end, {how}", committed=last[1])
    await_stable(talk, second, *([first] if style.bumps else []))
    see(talk, f"in the end, {how}", first, second)


@scenario(transactional=True, presets=EVERYWHERE)
def end_that_arrives_before_the_only_end(talk: Talk) -> None:
    """The late end is all that happens to the transaction before its own end."""
    for style in styles(talk.release):
        for verb, committed in BOTH.items():
            for last, is_committed in BOTH.items():
                how = f"{verb} then {last}, {style.name}"
                name = f"delayed-whole-{style.name}-{verb}-{last}"
                talk.topic(name)
                one = Transactor(talk, name, style)
                sender = one.init()
                one.run(committed, (name, 0))
                one.add(None, (name, 0))
                one.write(None, (name, 0), b"whole")
                one.end(f"the late end, {how}", committed=committed, producer=sender)
                one.end(f"its own end, {how}", committed=is_committed)
                await_stable(talk, (name, 0))
                see(talk, f"in the end, {how}", (name, 0))


@scenario(transactional=True, presets=EVERYWHERE)
def late_batch_after_each_policy(talk: Talk) -> None:
    """A batch arrives after its transaction was ended, bumped, or left to a new instance."""
    for style in styles(talk.release):
        can_bump = style.init_producer_id >= BUMPS_FROM
        for policy in ("end", *(("bump",) if can_bump else ()), "new instance"):
            late_batch(talk, style, policy)


def late_batch(talk: Talk, style: Style, policy: str) -> None:
    """Give up a batch, react by a policy, and have the batch arrive."""
    how = f"{policy}, {style.name}"
    name = f"late-{style.name}-{policy.replace(' ', '-')}"
    talk.topic(name)
    part = (name, 0)
    one = Transactor(talk, name, style)
    sender = one.init()
    one.add(None, part)
    one.write(None, part, b"in time")
    if policy == "end":
        one.end(f"the end, {how}", committed=False)
    else:
        same = init_producer_id(name, sender if policy == "bump" else NOBODY)
        talk.ask(f"asked, {how}", same, style.init_producer_id)
        one.init(f"asked again, {how}", sender if policy == "bump" else NOBODY)
    await_stable(talk, part)
    one.write(f"the late batch, {how}", part, b"late", base_sequence=1, producer=sender)
    stable = list_offsets((name, 0, -1), isolation_level=1)
    talk.ask(f"it is stable up to, {how}", stable, 2)
    one.add(f"the next transaction begins, {how}", part)
    at = 0 if one.producer != sender else None
    one.write(f"it writes, {how}", part, b"next", base_sequence=at)
    one.end(f"it commits, {how}", committed=True)
    await_stable(talk, part)
    talk.ask(f"all of it, {how}", fetch(talk, Wanted(name)), talk.latest(ApiKey.FETCH))
