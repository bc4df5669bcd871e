"""Entries of the records of share groups, from a running cluster."""

import json
from collections.abc import Iterator
from typing import Any

import pytest

from mockbroker import Cluster
from mockbroker.journal.entry import KINDS, Entry
from mockbroker.journal.group_rows import share_rows
from mockbroker.protocol.api_keys import ApiKey
from mockbroker.protocol.errors import ErrorCode
from mockbroker.protocol.types import Uuid
from mockbroker.state.events import SharePlace, ShareStateReset
from mockbroker.wire import WireProducer
from tests.support.share_members import (
    ACCEPT,
    AT_ONCE,
    EARLIEST,
    REJECT,
    RELEASE,
    RENEW,
    SHARERS,
    joined,
    set_up,
)

SHARE_KINDS = (
    *("acquired", "acknowledged", "lock_expired", "session_released", "archived"),
    *("share_start", "share_loaded", "share_reset"),
)


@pytest.fixture
def cluster() -> Iterator[Cluster]:
    with (
        Cluster(topics={"orders": 1}, config=AT_ONCE, journal=True, clock="manual") as running,
        WireProducer(running.bootstrap_servers) as producer,
    ):
        set_up(running, {**EARLIEST, "share.delivery.count.limit": "2"})
        for number in range(4):
            producer.produce("orders", b"order %d" % number, base_sequence=-1)
        yield running


def shown(entry: Entry) -> tuple[Any, ...]:
    detail = json.loads(entry.detail or "{}")
    detail.pop("state_epoch", None)
    offsets = [each for each in (entry.base_offset, entry.last_offset) if each is not None]
    return (entry.kind, *offsets, *detail.values())


def told(cluster: Cluster) -> list[tuple[Any, ...]]:
    """Return the entries of the group's records so far."""
    entries = cluster.journal.find(kind=SHARE_KINDS)
    assert {(each.group, each.topic, each.partition) for each in entries} == {
        (SHARERS, "orders", 0)
    }
    return [shown(each) for each in entries]


def test_deliveries_are_entries_from_the_first_to_the_last(cluster: Cluster) -> None:
    with joined(cluster) as member:
        assert member.fetch(records_max=3) == [(0, 2, 1)]
        assert member.acknowledge(0, 2, [ACCEPT, RELEASE, REJECT]) is ErrorCode.NONE
        assert member.fetch(records_max=2) == [(1, 1, 2), (3, 3, 1)]
        cluster.clock.advance("40s")
        assert member.fetch() == [(3, 3, 2)]
        assert member.acknowledge(3, 3, [RENEW]) is ErrorCode.NONE
        assert member.acknowledge(3, 3, [ACCEPT]) is ErrorCode.NONE
    assert told(cluster) == [
        ("share_reset", -1),
        ("share_loaded", 0),
        ("acquired", 0, 2, "a", 1, 2),
        ("acknowledged", 0, 0, "a", "accept", 2),
        ("acknowledged", 1, 1, "a", "release", 2),
        ("acknowledged", 2, 2, "a", "reject", 2),
        ("share_start", 1, 0),
        ("acquired", 1, 1, "a", 2, 2),
        ("acquired", 3, 3, "a", 1, 2),
        ("lock_expired", 1, 1, True, 2, 2),
        ("archived", 1, 1, 2, 2),
        ("share_start", 3, 1),
        ("lock_expired", 3, 3, True, 1, 2),
        ("acquired", 3, 3, "a", 2, 2),
        ("acknowledged", 3, 3, "a", "renew", 2),
        ("acknowledged", 3, 3, "a", "accept", 2),
        ("share_start", 4, 3),
    ]
    (first,) = cluster.journal.find(kind="acquired", base_offset=0)
    assert (first.api, first.broker) == (ApiKey.SHARE_FETCH, 1)


def test_what_is_released_with_a_session_is_an_entry(cluster: Cluster) -> None:
    with joined(cluster) as member:
        member.fetch(records_max=1)
        member.acknowledge(0, 0, [RELEASE])
        member.fetch(records_max=1)
        member.reconnect()
        member.fetch(records_max=1)
        found = told(cluster)  # the end of the connection would be told as well
    released = found.index(("session_released", 0, 0, "a", True, 2, 2))
    assert found[released + 1 :][:2] == [("archived", 0, 0, 2, 2), ("share_start", 1, 0)]
    assert found[-1] == ("acquired", 1, 1, "a", 1, 2)


def test_a_refused_acknowledgement_is_no_entry(cluster: Cluster) -> None:
    with joined(cluster) as member:
        member.fetch(records_max=1)
        assert member.acknowledge(1, 1, [ACCEPT]) is ErrorCode.INVALID_REQUEST
    assert not cluster.journal.find(kind="acknowledged")


def test_answers_with_records_of_share_groups_are_entries(cluster: Cluster) -> None:
    with joined(cluster) as member:
        member.fetch()
    answers = cluster.journal.find(ApiKey.SHARE_FETCH, kind="answer", topic="orders")
    assert {each.error for each in answers} == {ErrorCode.NONE}


def test_a_deleted_state_has_no_epoch() -> None:
    place = SharePlace("g", Uuid(int=7), 0, 1)
    ((kind, facts),) = share_rows(ShareStateReset(place, -1, None), lambda _: None)
    assert (kind, facts["topic"]) == ("share_reset", str(Uuid(int=7)))
    assert facts["detail"] == {"state_epoch": None}


def test_all_kinds_are_declared() -> None:
    assert set(SHARE_KINDS) <= set(KINDS)
