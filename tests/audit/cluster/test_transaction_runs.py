"""Late writes, judged by the ledger and the logs."""

from typing import Literal, TypeAlias

import pytest

from mockbroker.audit.cluster.cluster_input import ClusterInput
from mockbroker.audit.cluster.cluster_rules import input_findings
from mockbroker.audit.cluster.partition_view import LoggedBatch
from mockbroker.audit.cluster.transaction_runs import transaction_runs
from mockbroker.audit.finding import Finding
from mockbroker.journal.compact.row import Row
from mockbroker.journal.compact.transaction_event import Decision, EpochGiven
from tests.support.ledger_rows import cluster_input, logged, row

Fate: TypeAlias = Literal["open", "committed", "aborted"]
FENCED = EpochGiven(5, 0, "svc", 7, 1, 7, 0)
GIVEN = EpochGiven(1, 0, "svc", 7, 0, -1, -1)
ABORT = Decision(5, 0, "svc", 7, 0, False)


def zombies(given: ClusterInput) -> list[Finding]:
    return input_findings(given, {"ZOMBIE_WRITE_ACCEPTED"})


def latecomers(given: ClusterInput) -> list[Finding]:
    return input_findings(given, {"APPEND_AFTER_MARKER"})


def batch(came_at: int, appended_at: int, offset: int = 0, producer_epoch: int = 0) -> Row:
    return row(
        came_at, offset, appended_at=appended_at, producer_id=7, producer_epoch=producer_epoch,
        base_sequence=0, flags=1,
    )  # fmt: skip


def marker(offset: int, *, is_commit: bool) -> LoggedBatch:
    return LoggedBatch(offset, offset, 7, 1, -1, "marker", is_commit, False)


def looked(*rows: Row, fate: Fate, **events: list[EpochGiven] | list[Decision]) -> ClusterInput:
    """Give rows of a producer behind which stands a marker, if one does."""
    ended = [] if fate == "open" else [marker(len(rows), is_commit=fate == "committed")]
    held = [logged(each.base_offset) for each in rows]
    made = cluster_input(*rows, batches=[*held, *ended], **events)  # type: ignore[arg-type]
    return made._replace(late=frozenset({7}))


@pytest.mark.parametrize(
    ("appended_at", "fate", "is_one"),
    [(4, "open", False), (6, "open", True), (6, "committed", True), (6, "aborted", False)],
)
def test_a_producer_that_writes_after_it_was_fenced_is_a_zombie(
    appended_at: int, fate: Fate, is_one: bool
) -> None:
    found = zombies(looked(batch(appended_at, appended_at), fate=fate, epochs=[GIVEN, FENCED]))
    assert bool(found) is is_one
    assert all(finding.first_offset == 0 for finding in found)


def test_what_a_replaced_leader_appends_alone_is_no_zombie_write() -> None:
    rows = [
        row(
            order, offset, appended_at=order, producer_id=7, producer_epoch=epoch,
            base_sequence=0, flags=1, leader_epoch=leader_epoch,
        )
        for order, offset, epoch, leader_epoch in ((6, 0, 1, 1), (7, 1, 0, 0))
    ]  # fmt: skip
    assert zombies(looked(*rows, fate="open", epochs=[GIVEN, FENCED])) == []
    led = [rows[0], rows[1]._replace(leader_epoch=1)]
    assert len(zombies(looked(*led, fate="open", epochs=[GIVEN, FENCED]))) == 1


def test_a_zombie_is_reported_with_the_producer_that_fenced_it() -> None:
    (finding,) = zombies(looked(batch(6, 6), fate="open", epochs=[FENCED]))
    assert finding.text == (
        "orders-0: offset 0 (producer 7 epoch 0 #0) was appended after 'svc' had got "
        "producer 7 epoch 1, which fenced the sender"
    )


def test_a_new_producer_id_fences_too() -> None:
    succeeded = EpochGiven(5, 0, "svc", 9, 0, 7, 0)
    (finding,) = zombies(looked(batch(6, 6), fate="open", epochs=[GIVEN, succeeded]))
    assert "had got producer 9 epoch 0" in finding.text


def test_the_new_writer_is_no_zombie() -> None:
    rows = batch(6, 6), batch(7, 7, 1, producer_epoch=1)
    (finding,) = zombies(looked(*rows, fate="committed", epochs=[GIVEN, FENCED]))
    assert finding.first_offset == 0
    assert zombies(looked(rows[1]._replace(base_offset=0), fate="open", epochs=[FENCED])) == []


def test_a_zombie_whose_batch_was_deleted_is_no_finding() -> None:
    gone = cluster_input(batch(6, 6), epochs=[FENCED])._replace(late=frozenset({7}))
    assert zombies(gone) == []


@pytest.mark.parametrize(
    ("came_at", "appended_at", "fate", "is_one"),
    [
        (4, 6, "committed", True),
        (4, 6, "aborted", False),
        (4, 6, "open", False),
        (6, 7, "committed", False),
        (3, 4, "committed", False),
    ],
)
def test_a_batch_sent_before_an_abort_must_not_be_committed_with_the_next_transaction(
    came_at: int, appended_at: int, fate: Fate, is_one: bool
) -> None:
    made = looked(batch(came_at, appended_at), fate=fate, epochs=[GIVEN], decisions=[ABORT])
    found = latecomers(made)
    assert bool(found) is is_one
    for finding in found:
        assert finding.first_offset == 0
        assert "was sent before 'svc' aborted, arrived after it, and is committed" in finding.text


def test_without_late_producers_nothing_is_found() -> None:
    regular = looked(batch(6, 6), fate="open", epochs=[FENCED])._replace(late=frozenset())
    assert zombies(regular) == latecomers(regular) == []


def test_markers_come_after_the_batches_appended_before_them() -> None:
    rows = batch(2, 2), batch(8, 8, 2)
    held = [logged(0), marker(1, is_commit=False), logged(2)]
    made = cluster_input(*rows, batches=held, decisions=[ABORT])._replace(late=frozenset({7}))
    kinds = [run.kind for run in transaction_runs(made)]
    assert kinds == [
        *("request", "append", "transaction", "marker"),
        *("transaction", "request", "append"),
    ]
    assert [run.base_offset for run in transaction_runs(made) if run.kind == "marker"] == [1]
