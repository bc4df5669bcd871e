import pytest

from mockbroker.audit.judgement import judge
from mockbroker.audit.rules.rule_table import TOPIC
from mockbroker.audit.runs.run import (
    SEQUENCES,
    Run,
)
from mockbroker.audit.source import Source
from tests.audit.rows import (
    an_event,
    batch,
    end_of,
    found,
    rules_of,
)

_ZERO = batch(1, 0, offset=0)
_ONE = batch(2, 1, offset=1)
_TWO = batch(3, 2, offset=2)


def test_sequences_in_order_are_clean() -> None:
    assert not found(_ZERO, _ONE, _TWO)


def test_a_duplicate_causes_no_gap() -> None:
    (finding,) = found(_ZERO, _ONE, batch(3, 0, offset=2), batch(4, 2, offset=3))
    assert (finding.rule, finding.first_offset) == ("DUPLICATE_APPEND", 2)
    assert finding.evidence == (2, 3)


def test_duplicates_one_after_another_are_one_finding() -> None:
    (finding,) = found(_ZERO, _ONE, batch(3, 0, offset=2), batch(4, 1, offset=3))
    assert (finding.first_offset, finding.last_offset) == (2, 3)
    assert "offsets 2..3 (producer 7 epoch 0) were appended" in finding.text


def test_a_recognised_retry_is_no_finding() -> None:
    assert not found(_ZERO, _ONE, batch(3, 1, offset=1)._replace(is_duplicate=True))


def test_a_gap_and_its_late_batch_are_one_finding() -> None:
    rows = [_ZERO, batch(2, 2, offset=1), batch(3, 1, offset=2), batch(4, 3, offset=3)]
    (finding,) = found(*rows)
    assert (finding.rule, finding.first_offset) == ("SEQUENCE_GAP", 1)
    assert finding.evidence == (1, 2)


@pytest.mark.parametrize("odd", [5, SEQUENCES - 3])
def test_a_single_batch_with_a_wrong_sequence_is_one_finding(odd: int) -> None:
    rows = [_ZERO, _ONE, batch(3, odd, offset=2), batch(4, 3, offset=3), batch(5, 4, offset=4)]
    assert len(found(*rows)) == 1


def test_zero_follows_the_last_sequence() -> None:
    last = batch(1, SEQUENCES - 2, offset=5, count=2)
    assert not found(last, batch(2, 0, offset=7), batch(3, 1, offset=8))


def test_a_first_write_that_is_missing_is_a_gap_where_the_log_is_known_from_its_beginning() -> None:
    first = batch(1, 3, offset=0)
    assert rules_of(first) == ["SEQUENCE_GAP"]
    later = batch(1, 3, offset=9)
    verdict = judge([later, batch(2, 4, offset=10)])
    assert not verdict.findings
    assert verdict.unknown == ("a-0: the batches of a producer before the evidence begins",)


def test_a_log_that_was_truncated_before_its_first_batch_is_not_known_from_its_beginning() -> None:
    cut, again = an_event(1, "truncation", offset=0), batch(2, 3, offset=0)
    assert not found(cut, again)
    created = an_event(0, "topic_created", partition=None)
    assert rules_of(created, again) == ["SEQUENCE_GAP"]


def test_an_epoch_begins_at_zero() -> None:
    assert not found(_ZERO, batch(2, 0, offset=1, producer=(7, 1)))
    assert rules_of(_ZERO, batch(2, 1, offset=1, producer=(7, 1))) == ["SEQUENCE_GAP"]


def test_a_lower_epoch_is_found() -> None:
    (finding,) = found(_ZERO, batch(2, 0, offset=1, producer=(7, 1)), batch(3, 1, offset=2))
    assert (finding.rule, finding.first_offset) == ("EPOCH_REGRESSION", 2)


def test_without_coordinator_events_a_marker_raises_the_epoch() -> None:
    rows = [_ZERO, end_of(2, "ABORT", offset=1, producer=(7, 1)), batch(3, 1, offset=2)]
    assert rules_of(*rows, source=Source(facts=TOPIC)) == ["EPOCH_REGRESSION"]
    regular = [*rows[:2], batch(3, 0, offset=2, producer=(7, 1))]
    assert not found(*regular, source=Source(facts=TOPIC))
    lower = [*regular, end_of(4, "ABORT", offset=3)]
    assert rules_of(*lower, source=Source(facts=TOPIC)) == ["EPOCH_REGRESSION"]


@pytest.mark.parametrize(
    "forgets",
    [
        an_event(4, "producer_expired", producer_id=7),
        an_event(4, "log_start", offset=3),
    ],
)
def test_a_forgotten_producer_that_starts_over_is_found(forgets: Run) -> None:
    rows = [_ZERO, _ONE, _TWO, forgets]
    assert rules_of(*rows, batch(5, 0, offset=3)) == ["UNKNOWN_PID_RESET"]
    assert not found(*rows, batch(5, 3, offset=3))
    assert rules_of(*rows, batch(5, 1, offset=3)) == ["DUPLICATE_APPEND"]


def test_without_an_expiry_event_a_producer_is_forgotten_after_a_day() -> None:
    late = batch(4, 0, offset=2)._replace(virtual_time_ms=90_000_000)
    assert rules_of(_ZERO, _ONE, late) == ["UNKNOWN_PID_RESET"]


def test_truncated_sequences_may_be_sent_again() -> None:
    cut = an_event(4, "truncation", offset=1)
    assert not found(_ZERO, _ONE, _TWO, cut, batch(5, 1, offset=1), batch(6, 2, offset=2))
    beyond = [_ZERO, _ONE, _TWO, cut, batch(5, 5, offset=1)]
    assert rules_of(*beyond) == ["SEQUENCE_GAP"]


def test_a_new_leader_with_a_shorter_log_truncates_too() -> None:
    again = batch(4, 1, offset=1, leader_epoch=1)
    assert not found(_ZERO, _ONE, _TWO, again, batch(5, 2, offset=2, leader_epoch=1))


def test_batches_of_an_isolated_leader_do_not_count() -> None:
    rows = [_ZERO, an_event(2, "leader", leader_epoch=1), batch(3, 5, offset=1)]
    assert not found(*rows, batch(4, 1, offset=1, leader_epoch=1))


def test_a_recreated_topic_has_no_sequences() -> None:
    deleted = an_event(3, "topic_deleted", partition=None)
    created = an_event(4, "topic_created", partition=None)
    assert not found(_ZERO, _ONE, deleted, created, batch(5, 2, offset=0))
    assert not found(_ZERO, _ONE, deleted, created, batch(5, 0, offset=0))


def test_compaction_leaves_gaps() -> None:
    verdict = judge([_ZERO, batch(3, 5, offset=5)], Source(compacted=frozenset({"a"})))
    assert not verdict.findings
    assert "compaction" in " ".join(verdict.unknown)


def test_offsets_committed_in_transactions_have_no_sequences() -> None:
    rows = [
        batch(seq, 0, offset=seq, transactional=True)._replace(topic="__consumer_offsets")
        for seq in range(3)
    ]
    assert "DUPLICATE_APPEND" not in rules_of(*rows)
