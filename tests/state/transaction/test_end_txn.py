"""EndTxn in each state, with each result and each kind of epoch, before and since KIP-890."""

from itertools import product

import pytest

from mockbroker.protocol.errors import ApiError, ErrorCode
from mockbroker.state.transaction.end_txn import (
    EndTxnDecision,
    EndTxnRequest,
    decide_bumping_end,
    decide_end,
)
from mockbroker.state.transaction.transaction_metadata import TransactionMetadata
from mockbroker.state.transaction.transaction_state import IllegalTransitionError, TransactionState

S = TransactionState
EPOCH = 5

# One row per state: the outcome of a commit and of an abort, for the epochs one behind, current and
# one ahead. "end" ends the open transaction, "again" repeats the answer, "bump" aborts without an
# open transaction, and the rest are error codes: IT invalid state, CT concurrent transactions, PF
# fenced.
CODES = {
    "IT": ErrorCode.INVALID_TXN_STATE,
    "CT": ErrorCode.CONCURRENT_TRANSACTIONS,
    "PF": ErrorCode.PRODUCER_FENCED,
}
DECISIONS = {
    "end": EndTxnDecision.END,
    "again": EndTxnDecision.ANSWER_AGAIN,
    "bump": EndTxnDecision.ABORT_NOTHING,
}
BEFORE_KIP_890 = """
Empty          | PF IT    PF | PF IT    PF
Ongoing        | PF end   PF | PF end   PF
PrepareCommit  | PF CT    PF | PF IT    PF
PrepareAbort   | PF IT    PF | PF CT    PF
CompleteCommit | PF again PF | PF IT    PF
CompleteAbort  | PF IT    PF | PF again PF
"""
UNTIL_2_4 = """
Empty          | PF IT    IT    | PF IT    IT
Ongoing        | PF end   end   | PF end   end
PrepareCommit  | PF CT    CT    | PF IT    IT
PrepareAbort   | PF IT    IT    | PF CT    CT
CompleteCommit | PF again again | PF IT    IT
CompleteAbort  | PF IT    IT    | PF again again
"""
SINCE_KIP_890 = """
Empty          | PF    IT  PF | PF    bump PF
Ongoing        | PF    end PF | PF    end  PF
PrepareCommit  | CT    PF  PF | IT    PF   PF
PrepareAbort   | IT    PF  PF | CT    PF   PF
CompleteCommit | again IT  PF | IT    bump PF
CompleteAbort  | IT    IT  PF | again bump PF
"""

Row = tuple[TransactionState, bool, int, str]


def rows(table: str) -> list[Row]:
    found: list[Row] = []
    for line in table.strip().splitlines():
        name, commits, aborts = line.split("|")
        state = next(state for state in S if state.state_name == name.strip())
        for is_commit, cells in ((True, commits), (False, aborts)):
            found += [
                (state, is_commit, EPOCH + offset, cell)
                for offset, cell in zip((-1, 0, 1), cells.split(), strict=True)
            ]
    return found


def metadata_in(state: TransactionState, **changes: object) -> TransactionMetadata:
    return TransactionMetadata.new("orders-1", 7, timeout_ms=60_000, now_ms=0)._replace(
        state=state,
        producer_epoch=EPOCH,
        **changes,  # type: ignore[arg-type]
    )


def request(producer_epoch: int, *, is_commit: bool, **changes: object) -> EndTxnRequest:
    return EndTxnRequest("orders-1", 7, producer_epoch, is_commit, 0)._replace(**changes)  # type: ignore[arg-type]


def outcome(metadata: TransactionMetadata, asked: EndTxnRequest, protocol: str) -> object:
    """Return the decision, or the code of the refusal."""
    try:
        if protocol == "bumping":
            return decide_bumping_end(metadata, asked)
        return decide_end(metadata, asked, accepts_epoch_ahead=protocol == "until 2.4")
    except ApiError as refusal:
        return refusal.code


CASES = [
    pytest.param(protocol, *row, id=f"{protocol}-{row[0].state_name}-{row[1]}-{row[2]}")
    for protocol, table in [
        ("strict", BEFORE_KIP_890),
        ("until 2.4", UNTIL_2_4),
        ("bumping", SINCE_KIP_890),
    ]
    for row in rows(table)
]


@pytest.mark.parametrize(("protocol", "state", "is_commit", "producer_epoch", "expected"), CASES)
def test_every_state_answers_every_end_as_kafka_does(
    protocol: str, state: TransactionState, is_commit: bool, producer_epoch: int, expected: str
) -> None:
    asked = request(producer_epoch, is_commit=is_commit)
    expects = CODES.get(expected) or DECISIONS[expected]
    assert outcome(metadata_in(state), asked, protocol) is expects


PROTOCOLS = ("strict", "until 2.4", "bumping")
STATES = [state for state in S if state not in {S.DEAD, S.PREPARE_EPOCH_FENCE}]


@pytest.mark.parametrize(
    ("protocol", "state", "is_commit"), list(product(PROTOCOLS, STATES, (True, False)))
)
def test_another_producer_id_gets_invalid_producer_id_mapping(
    protocol: str, state: TransactionState, is_commit: bool
) -> None:
    asked = request(EPOCH, is_commit=is_commit, producer_id=8)
    assert outcome(metadata_in(state), asked, protocol) is ErrorCode.INVALID_PRODUCER_ID_MAPPING


