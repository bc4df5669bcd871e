import pytest

from mockbroker.audit.runs.run import Run
from tests.audit.application_rows import answered
from tests.audit.rows import an_event, batch, end_of, found, rules_of

_RULE = "ABORTED_AFTER_DELIVERY"


def _write(seq: int, offset: int, producer: tuple[int, int] = (7, 0)) -> Run:
    return batch(seq, 0, offset=offset, count=2, producer=producer, transactional=True, stable=0)


def _aborted(*runs: Run) -> list[str]:
    return [each for each in rules_of(*runs) if each == _RULE]


def test_what_was_delivered_and_then_aborted_is_found() -> None:
    runs = _write(1, 0), answered(2, 0, 1, stable=0), end_of(3, "ABORT", offset=2)
    (finding,) = [each for each in found(*runs) if each.rule == _RULE]
    assert (finding.first_offset, finding.last_offset, finding.producer_id) == (0, 1, 7)
    assert finding.evidence == (1, 2, 3)
    assert finding.text == (
        "a-0: offsets 0 to 1 were delivered to 'reader' (read_uncommitted) before the transaction"
        " of producer 7 epoch 0 was aborted"
    )


def test_a_release_that_does_not_say_what_is_stable_delivers_the_same() -> None:
    runs = _write(1, 0), answered(2, 0, 1, stable=-1), end_of(3, "ABORT", offset=2)
    assert _aborted(*runs) == [_RULE]


def test_what_is_committed_or_undecided_is_no_finding() -> None:
    runs = _write(1, 0), answered(2, 0, 1, stable=0)
    assert not _aborted(*runs)
    assert not _aborted(*runs, end_of(3, "COMMIT", offset=2))


def test_a_reader_of_what_is_decided_or_a_read_committed_reader_is_no_finding() -> None:
    abort = end_of(2, "ABORT", offset=2)
    assert not _aborted(_write(1, 0), abort, answered(3, 0, 2, stable=3))
    assert not _aborted(_write(1, 0), answered(2, 0, 1, level=1, stable=0), abort)
    assert not _aborted(_write(1, 4), answered(2, 0, 3, stable=4), end_of(3, "ABORT", offset=6))
    assert not _aborted(_write(1, 4), answered(2, 0, 3, stable=-1), end_of(3, "ABORT", offset=6))


def test_each_reader_and_each_transaction_has_a_finding() -> None:
    writes = _write(1, 0), _write(2, 2, (8, 0))
    reads = (
        answered(3, 0, 1, stable=0),
        answered(4, 2, 3, stable=0),
        answered(5, 0, 3, "b", stable=0),
    )
    ends = end_of(6, "ABORT", offset=4), end_of(7, "ABORT", offset=5, producer=(8, 0))
    all_found = [each for each in found(*writes, *reads, *ends) if each.rule == _RULE]
    assert [(each.first_offset, each.last_offset, each.evidence) for each in all_found] == [
        (0, 1, (1, 3, 6)),
        (0, 1, (1, 5, 6)),
        (2, 3, (2, 4, 7)),
        (2, 3, (2, 5, 7)),
    ]


def test_a_reader_that_gets_a_transaction_in_parts_has_one_finding() -> None:
    writes = _write(1, 0), answered(2, 0, 1, stable=0), _write(3, 2), answered(4, 2, 3, stable=0)
    (finding,) = [
        each for each in found(*writes, end_of(5, "ABORT", offset=4)) if each.rule == _RULE
    ]
    assert (finding.first_offset, finding.last_offset, finding.evidence) == (0, 3, (1, 2, 5))


@pytest.mark.parametrize(
    "event",
    [
        an_event(3, "truncation", offset=0),
        an_event(3, "topic_deleted", partition=None),
        an_event(3, "event", partition=None)._replace(detail='{"event":"reset"}'),
    ],
)
def test_records_that_are_gone_are_not_aborted(event: Run) -> None:
    runs = _write(1, 0), answered(2, 0, 1, stable=0), event
    assert not _aborted(*runs, end_of(4, "ABORT", offset=0))
