"""Rules of the audit on the state of a running cluster."""

import pytest

from mockbroker.audit.cluster.cluster_input import ClusterInput
from mockbroker.audit.cluster.cluster_rules import cluster_findings, input_findings
from mockbroker.audit.cluster.partition_view import PartitionSnapshot
from mockbroker.audit.finding import Finding
from mockbroker.audit.log_evidence import LogEvidence
from mockbroker.events.produce_outcome import Appended, ResponseOutcome
from mockbroker.journal.compact.ledger import Ledger
from mockbroker.journal.compact.row_recorder import RowRecorder
from mockbroker.journal.recorder import Recorder
from tests.support.in_process import NOW_MS
from tests.support.ledger_rows import view
from tests.support.log_evidence import attempt, log_evidence
from tests.support.transactions import Transactor, new_brokers


def found(log: LogEvidence) -> list[Finding]:
    def looked(_log: LogEvidence) -> PartitionSnapshot:
        return view()

    rules = {"ACKED_NOT_DURABLE", "LOST_ACKED", "DUPLICATE_PAYLOAD"}
    given = ClusterInput([log], (), (), looked)
    assert input_findings(given, {"ZOMBIE_WRITE_ACCEPTED"}) == []
    return input_findings(given, rules)


def test_a_duplicate_is_found_at_its_second_offset() -> None:
    log = log_evidence(
        attempt(1, 0, record_count=2, answer=ResponseOutcome.LOST),
        attempt(3, 2, record_count=2, connection=2),
        contents={0: b"a", 1: b"b", 2: b"a", 3: b"b"},
    )
    (finding,) = found(log)
    assert (finding.rule, finding.place) == ("DUPLICATE_PAYLOAD", "orders-0")
    assert (finding.first_offset, finding.last_offset) == (2, 3)
    assert "offsets 2..3 repeat offsets 0..1 (2 records)" in finding.text
    assert "enable.idempotence" in finding.advice


def test_a_lost_batch_is_found_once() -> None:
    gone = attempt(2, 1, record_count=2, producer_id=7, producer_epoch=0, base_sequence=4)
    (finding,) = found(log_evidence(gone, cuts=[(10, 1)]))
    assert (finding.rule, finding.producer_id) == ("ACKED_NOT_DURABLE", 7)
    assert (finding.first_offset, finding.last_offset) == (1, 2)
    (never,) = found(log_evidence(gone._replace(appended=Appended.NO, base_offset=-1)))
    assert (never.rule, never.first_offset) == ("LOST_ACKED", None)


@pytest.mark.parametrize("is_open", [True, False])
def test_a_producer_that_was_fenced_is_a_zombie_with_and_without_a_transaction(
    *, is_open: bool
) -> None:
    brokers, ledger = new_brokers(release="2.8"), Ledger()
    RowRecorder(ledger, Recorder(lambda: brokers.service))
    old, new = Transactor(brokers, versions=(9, 3)), Transactor(brokers, versions=(9, 3))
    old.init()
    if is_open:
        old.add(0)
        old.write(0)
    new.init()
    old.write(1)
    new.add(1)
    new.write(1)
    new.end(committed=True)
    brokers.loop.run()
    rules = {"ZOMBIE_WRITE_ACCEPTED"}
    (finding,) = cluster_findings(ledger, brokers.state, None, NOW_MS, rules)
    assert (finding.place, finding.first_offset) == ("orders-1", 0)
    assert f"had got producer 0 epoch {new.producer_epoch}, which fenced" in finding.text
