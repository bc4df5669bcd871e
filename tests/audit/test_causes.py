"""One finding for one cause."""

from mockbroker.audit.causes import by_cause
from mockbroker.audit.finding import Finding, Severity
from mockbroker.audit.judgement import judge
from tests.audit.rows import batch, end_of, transition

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
