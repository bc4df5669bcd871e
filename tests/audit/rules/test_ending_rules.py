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


def test_a_late_commit_of_an_earlier_epoch_is_no_finding() -> None:
    begun = _AGED[0]._replace(producer_id=7, producer_epoch=3)
    late, asked_for = (
        _commit(seq, "PRODUCER_FENCED")._replace(producer_id=7, producer_epoch=epoch)
        for seq, epoch in ((4, 2), (5, 3))
    )
    assert not rules_of(begun, *_AGED[1:], late)
    assert rules_of(begun, *_AGED[1:], late, asked_for) == ["PREPARED_TXN_EXPIRED"]


def test_a_late_copy_of_the_commit_before_is_no_finding() -> None:
    begun, *aged = _AGED
    begun = begun._replace(state_before="CompleteCommit", call=12)
    more = begun._replace(seq=2, state_before="Ongoing", call=14)
    ended = [each._replace(seq=each.seq + 1) for each in aged]
    late, asked_for = (
        _commit(seq, "INVALID_TXN_STATE")._replace(call=call, producer_id=7, producer_epoch=0)
        for seq, call in ((5, 11), (6, 13))
    )
    assert not rules_of(begun, more, *ended, late)
    assert rules_of(begun, more, *ended, late, asked_for) == ["PREPARED_TXN_EXPIRED"]
    first = begun._replace(state_before="Empty")
    assert rules_of(first, more, *ended, late) == ["PREPARED_TXN_EXPIRED"]


def test_a_commit_without_a_response_is_said_to_have_none() -> None:
    columns = {"transactional_id": "svc", "marker": "COMMIT"}
    (finding,) = found(*_AGED, asked(4, "EndTxn", "lost", call=4, **columns))
    assert "before the request to commit it, whose response was lost: its" in finding.text


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


def _ended(begun: int, ended: int, *, after: str = "CompleteCommit", epoch: int = 0) -> list[Run]:
    """Return a transaction of which call `begun` is the first request, and `ended` the last."""
    begin = transition(1, after, "Ongoing", api="AddPartitionsToTxn", partitions=["a-0"])
    more = transition(2, "Ongoing", "Ongoing", api="AddPartitionsToTxn", partitions=["a-0", "a-1"])
    end = transition(3, "Ongoing", "PrepareAbort", api="EndTxn", producer=(7, epoch))
    return [begin._replace(call=begun), more._replace(call=begun + 1), end._replace(call=ended)]


def test_an_end_that_arrived_before_its_transaction_began_is_found() -> None:
    (finding,) = found(*_ended(begun=12, ended=11))
    assert (finding.rule, finding.evidence) == ("WRONG_TXN_ENDED", (1, 3))
    assert finding.transactional_id == "svc"
    assert "aborted by an EndTxn" in finding.text


def test_an_end_that_arrived_in_its_transaction_is_no_finding() -> None:
    assert not rules_of(*_ended(begun=12, ended=14))
    # the request that added a partition was sent again, and arrived after the end
    assert not rules_of(*_ended(begun=12, ended=13))


def test_an_end_is_of_its_transaction_if_there_was_none_before_in_its_epoch() -> None:
    assert not rules_of(*_ended(begun=12, ended=11, after="Empty"))
    assert not rules_of(*_ended(begun=12, ended=11, epoch=1))


def test_an_end_by_the_coordinator_is_no_finding() -> None:
    begin, more, end = _ended(begun=12, ended=11)
    assert not rules_of(begin, more, end._replace(api=None, call=None))
    assert not rules_of(begin, more, end._replace(api="InitProducerId"))


def test_an_end_whose_beginning_is_unknown_is_no_finding() -> None:
    begin, more, end = _ended(begun=12, ended=11)
    assert not rules_of(more, end)
    assert not rules_of(begin._replace(call=None), more, end)
