"""A transaction that is being verified: its lowest sequence, and the effect of markers."""

import pytest

from mockbroker.state.producer.verification_state_entry import (
    VerificationGuard,
    VerificationStateEntry,
)


def verification(*, supports_epoch_bump: bool = False) -> VerificationStateEntry:
    return VerificationStateEntry(5, 2, supports_epoch_bump=supports_epoch_bump, now_ms=1_000)


def test_every_guard_is_unique() -> None:
    assert VerificationGuard() != VerificationGuard()
    assert verification().verification_guard != verification().verification_guard


@pytest.mark.parametrize(
    ("base_sequence", "producer_epoch", "lowest_sequence", "epoch_after"),
    [
        (6, 2, 5, 2),
        (4, 2, 4, 2),
        (9, 3, 9, 3),  # a newer epoch counts its own sequences
        (0, 3, 0, 3),
        (0, 1, 5, 2),
    ],
)
def test_the_lowest_sequence_of_the_latest_epoch_is_kept(
    base_sequence: int, producer_epoch: int, lowest_sequence: int, epoch_after: int
) -> None:
    entry = verification()
    entry.maybe_update_lowest_sequence_and_epoch(base_sequence, producer_epoch)
    assert (entry.lowest_sequence, entry.producer_epoch) == (lowest_sequence, epoch_after)


@pytest.mark.parametrize(
    ("supports_epoch_bump", "producer_epoch", "outlasts"),
    [(True, 2, True), (True, 1, False), (True, 3, False), (False, 2, False)],
)
def test_only_the_previous_transactions_marker_does_not_revoke_it(
    supports_epoch_bump: bool, producer_epoch: int, outlasts: bool
) -> None:
    entry = verification(supports_epoch_bump=supports_epoch_bump)
    assert entry.outlasts_marker(producer_epoch) is outlasts


def test_repr_shows_all_fields_but_the_guard() -> None:
    assert repr(verification()) == (
        "VerificationStateEntry(producer_epoch=2, lowest_sequence=5, "
        "supports_epoch_bump=False, created_ms=1000)"
    )
