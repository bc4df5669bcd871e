from mockbroker.audit.runs.run import Run
from mockbroker.audit.source import Thresholds
from tests.audit.rows import (
    asked,
    batch,
    found,
    rules_of,
)

_THREE = Thresholds(retries=3)
_FIRST = batch(1, 0, offset=0)


def _again(seq: int) -> Run:
    return _FIRST._replace(seq=seq, is_duplicate=True)


def _refused(seq: int, sequence: int = 0, producer_id: int = 7) -> Run:
    return asked(
        seq, "Produce", "answer", call=seq, error="NOT_LEADER_OR_FOLLOWER", topic="a", partition=0,
        producer_id=producer_id, producer_epoch=0, base_sequence=sequence,
    )  # fmt: skip


def test_a_batch_that_is_retried_again_and_again_is_found() -> None:
    lost = _refused(3)._replace(kind="lost", error=None)
    (finding,) = found(_FIRST, _again(2), lost, _refused(4), thresholds=_THREE)
    assert (finding.rule, finding.evidence) == ("RETRY_STORM", (2, 4))
    assert "sequence 0 on was sent 3 times" in finding.text


def test_a_request_that_is_repeated_and_refused_counts_once() -> None:
    again = [_again(seq)._replace(call=seq) for seq in (2, 4)]
    refused = [_refused(each.seq + 1)._replace(call=each.call) for each in again]
    assert not rules_of(_FIRST, *again, *refused, thresholds=_THREE)
    assert rules_of(_FIRST, *again, *refused, _refused(6), thresholds=_THREE) == ["RETRY_STORM"]


def test_a_few_retries_of_several_batches_are_no_finding() -> None:
    rows = [_refused(2), _refused(3), _refused(4, sequence=1), _refused(5, sequence=1)]
    assert not rules_of(_FIRST, *rows, thresholds=_THREE)


def test_retries_of_batches_without_a_producer_are_not_recognised() -> None:
    rows = [_refused(seq, sequence=-1, producer_id=-1) for seq in range(2, 9)]
    assert not rules_of(*rows, thresholds=_THREE)
