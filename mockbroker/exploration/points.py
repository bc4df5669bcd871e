"""Points: the calls of a program, named so that another run reaches the same one."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple

from mockbroker.control.topics.handler_client import CLIENT_ID as APPENDS
from mockbroker.events.event_types import NO_CONNECTION
from mockbroker.faults.call_facts import selectable
from mockbroker.journal.entry import Entry
from mockbroker.protocol.api_keys import ApiKey
from mockbroker.protocol.errors import ErrorCode

_OWNERS: Final = ("transactional_id", "group")
_UUID: Final = "[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}"
_OF_EACH_CLIENT: Final = re.compile(
    rf"{_UUID}|\d{{4,}}|(?<=^aiokafka-producer-)\d+$|(?<=^kafka-python-producer-)\d+$"
)
"""Parts of client ids that differ in each run: UUIDs, process ids, times; and the numbers that
clients of Python count over all runs in a process."""
_OF_EACH_OWNER: Final = re.compile(rf"{_UUID}|(?=[a-f]*\d)[0-9a-f]{{8,}}|\d{{5,}}")
"""Parts of transactional ids and groups that differ in each run: UUIDs and parts of them, process
ids, times. A year is kept: steps can name only what lasts."""
_NO_STATE: Final = ""


class Point(NamedTuple):
    """The n-th call of a client with an API, for a transactional id or a group if it has one.

    Points have no time, so that another order of threads reaches the same one.
    """

    api: ApiKey
    client_id: str | None
    """The client; `*` stands for what differs in each run."""
    owner: tuple[str, str] | None
    """`transactional_id` or `group`, and its value; `*` as in `client_id`."""
    number: int
    """Number of the call among those with the same API, client and owner, from 1."""

    def match(self) -> dict[str, Any]:
        """Return the selectors of a fault that match it, together with `number`."""
        given = {"api": self.api.title, "client_id": self.client_id}
        given |= {} if self.owner is None else dict([self.owner])
        return {name: value for name, value in given.items() if value is not None}

    def __str__(self) -> str:
        """Name the point."""
        owner = "" if self.owner is None else f", {self.owner[0]} {self.owner[1]!r}"
        return f"{self.api.title} {self.number} of client {self.client_id!r}{owner}"


class SeenCall(NamedTuple):
    """A call of the run without faults, and what was the case when it arrived."""

    point: Point
    version: int
    """The version of the request."""
    state: str
    """State of its transactional id or its group; empty if it has neither."""
    partitions: tuple[tuple[str, int], ...]
    """The partitions that the request names."""
    transactional_id: str | None
    """The transactional id; None if there is none, or if the next run has another."""
    group: str | None = None
    """The group; None if there is none, or if the next run has another."""
    group_state: str = ""
    """State of the group; empty if there is none."""
    has_coordinator: bool = True
    """False if no earlier call named a transactional id, or a group: nobody coordinates it yet."""
    next_produce: Point | None = None
    """The first Produce in the next transaction, after an EndTxn."""
    acks: int | None = None
    """The acknowledgements that a Produce asks for; None for other requests."""
    has_producer_id: bool = False
    """True for a request of an idempotent producer."""
    around: str = ""
    """States of the other transactional ids and groups, and what was answered to the call before
    this one with the same API, client and owner. Without names and numbers, so that two calls in
    the same situation have the same text."""

    @property
    def situation(self) -> tuple[ApiKey, str, str]:
        """The cluster when it arrived, normalised: calls of the same situation are alike."""
        return self.point.api, self.state, self.around


def calls_of(entries: Iterable[Entry]) -> list[SeenCall]:
    """Return the calls of clients in a journal, in order."""
    numbers: Counter[object] = Counter()
    seen = _Seen({}, {}, {}, set())
    calls: list[SeenCall] = []
    for rows in _requests(entries, seen):
        first = rows[0]
        assert first.api is not None
        assert first.version is not None
        owner = _owner(rows, selectable(first.api, range(first.version, first.version + 1)))
        state = _NO_STATE if owner is None else seen.states.get(owner[1], _NO_STATE)
        others = {each for name, each in seen.states.items() if owner is None or name != owner[1]}
        if owner is not None:
            owner = owner[0], _OF_EACH_OWNER.sub("*", owner[1])
        client = None if first.client_id is None else _OF_EACH_CLIENT.sub("*", first.client_id)
        named = (first.api, client, owner)
        numbers[named] += 1
        around = [*sorted(others), *seen.answer_before(named, first.call)]
        calls.append(
            SeenCall(
                Point(*named, number=numbers[named]),
                first.version,
                state,
                tuple(dict.fromkeys(_partitions(rows))),
                _lasting(row.transactional_id for row in rows),
                group := _lasting(row.group for row in rows),
                seen.states.get(group or "", _NO_STATE),
                has_coordinator=seen.has_coordinator(owner),
                acks=first.acks,
                has_producer_id=any(
                    row.producer_id is not None and row.producer_id >= 0 for row in rows
                ),
                around=", ".join(around),
            )
        )
    return list(_with_next_produce(calls))


class _Seen(NamedTuple):
    """What was seen up to an entry."""

    states: dict[str, str]
    """States of transactional ids and groups."""
    answers: dict[int | None, str | None]
    """The error of each answered call; None without one."""
    last_calls: dict[object, int | None]
    """The last call with the same API, client and owner."""

    owners: set[str]
    """Kinds of owners that calls have named: their first FindCoordinator makes coordinators."""

    def has_coordinator(self, owner: tuple[str, str] | None) -> bool:
        """Return whether an owner had a coordinator before this call."""
        if owner is None:
            return True
        kind = owner[0]
        is_known = kind in self.owners
        self.owners.add(kind)
        return is_known

    def answer_before(self, named: object, call: int | None) -> list[str]:
        """Return what the call before this one was answered, if that was no success."""
        before = self.last_calls.get(named)
        is_first = named not in self.last_calls
        self.last_calls[named] = call
        answer = None if is_first else self.answers.get(before, "no answer")
        return [] if answer is None else [f"after {answer}"]


def _with_next_produce(calls: Sequence[SeenCall]) -> Iterator[SeenCall]:
    for index, call in enumerate(calls):
        if call.point.api is not ApiKey.END_TXN:
            yield call
            continue
        later = (
            each.point
            for each in calls[index:]
            if (each.point.api, each.point.owner) == (ApiKey.PRODUCE, call.point.owner)
        )
        yield call._replace(next_produce=next(later, None))


def _requests(entries: Iterable[Entry], seen: _Seen) -> Iterator[list[Entry]]:
    """Yield the rows of each request of a client; `seen` follows what else occurs."""
    rows: list[Entry] = []
    for entry in entries:
        if rows and (entry.kind != "request" or entry.call != rows[0].call):
            yield rows
            rows = []
        is_of_a_client = entry.connection != NO_CONNECTION and entry.client_id != APPENDS
        if entry.kind == "request" and is_of_a_client:
            rows.append(entry)
        elif entry.kind in {"transaction", "group"} and entry.state_after is not None:
            owner = entry.transactional_id or entry.group
            if owner is not None:
                seen.states[owner] = entry.state_after
        elif entry.kind == "answer":
            failed = entry.error is not None and entry.error is not ErrorCode.NONE
            if failed or seen.answers.get(entry.call) is None:
                seen.answers[entry.call] = entry.error.name if failed and entry.error else None
    if rows:
        yield rows


def _owner(rows: Iterable[Entry], can_select: Iterable[str]) -> tuple[str, str] | None:
    found: Mapping[str, str] = {
        name: value for row in rows for name in _OWNERS if (value := getattr(row, name))
    }
    return next(
        ((name, found[name]) for name in _OWNERS if name in found and name in can_select), None
    )


def _lasting(names: Iterable[str | None]) -> str | None:
    """Return the first name that the next run has too."""
    return next((each for each in names if each and not _OF_EACH_OWNER.search(each)), None)


def _partitions(rows: Iterable[Entry]) -> Iterator[tuple[str, int]]:
    for row in rows:
        if row.topic is not None and row.partition is not None:
            yield row.topic, row.partition
