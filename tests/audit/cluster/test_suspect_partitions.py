"""Choice of the partitions that may break a rule."""

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mockbroker.audit.cluster.cluster_input import attempt_of
from mockbroker.audit.cluster.suspect_partitions import late_producers, suspect_partitions
from mockbroker.audit.log_evidence import Extent, LogTruncation
from mockbroker.audit.rules.records.loss_rules import lost
from mockbroker.audit.rules.records.payload_rules import repetitions
from mockbroker.events.produce_outcome import Appended, ResponseOutcome
from mockbroker.journal.compact.ledger import Ledger
from mockbroker.journal.compact.row import Flag, Row
from mockbroker.journal.compact.transaction_event import Decision, EpochGiven
from mockbroker.protocol.types import TopicPartition
from tests.support.ledger_rows import row
from tests.support.log_evidence import log_evidence

END = 100


def ends_at(end: int) -> Callable[[int], int]:
    """Give where leader epochs end of which only the first is known."""

    def epoch_end(leader_epoch: int) -> int:
        return end if leader_epoch == 0 else -1

    return epoch_end


WHOLE = Extent(0, END, ends_at(END))
IDEMPOTENT = {"producer_id": 7, "producer_epoch": 0}


def ledger_of(*rows: Row) -> Ledger:
    ledger = Ledger()
    ledger.number_of(TopicPartition("orders", 0))
    for each in rows:
        ledger.add(*each)
    return ledger


def is_irregular(*rows: Row, extent: Extent = WHOLE) -> bool:
    return bool(suspect_partitions(ledger_of(*rows), {0: extent}))


def test_batches_appended_and_acknowledged_one_after_another_are_regular() -> None:
    assert not is_irregular(
        row(1, 0, base_sequence=0, record_count=3, **IDEMPOTENT),
        row(2, 3),
        row(3, 4, base_sequence=3, **IDEMPOTENT),
        row(4, 5, base_sequence=0, producer_id=7, producer_epoch=1),
        row(5, 6, answer=ResponseOutcome.UNWANTED),
        row(6, -1, appended=Appended.NO, error_code=7),
        row(7, 7),
    )


@pytest.mark.parametrize(
    "second",
    [
        row(2, 1, base_sequence=0, **IDEMPOTENT),
        row(2, 1, base_sequence=5, **IDEMPOTENT),
        row(1, 1, flags=Flag.REPEATED),
        row(2, -1, appended=Appended.NO),
        row(2, 0, appended=Appended.RETRY),
        row(2, END),
        row(2, 1, leader_epoch=1),
    ],
)
def test_rows_that_may_break_a_rule_are_irregular(second: Row) -> None:
    first = row(1, 0, base_sequence=0, **IDEMPOTENT)
    assert not is_irregular(first)
    assert is_irregular(first, second)


@pytest.mark.parametrize(
    "changes",
    [
        {"answer": ResponseOutcome.LOST},
        {"error_code": 7},
        {"answered_at": 5},
        {"answer": ResponseOutcome.NONE_YET},
    ],
)
def test_a_batch_that_arrives_before_an_acknowledgement_is_irregular(
    changes: dict[str, int],
) -> None:
    assert is_irregular(row(1, 0, **changes), row(2, 1))
    assert not is_irregular(row(1, 0, **changes)), "nothing came behind it"


def test_a_truncated_log_is_irregular() -> None:
    ledger = ledger_of(row(1, 0))
    ledger.truncated(TopicPartition("orders", 0), 1, 50)
    assert suspect_partitions(ledger, {0: WHOLE}) == {0}
    assert suspect_partitions(ledger, {}) == set()


outcomes = st.fixed_dictionaries(
    {},
    optional={
        "answer": st.sampled_from([int(each) for each in ResponseOutcome]),
        "error_code": st.sampled_from([0, 7]),
        "appended": st.sampled_from([int(each) for each in Appended]),
        "leader_epoch": st.integers(0, 1),
        "flags": st.sampled_from([0, int(Flag.REPEATED)]),
        "connection": st.integers(1, 2),
        "late_by": st.integers(0, 3),
        "producer_id": st.sampled_from([-1, 7]),
        "base_sequence": st.integers(0, 2),
    },
)


@given(st.lists(outcomes, max_size=4), st.integers(1, 5), st.booleans())
def test_a_regular_partition_has_no_losses_and_no_duplicates(
    drawn: list[dict[str, int]], end: int, is_cut: bool
) -> None:
    rows: list[Row] = []
    for index, each in enumerate(drawn):
        changes = dict(each)
        late_by = changes.pop("late_by", 0)
        came_at = index + 1
        rows.append(row(came_at, index, answered_at=came_at + late_by, **changes))
    ledger = ledger_of(*rows)
    cuts = [LogTruncation(3, 1)] if is_cut else []
    if is_cut:
        ledger.truncations[0] = [(3, 1)]
    extent = Extent(0, end, ends_at(end))
    if suspect_partitions(ledger, {0: extent}):
        return
    attempts = [attempt_of(each, {}) for each in rows]
    contents = dict.fromkeys(range(end), b"all alike")
    log = log_evidence(
        *attempts, contents=contents, cuts=cuts, log_end=end, epoch_ends={0: end, 1: -1}
    )
    assert not [*lost(log), *repetitions(log)]


def test_late_producers_are_found_by_epochs_and_decisions() -> None:
    batch = row(4, 0, appended_at=6, **IDEMPOTENT)
    ledger = ledger_of(batch)
    assert late_producers(ledger) == set()
    ledger.epochs.append(EpochGiven(7, 0, "svc", 7, 1, 7, 0))
    assert late_producers(ledger) == set(), "replaced after it had written"
    ledger.epochs.insert(0, EpochGiven(5, 0, "svc", 7, 1, 7, 0))
    assert late_producers(ledger) == {7}, "replaced twice, and before it wrote"
    ledger.epochs.clear()
    for order, found in ((3, set[int]()), (5, {7}), (7, set[int]())):
        ledger.decisions[:] = [Decision(order, 0, "svc", 7, 0, False)]
        assert late_producers(ledger) == found
    ledger.decisions[:] = [Decision(5, 0, "svc", 7, 0, True)]
    assert late_producers(ledger) == set()
