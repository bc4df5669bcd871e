"""Audits of real clusters, whose brokers' responses `record_audit.py` has recorded."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from mockbroker.state.transaction.transaction_state import TransactionState
from tests.spark.topics.record_audit import FOLDER, Heard, heard_of
from tests.support.recorded_broker import read_recording, replaying

RECORDINGS = sorted(FOLDER.iterdir())


@pytest.fixture(params=RECORDINGS, ids=lambda path: path.stem, scope="module")
def heard(request: pytest.FixtureRequest) -> Iterator[Heard]:
    path: Path = request.param
    with replaying(read_recording(path)) as address:
        yield heard_of(address)


def test_the_late_batch_and_the_offset_beyond_the_log_are_all_that_is_found(heard: Heard) -> None:
    beyond, hanging = heard.verdict.findings
    assert hanging.text.startswith("orders-0: producer ")
    assert (hanging.rule, hanging.first_offset) == ("HANGING_TXN", 2)
    assert beyond.text == ("payments-0: group 'billing' committed offset 9, and the log ended at 5")
    assert heard.verdict.unknown == ()
    assert heard.verdict.counts.appends == 8
    assert [each.partition(" ")[0] for each in heard.verdict.open_transactions] == ["svc-"]


def test_leaders_describe_the_open_transactions(heard: Heard) -> None:
    assert [(each.topic, each.first_offset) for each in heard.in_logs] == [
        *(("orders", 2), ("payments", 4)),
    ]


def test_coordinators_list_and_describe_their_transactions(heard: Heard) -> None:
    if isinstance(heard.listed, str):
        assert "serves no ListTransactions" in heard.listed
        return
    states = {name: each.state for name, each in heard.listed.states.items()}
    assert states == {
        "svc-": TransactionState.ONGOING,
        "svc-commit": TransactionState.COMPLETE_COMMIT,
        "svc-abort": TransactionState.COMPLETE_ABORT,
        "payments": TransactionState.COMPLETE_COMMIT,
    }
    assert heard.listed.are_all