@pytest.mark.parametrize(
    ("protocol", "state", "is_commit"), list(product(PROTOCOLS, STATES, (True, False)))
)
def test_a_pending_transition_comes_first(
    protocol: str, state: TransactionState, is_commit: bool
) -> None:
    pending = metadata_in(state, pending_state=S.COMPLETE_ABORT)
    asked = request(EPOCH, is_commit=is_commit)
    assert outcome(pending, asked, protocol) is ErrorCode.CONCURRENT_TRANSACTIONS


def test_a_wrong_producer_is_checked_before_or_after_a_pending_transition() -> None:
    pending = metadata_in(S.PREPARE_COMMIT, pending_state=S.COMPLETE_COMMIT)
    stranger = request(EPOCH, is_commit=True, producer_id=8)
    assert outcome(pending, stranger, "strict") is ErrorCode.INVALID_PRODUCER_ID_MAPPING
    assert outcome(pending, stranger, "bumping") is ErrorCode.CONCURRENT_TRANSACTIONS
    fenced = request(EPOCH - 1, is_commit=True)
    assert outcome(pending, fenced, "strict") is ErrorCode.PRODUCER_FENCED
    assert outcome(pending, fenced, "bumping") is ErrorCode.CONCURRENT_TRANSACTIONS


@pytest.mark.parametrize(
    ("protocol", "state", "is_commit"),
    list(product(PROTOCOLS, (S.DEAD, S.PREPARE_EPOCH_FENCE), (True, False))),
)
def test_states_that_are_only_ever_pending_are_illegal(
    protocol: str, state: TransactionState, is_commit: bool
) -> None:
    with pytest.raises(IllegalTransitionError, match="no outcome of"):
        outcome(metadata_in(state), request(EPOCH, is_commit=is_commit), protocol)


@pytest.mark.parametrize(("is_commit", "result"), [(True, "COMMIT"), (False, "ABORT")])
def test_the_reason_of_a_refused_end_is_the_state(is_commit: bool, result: str) -> None:
    with pytest.raises(ApiError, match=rf"{result} while 'orders-1' is Empty$"):
        decide_end(
            metadata_in(S.EMPTY), request(EPOCH, is_commit=is_commit), accepts_epoch_ahead=False
        )


# Fences


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_the_coordinator_may_abort_with_an_epoch_ahead(protocol: str) -> None:
    fencing = metadata_in(S.ONGOING, pending_state=S.PREPARE_EPOCH_FENCE)
    asked = request(EPOCH + 1, is_commit=False, is_from_client=False)
    assert outcome(fencing, asked, protocol) is EndTxnDecision.END


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_the_coordinator_may_not_abort_with_an_epoch_behind(protocol: str) -> None:
    fencing = metadata_in(S.ONGOING, pending_state=S.PREPARE_EPOCH_FENCE)
    asked = request(EPOCH - 1, is_commit=False, is_from_client=False)
    assert outcome(fencing, asked, protocol) is ErrorCode.PRODUCER_FENCED


def test_a_fence_with_the_bumped_epoch_aborts() -> None:
    fencing = metadata_in(S.ONGOING, pending_state=S.PREPARE_EPOCH_FENCE)
    asked = request(EPOCH, is_commit=False, is_from_client=False)
    assert outcome(fencing, asked, "bumping") is EndTxnDecision.END


# Replaced producer ids


@pytest.mark.parametrize(
    ("state", "is_commit", "expected"),
    [
        (S.COMPLETE_COMMIT, True, EndTxnDecision.ANSWER_AGAIN),
        (S.COMPLETE_COMMIT, False, ErrorCode.INVALID_TXN_STATE),
        (S.COMPLETE_ABORT, False, EndTxnDecision.ANSWER_AGAIN),
        (S.COMPLETE_ABORT, True, ErrorCode.INVALID_TXN_STATE),
        (S.EMPTY, False, ErrorCode.PRODUCER_FENCED),
        (S.ONGOING, True, ErrorCode.PRODUCER_FENCED),
    ],
)
def test_a_retry_with_the_previous_producer_id_is_accepted(
    state: TransactionState, is_commit: bool, expected: object
) -> None:
    rolled_over = metadata_in(state, previous_producer_id=6)._replace(producer_epoch=0)
    asked = request(32766, is_commit=is_commit, producer_id=6)
    assert outcome(rolled_over, asked, "bumping") is expected


@pytest.mark.parametrize(
    ("producer_id", "asked_epoch", "current_epoch"), [(6, 32765, 0), (6, 32766, 1), (5, 32766, 0)]
)
def test_other_retries_with_an_old_producer_id_are_refused(
    producer_id: int, asked_epoch: int, current_epoch: int
) -> None:
    rolled_over = metadata_in(S.COMPLETE_COMMIT, previous_producer_id=6)
    asked = request(asked_epoch, is_commit=True, producer_id=producer_id)
    found = outcome(rolled_over._replace(producer_epoch=current_epoch), asked, "bumping")
    assert found is ErrorCode.INVALID_PRODUCER_ID_MAPPING
