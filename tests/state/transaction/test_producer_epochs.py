"""Epochs: 32766 is the last one, and transaction.version 2 bumps it with each transaction."""

import pytest

from mockbroker.state.transaction.producer_epochs import is_epoch_exhausted, supports_epoch_bump


@pytest.mark.parametrize(
    ("producer_epoch", "is_exhausted"), [(0, False), (32765, False), (32766, True), (32767, True)]
)
def test_the_last_epoch_of_a_producer_leaves_one_for_the_coordinator(
    producer_epoch: int, is_exhausted: bool
) -> None:
    assert is_epoch_exhausted(producer_epoch) is is_exhausted


@pytest.mark.parametrize(("transaction_version", "bumps"), [(0, False), (1, False), (2, True)])
def test_version_2_bumps_the_epoch_with_every_transaction(
    transaction_version: int, bumps: bool
) -> None:
    assert supports_epoch_bump(transaction_version) is bumps
