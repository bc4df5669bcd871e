"""Tables of the admin API's documents."""

import pytest

from mockbroker.cli.cluster.tables import (
    fault_text,
    groups_table,
    members_table,
    table,
    transactions_table,
)

TRANSACTION = {
    "transactional_id": "orders-svc",
    "state": "Ongoing",
    "pending_state": "PrepareCommit",
    "producer_id": 1000,
    "producer_epoch": 3,
    "coordinator": 2,
    "updated_at_ms": 1_700_000_000_000,
    "partitions": [{"topic": "orders", "partition": 0}, {"topic": "bills", "partition": 1}],
}


@pytest.fixture(autouse=True)
def no_colours(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")


def test_numbers_are_right_aligned_and_missing_values_are_dashes() -> None:
    rows = [("a", 1, None), ("bb", 22, "x")]
    assert list(table(("NAME", "COUNT", "WHAT"), rows)) == [
        "NAME  COUNT  WHAT",
        "a         1  -",
        "bb       22  x",
    ]


def test_a_table_may_have_no_rows() -> None:
    assert list(table(("A", "B"), [])) == ["A  B"]


def test_a_transaction_in_transition_shows_its_next_state() -> None:
    _titles, row = transactions_table([TRANSACTION])
    assert " ".join(row.split()) == (
        "orders-svc Ongoing > PrepareCommit 1000 3 2 2023-11-14 22:13:20.000 orders:0 bills:1"
    )


def test_a_fault_is_printed_as_its_python_expression() -> None:
    assert fault_text({"id": "r", "python": "r: fault().duplicate()"}) == "fault().duplicate()"


def test_groups_and_members_are_tables() -> None:
    orders = {"topic": "orders", "partition": 0}
    member = {
        "member_id": "a",
        "member_epoch": 3,
        "state": "UNREVOKED_PARTITIONS",
        "assigned": [orders, {"topic": "orders", "partition": 1}],
        "pending_revocation": [orders],
        "target": [],
    }
    group = {
        "group_id": "readers",
        "kind": "consumer",
        "state": "Reconciling",
        "group_epoch": 4,
        "assignment_epoch": 3,
        "coordinator": 2,
        "is_held": True,
        "members": [member],
    }
    assert [line.split() for line in groups_table([group])] == [
        ["GROUP", "KIND", "STATE", "EPOCH", "ASSIGNED", "COORDINATOR", "MEMBERS"],
        ["readers", "consumer", "Reconciling", "4", "3", "2", "1", "held"],
    ]
    assert [line.split() for line in members_table([member])] == [
        ["MEMBER", "EPOCH", "STATE", "ASSIGNED", "REVOKES", "TARGET"],
        ["a", "3", "UNREVOKED_PARTITIONS", "orders:0", "orders:1", "orders:0"],
    ]
