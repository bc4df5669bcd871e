"""The states of a transaction: Kafka's numbers and names, and the transitions."""

import pytest

from mockbroker.state.transaction.transaction_state import (
    BETWEEN_TRANSACTIONS,
    PREPARED,
    STATES_BY_NAME,
    VALID_PREVIOUS_STATES,
    TransactionState,
)

NAMES = {
    0: "Empty",
    1: "Ongoing",
    2: "PrepareCommit",
    3: "PrepareAbort",
    4: "CompleteCommit",
    5: "CompleteAbort",
    6: "Dead",
    7: "PrepareEpochFence",
}
"""The names in DescribeTransactions, and the numbers in `__transaction_state`."""

MOVES = """
Empty > Empty Ongoing PrepareAbort Dead
Ongoing > Ongoing PrepareCommit PrepareAbort PrepareEpochFence
PrepareCommit > CompleteCommit
PrepareAbort > CompleteAbort
CompleteCommit > Empty Ongoing PrepareAbort Dead
CompleteAbort > Empty Ongoing PrepareAbort Dead
Dead >
PrepareEpochFence > PrepareAbort
"""
"""The inverse table, as in the diagrams of KIP-98 and KIP-890."""


def test_states_have_kafkas_numbers_and_names() -> None:
    assert {int(state): state.state_name for state in TransactionState} == NAMES


def test_a_state_is_found_by_its_name() -> None:
    assert {name: int(state) for name, state in STATES_BY_NAME.items()} == {
        name: number for number, name in NAMES.items()
    }


@pytest.mark.parametrize("line", MOVES.strip().splitlines())
def test_each_state_leads_only_to_its_next_states(line: str) -> None:
    start, _, ends = line.partition(" >")
    assert {
        end.state_name
        for end, previous in VALID_PREVIOUS_STATES.items()
        if STATES_BY_NAME[start] in previous
    } == set(ends.split())


def test_a_transactional_id_expires_only_between_transactions() -> None:
    expirable = {state for state in TransactionState if state.is_expiration_allowed}
    assert expirable == BETWEEN_TRANSACTIONS
    assert {state.state_name for state in expirable} == {
        "Empty",
        "CompleteCommit",
        "CompleteAbort",
    }


def test_markers_are_written_in_the_prepared_states() -> None:
    assert {state.state_name for state in PREPARED} == {"PrepareCommit", "PrepareAbort"}
