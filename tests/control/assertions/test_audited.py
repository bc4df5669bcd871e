"""What the audit finds, as assertions tell it."""

from mockbroker.audit.log_evidence import LogEvidence
from mockbroker.audit.rules.visibility_rules import Shown
from mockbroker.control.assertions.audited import duplicates, losses, visible
from mockbroker.control.assertions.finding import Ghost
from mockbroker.events.produce_outcome import Answer, Appended
from mockbroker.journal.compact.excerpt import Excerpt
from mockbroker.journal.compact.partition_view import PartitionView
from tests.support.ledger_rows import view
from tests.support.log_evidence import attempt, log_evidence


def excerpt(log: LogEvidence) -> Excerpt:
    def looked(_log: LogEvidence) -> PartitionView:
        return view()

    return Excerpt([log], (), (), looked)


def test_what_is_there_twice_is_noted_at_the_second() -> None:
    log = log_evidence(
        attempt(1, 0, record_count=2, answer=Answer.LOST),
        attempt(3, 2, record_count=2, connection=2),
        contents={0: b"a", 1: b"b", 2: b"a", 3: b"b"},
    )
    (finding,) = duplicates(excerpt(log))
    assert (finding.place, finding.note) == (("orders", 0, 2), "DUPLICATE of 0")
    assert "offsets 2..3 are offsets 0..1 again (2 records)" in finding.text
    assert "enable.idempotence" in finding.advice


def test_what_is_gone_is_drawn_where_it_was() -> None:
    gone = attempt(2, 1, record_count=2, producer_id=7, producer_epoch=0, base_sequence=4)
    (finding,) = losses(excerpt(log_evidence(gone, cuts=[(10, 1)])))
    assert finding.ghost == Ghost(1, 2, 7, 0)
    assert finding.place == ("orders", 0, -1)
    (never,) = losses(excerpt(log_evidence(gone._replace(appended=Appended.NO, base_offset=-1))))
    assert never.ghost is None


def test_what_readers_should_not_be_given_is_noted() -> None:
    aborted = visible(Shown("orders", 0, 1, 2, 1, 0, "aborted"))
    assert (aborted.place, aborted.note) == (("orders", 0, 1), "ABORTED, VISIBLE")
    assert "offsets 1 to 2 of producer 1 epoch 0, whose transaction was aborted" in aborted.text
    undecided = visible(Shown("orders", 0, 3, 3, 1, 0, "open"))
    assert (undecided.note, "is not decided" in undecided.text) == ("OPEN, VISIBLE", True)
