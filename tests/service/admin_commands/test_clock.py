"""`mockbroker clock`."""

import pytest

from tests.service.support.admin_cli import AdminCli

pytestmark = pytest.mark.slow


def test_time_passes_and_what_fell_due_is_told(cli: AdminCli) -> None:
    before_ms = cli.document("clock")["now_ms"]
    assert cli.text("clock").startswith("<time>")
    with cli.producer() as producer:
        producer.add_partition("orders")
    shown = cli.text("clock", "advance", "1h")
    assert "  transaction-abort 1\n  WriteTxnMarkers orders-svc\n" in shown
    passed = cli.document("clock", "advance", "8d", "--end-sessions")
    assert passed["transactional_ids"] == ["orders-svc"]
    assert passed["now_ms"] - before_ms >= 8 * 86_400_000
    assert passed["done"].count("log-retention") > 1


def test_what_comes_often_is_counted(cli: AdminCli) -> None:
    with cli.producer():
        pass
    lines = cli.text("clock", "advance", "8d").splitlines()
    assert len([line for line in lines if line.startswith("  log-retention, ")]) == 1
    assert lines[-1] == "expired: orders-svc"


def test_a_time_that_is_none_is_refused(unchanged: AdminCli) -> None:
    assert "'soon' is no duration" in unchanged.refusal("clock", "advance", "soon")
