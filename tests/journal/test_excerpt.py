"""A failed test shows the entries that matter, and counts the others."""

import json
from itertools import count
from typing import Any

import pytest

from mockbroker.journal.entry import Entry
from mockbroker.journal.excerpt import journal_excerpt
from mockbroker.protocol.api_keys import ApiKey
from mockbroker.protocol.errors import ErrorCode


class Events:
    """Entries as a cluster records them."""

    def __init__(self) -> None:
        self.entries: list[Entry] = []
        self._calls = count(1)

    def add(self, kind: str, **columns: Any) -> None:
        self.entries.append(Entry(len(self.entries) + 1, kind, 0, 0, **columns))

    def call(self, api: ApiKey, error: ErrorCode = ErrorCode.NONE, **columns: Any) -> int:
        """Add a request and its response, and return the number of the call."""
        call = self.request(api, topic=columns.get("topic"))
        self.add("answer", call=call, api=api, version=1, error=error, **columns)
        return call

    def request(self, api: ApiKey, **columns: Any) -> int:
        call = next(self._calls)
        self.add("request", call=call, api=api, version=1, **columns)
        return call

    def fetch(self, size_bytes: int = 0, **columns: Any) -> None:
        detail = json.dumps({"bytes": size_bytes})
        self.call(ApiKey.FETCH, topic="orders", partition=0, detail=detail, **columns)

    def shown(self, lines_max: int = 40, about: str = "") -> list[str]:
        """Return the excerpt without times."""
        lines = journal_excerpt(self.entries, lines_max, about)
        return [
            line if line.startswith("…") else f"{line[:3].strip()} {line[16:]}" for line in lines
        ]


@pytest.fixture
def events() -> Events:
    return Events()


def test_polling_is_folded(events: Events) -> None:
    for _ in range(37):
        events.fetch()
    for _ in range(3):
        events.call(ApiKey.HEARTBEAT, group="g")
    events.call(ApiKey.METADATA)
    assert events.shown() == ["… 37 × Fetch (empty), 3 × Heartbeat, 1 × Metadata"]


def test_a_poll_with_a_result_is_shown(events: Events) -> None:
    events.fetch()
    events.fetch(size_bytes=70)
    events.call(ApiKey.HEARTBEAT, ErrorCode.REBALANCE_IN_PROGRESS, group="g")
    events.fetch(rule="slow-fetch")
    events.request(ApiKey.FETCH, topic="orders")
    assert [line.split(" (")[0][:40] for line in events.shown()] == [
        "… 1 × Fetch",
        "#3 request      Fetch v1 call 2 orders",
        "#4 answer       Fetch v1 call 2 orders-0",
        "#5 request      Heartbeat v1 call 3",
        "#6 answer       Heartbeat v1 call 3 grou",
        "#7 request      Fetch v1 call 4 orders",
        "#8 answer       Fetch v1 call 4 orders-0",
        "… 1 × Fetch",
    ]
    assert events.shown()[-1] == "… 1 × Fetch (unanswered)"


def test_a_heartbeat_that_changes_its_group_is_shown(events: Events) -> None:
    call = events.request(ApiKey.HEARTBEAT)
    events.add("group", call=call, group="g", state_before="Stable", state_after="Empty")
    assert [line.split()[1] for line in events.shown()] == ["request", "group"]


def test_a_call_counts_once_where_it_begins(events: Events) -> None:
    call = events.request(ApiKey.FETCH)
    events.add("leader", topic="orders", partition=0)
    events.add("answer", call=call, api=ApiKey.FETCH, version=1, error=ErrorCode.NONE)
    assert events.shown() == ["… 1 × Fetch (empty)", "#2 leader       orders-0"]


def test_errors_and_faults_come_before_all_others(events: Events) -> None:
    events.add("lost", topic="orders", partition=0)
    events.call(ApiKey.PRODUCE, ErrorCode.NOT_LEADER_OR_FOLLOWER, topic="orders", partition=0)
    for _ in range(10):
        events.call(ApiKey.END_TXN, transactional_id="t")
    events.add("fault_made", rule="fault-1")
    assert [line.split()[0] for line in events.shown(3)] == ["#1", "…", "#3", "…", "#24"]
    assert "… 10 × EndTxn" in events.shown(3)


def test_transactions_come_before_other_calls(events: Events) -> None:
    events.call(ApiKey.END_TXN, transactional_id="t")
    for _ in range(30):
        events.call(ApiKey.LIST_OFFSETS, topic="orders", partition=0)
    assert [line.split()[:2] for line in events.shown(3)] == [
        ["#1", "request"],
        ["#2", "answer"],
        ["…", "30"],
        ["#62", "answer"],
    ]


@pytest.mark.parametrize("about", ["assert_no_loss('orders'): lost", "orders-0: offset 1 is lost"])
def test_what_concerns_the_topic_of_the_failure_comes_before_other_topics(
    events: Events, about: str
) -> None:
    events.call(ApiKey.PRODUCE, topic="orders", partition=0)
    for _ in range(30):
        events.call(ApiKey.PRODUCE, topic="lost", partition=0)
    assert any("orders-0" in line for line in events.shown(2, about))
    assert not any("orders-0" in line for line in events.shown(2))


def test_the_excerpt_is_bounded(events: Events) -> None:
    for index in range(500):
        events.call(ApiKey.PRODUCE, ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, topic=f"topic-{index}")
        events.fetch()
        events.add("disconnected")
    lines = events.shown(40)
    assert len([line for line in lines if not line.startswith("…")]) == 40
    assert len(lines) <= 81


def test_few_names_are_counted_in_a_gap(events: Events) -> None:
    for api in (ApiKey.API_VERSIONS, ApiKey.FIND_COORDINATOR, ApiKey.HEARTBEAT, ApiKey.METADATA):
        events.call(api)
    events.add("connected")
    events.add("connected")
    events.fetch()
    assert events.shown() == [
        "… 2 × connected, 1 × ApiVersions, 1 × FindCoordinator, 1 × Heartbeat, 2 others"
    ]
