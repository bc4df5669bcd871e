"""One finding for one cause."""

from mockbroker.audit.causes import by_cause
from mockbroker.audit.finding import Finding, Severity
from mockbroker.audit.judgement import judge
from tests.audit.rows import an_event, batch, end_of, transition

ZOMBIE = Finding(
    "ZOMBIE_WRITE_ACCEPTED", Severity.ERROR, "orders-0: a zombie", topic="orders", partition=0,
    producer_id=7, first_offset=3, last_offset=3, evidence=(4, 9),
)  # fmt: skip
HANGING = ZOMBIE._replace(rule="HANGING_TXN", text="orders-0: it hangs", evidence=(9,))
STUCK = ZOMBIE._replace(rule="LSO_STUCK", text="orders-0: it is stuck", evidence=(9, 12))


def test_what_follows_from_a_batch_is_listed_with_its_first_cause() -> None:
    (finding,) = by_cause([STUCK, HANGING, ZOMBIE])
    assert finding == ZOMBIE._replace(
        evidence=(4, 9, 12),
        consequences=("HANGING_TXN: it hangs", "LSO_STUCK: it is stuck"),
    )
    assert finding.rules == {"ZOMBIE_WRITE_ACCEPTED", "HANGING_TXN", "LSO_STUCK"}
    (finding,) = by_cause([STUCK, HANGING])
    assert (finding.rule, finding.evidence) == ("HANGING_TXN", (9, 12))


def test_findings_about_different_batches_are_different_findings() -> None:
    others = [
        HANGING._replace(first_offset=4),
        HANGING._replace(producer_id=8),
        HANGING._replace(partition=1),
        STUCK._replace(producer_id=None),
        ZOMBIE._replace(rule="SEQUENCE_GAP"),
    ]
    assert sorted(by_cause([ZOMBIE, *others])) == sorted([ZOMBIE, *others])
    assert ZOMBIE.rules == {"ZOMBIE_WRITE_ACCEPTED"}


def test_what_happened_at_the_same_offset_of_another_log_is_no_consequence() -> None:
    later = STUCK._replace(evidence=(30, 40))
    assert sorted(by_cause([HANGING, later])) == sorted([HANGING, later])
    again = HANGING._replace(evidence=(30,))
    found = sorted(by_cause([HANGING, STUCK, again, later]), key=lambda each: each.evidence)
    assert [(each.rule, each.evidence) for each in found] == [
        ("HANGING_TXN", (9, 12)), ("HANGING_TXN", (30, 40)),
    ]  # fmt: skip
    on_real = [each._replace(evidence=()) for each in (HANGING, STUCK)]
    assert len(list(by_cause(on_real))) == 1, "without rows, the offset has to do"


def test_a_stuck_offset_of_a_deleted_log_is_a_finding_of_its_own() -> None:
    runs = [
        an_event(1, "topic_created", partition=None),
        transition(2, "Empty", "Ongoing", partitions=["a-0"]),
        batch(3, 0, offset=0, transactional=True, stable=0),
        transition(4, "Ongoing", "PrepareCommit", partitions=["a-0"]),
        end_of(5, "COMMIT", offset=1),
        transition(6, "PrepareCommit", "CompleteCommit"),
        an_event(7, "topic_deleted", partition=None),
        an_event(8, "topic_created", partition=None),
        batch(9, 0, offset=0, transactional=True, stable=0),
    ]
    late = [run._replace(virtual_time_ms=0 if run.seq < 4 else 30 * 60_000) for run in runs]
    found = {each.rule: each.evidence for each in judge(late).findings}
    assert found == {"LSO_STUCK": (3, 5), "HANGING_TXN": (6, 9)}


def test_a_zombie_write_is_one_finding_and_its_consequences_are_counted() -> None:
    runs = [
        transition(1, "Empty", "Ongoing", partitions=["a-0"]),
        batch(2, 0, offset=0, transactional=True),
        transition(3, "Ongoing", "PrepareAbort", partitions=["a-0"]),
        end_of(4, "ABORT", offset=1),
        transition(5, "PrepareAbort", "CompleteAbort"),
        transition(6, "CompleteAbort", "Empty", producer=(7, 1), api="InitProducerId"),
        batch(7, 1, offset=2, transactional=True),
    ]
    verdict = judge(runs)
    (finding,) = verdict.findings
    assert finding.rules == {"ZOMBIE_WRITE_ACCEPTED", "HANGING_TXN"}
    ruled = {each.rule: each for each in verdict.rules}
    assert (ruled["HANGING_TXN"].findings, ruled["HANGING_TXN"].consequences) == (0, 1)
