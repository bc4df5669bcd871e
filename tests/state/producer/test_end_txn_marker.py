"""Markers as values."""

from mockbroker.state.producer.end_txn_marker import EndTxnMarker


def test_the_control_record_type_is_commit_or_abort() -> None:
    assert EndTxnMarker(7, 0, 0, is_commit=True).control_type == 1
    assert EndTxnMarker(7, 0, 0, is_commit=False).control_type == 0
