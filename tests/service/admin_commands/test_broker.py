"""`mockbroker broker`."""

import pytest

from tests.service.support.admin_cli import AdminCli

pytestmark = pytest.mark.slow


def test_brokers_are_listed(unchanged: AdminCli) -> None:
    _titles, first, second = (line.split() for line in unchanged.text("broker").splitlines())
    assert first[:4] == ["1", "<address>", "running", "1"]
    assert "controller" in first
    assert second[:4] == ["2", "<address>", "running", "1"]
    assert [each["id"] for each in unchanged.document("broker", "list")["brokers"]] == [1, 2]


def test_a_broker_is_killed_and_started_again(cli: AdminCli) -> None:
    _titles, first, second = cli.text("broker", "kill", "2").splitlines()
    assert first.split()[2:4] == ["running", "2"]
    assert second.split()[2:] == ["killed", "0"]
    assert "broker 2 is killed" in cli.refusal("broker", "kill", "2")
    started = cli.document("broker", "start", "2")["brokers"]
    assert [each["state"] for each in started] == ["running", "running"]
    assert "there is no broker 9" in cli.refusal("broker", "start", "9")
