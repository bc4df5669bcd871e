"""`mockbroker clock`."""

from datetime import UTC, datetime

import pytest

from tests.support.admin_cli import AdminCli

pytestmark = pytest.mark.slow


def test_due_events_of_a_jump_are_listed(cli: AdminCli) -> None:
    before_ms = cli.document("clock")["now_ms"]
    assert cli.text("clock") == "<time> (offset, 0 ms ahead of real time)\n"
    with cli.producer() as producer:
        producer.add_partition("orders")
    shown = cli.text("clock", "advance", "1h").splitlines()
    assert shown[0] == "<time>"
    assert "transactional_id=orders-svc" in shown[1]
    passed = cli.document("clock", "advance", "8d", "--end-sessions")
    assert passed["transactional_ids"] == ["orders-svc"]
    assert passed["now_ms"] - before_ms >= 8 * 86_400_000
    assert passed["done"].count("log-retention") > 1


def test_the_clock_is_set_and_stands_still(cli: AdminCli) -> None:
    assert cli.text("clock", "freeze").startswith("<time> (manual, ")
    frozen_ms = cli.document("clock")["now_ms"]
    later = datetime.fromtimestamp(frozen_ms // 1000 + 86_400, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    found = cli.document("clock", "set", later)
    assert (found["now"], found["mode"]) == (later.replace("Z", ".000Z"), "manual")
    assert cli.document("clock", "set", str(found["now_ms"] + 1))["now_ms"] == found["now_ms"] + 1
    assert cli.text("clock", "resume").startswith("<time> (offset, ")
    assert "the clock cannot go back" in cli.refusal("clock", "set", "2001-01-01T00:00:00Z")


def test_an_invalid_duration_is_refused(unchanged: AdminCli) -> None:
    assert "'soon' is not a duration" in unchanged.refusal("clock", "advance", "soon")
