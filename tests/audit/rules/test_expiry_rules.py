from mockbroker.audit.runs.run import Run
from tests.audit.rows import (
    asked,
    found,
    rules_of,
    transition,
)

_AGED = [
    transition(1, "Empty", "Ongoing", api="Produce", partitions=["a-0"]),
    transition(2, "Ongoing", "PrepareAbort"),
    transition(3, "PrepareAbort", "CompleteAbort"),
]


def _commit(seq: int, error: str, marker: str = "COMMIT") -> Run:
    columns = {"transactional_id": "svc", "marker": marker}
    return asked(seq, "EndTxn", "answer", call=seq, error=error, **columns)


def test_a_commit_after_an_abort_for_age_is_found() -> None:
    (finding,) = found(*_AGED, _commit(4, "INVALID_TXN_STATE"), _commit(5, "INVALID_TXN_STATE"))
    assert (finding.rule, finding.evidence) == ("PREPARED_TXN_EXPIRED", (2, 4))
    assert finding.transactional_id == "svc"


def test_an_abort_that_the_client_requested_is_no_expiry() -> None:
    asked_for = [_AGED[0], transition(2, "Ongoing", "PrepareAbort", api="EndTxn")]
    assert not rules_of(*asked_for, _commit(4, "INVALID_TXN_STATE"))


def test_an_abort_or_a_new_transaction_after_the_expiry_is_no_finding() -> None:
    assert not rules_of(*_AGED, _commit(4, "INVALID_TXN_STATE", "ABORT"))
    again = transition(4, "CompleteAbort", "Ongoing", api="Produce", partitions=["a-0"])
    assert not rules_of(*_AGED, again, _commit(5, "INVALID_TXN_STATE"))


def test_an_id_that_expires_before_its_end_is_found() -> None:
    assert rules_of(transition(1, "PrepareCommit", None)) == ["PREPARED_TXN_EXPIRED"]
    assert not rules_of(transition(1, "CompleteCommit", None))
