"""Calls whose request, append and answer match."""

import pytest

pytest.importorskip("pyarrow", reason="folding needs the extra spark")

from mockbroker.audit.folding.folding_calls import Calls, settled_calls
from mockbroker.audit.folding.folding_rows import Rows
from mockbroker.protocol.errors import ErrorCode
from tests.support.audit_script import Script
from tests.support.folds import run_rows


def settled(script: Script) -> tuple[Calls, list[int]]:
    """Return the states of calls, and the `seq` of the settled appends."""
    rows = Rows(run_rows(script.entries))
    calls = settled_calls(rows)
    return calls, sorted(rows.ints("first_seq")[calls.is_settled].tolist())


def test_a_call_is_settled_by_its_request_and_its_answer() -> None:
    script = Script()
    script.produce()
    calls, appends = settled(script)
    assert appends == [2]
    row = calls.is_settled.argmax()
    rows = Rows(run_rows(script.entries)).ints("first_seq")
    assert (rows[calls.request[row]], rows[calls.answer[row]]) == (1, 3)


def test_a_batch_without_a_request_needs_no_answer() -> None:
    script = Script()
    script.append(0, **script.batch())
    assert settled(script)[1] == [1]


@pytest.mark.parametrize("left_out", [0, 2])
def test_a_call_without_request_or_answer_is_open(left_out: int) -> None:
    script = Script()
    script.produce()
    del script.entries[left_out]
    assert settled(script)[1] == []


def test_a_call_with_an_answer_too_many_is_open() -> None:
    script = Script()
    call = script.produce()
    script.answer(0, call=call, base_offset=0, **script.batch())
    assert settled(script)[1] == []


def test_a_call_with_two_batches_is_open() -> None:
    script = Script()
    call = script.produce()
    script.append(0, call=call, **script.batch())
    assert settled(script)[1] == []


def test_an_answer_with_another_offset_or_an_error_leaves_a_call_open() -> None:
    script = Script()
    script.produce()
    script.entries[2] = script.entries[2]._replace(base_offset=5)
    script.produce(error=ErrorCode.NOT_ENOUGH_REPLICAS_AFTER_APPEND)
    assert settled(script)[1] == []


def test_a_call_without_acks_needs_no_answer() -> None:
    script = Script()
    script.produce(acks=0)
    assert settled(script)[1] == [2]


def test_a_call_to_several_partitions_is_settled_in_each() -> None:
    script = Script()
    batches = [script.batch(partition) for partition in (0, 1)]
    call = script.call()
    for partition, batch in enumerate(batches):
        script.request(partition, call=call, **batch)
    for partition, batch in enumerate(batches):
        script.append(partition, call=call, **batch)
    script.answer(1, call=call, base_offset=0, **batches[1])
    assert settled(script)[1] == [4]


def test_the_end_of_a_transaction_has_its_answer() -> None:
    script = Script()
    script.transaction(0)
    rows = Rows(run_rows(script.entries))
    ended = settled_calls(rows).ended
    (prepare,) = (row for row in range(rows.count) if ended[row] >= 0)
    assert rows.of_kind("transaction")[prepare]
    assert rows.of_kind("answer")[ended[prepare]]


def test_an_answer_to_another_end_txn_does_not_count() -> None:
    script = Script()
    script.transaction(0)
    entries = script.entries
    at = next(i for i, each in enumerate(entries) if each.kind == "answer" and each.marker)
    right = entries[at]
    for wrong in (
        right._replace(marker="ABORT"),
        right._replace(error=ErrorCode.INVALID_TXN_STATE),
        right._replace(producer_id=10),
    ):
        entries[at] = wrong
        assert (settled_calls(Rows(run_rows(entries))).ended < 0).all()
