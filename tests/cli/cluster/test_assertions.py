"""`mockbroker assert`."""

import pytest

from tests.support.admin_cli import AdminCli

pytestmark = pytest.mark.slow


def test_assertions_that_hold_are_listed(cli: AdminCli) -> None:
    assert cli.text("assert", "no-open-transactions", "all-faults-fired") == (
        "no-open-transactions: holds\nall-faults-fired: holds\n"
    )
    assert cli.document("assert", "no-hanging-transactions") == {
        "ok": True,
        "failures": [],
        "nothing_judged": [],
    }


def test_a_failing_assertion_is_printed_with_its_timeline(cli: AdminCli) -> None:
    with cli.producer() as producer:
        producer.add_partition("orders")
        producer.produce("orders", b"one", base_sequence=0)
        shown = cli.text("assert", "all-faults-fired", "no-open-transactions", code=1)
    first, second, *rest = shown.splitlines()
    assert first == "all-faults-fired: holds"
    assert second.startswith("assert_no_open_transactions")
    assert any("orders-svc" in line for line in rest)
    assert any(line.startswith("orders-0") for line in rest)


def test_unknown_and_incomplete_assertions_are_refused(unchanged: AdminCli) -> None:
    assert "there is no assertion 'luck'" in unchanged.refusal("assert", "luck")
    assert "assert_producer_epoch needs" in unchanged.refusal("assert", "producer-epoch")
