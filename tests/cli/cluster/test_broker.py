"""`mockbroker broker`."""

import pytest

from tests.support.admin_cli import AdminCli

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


def test_a_broker_is_cut_off_and_taken_back(cli: AdminCli) -> None:
    isolated = cli.document("broker", "isolate", "2")["brokers"]
    assert [each["state"] for each in isolated] == ["running", "isolated"]
    assert "isolated" in cli.refusal("broker", "isolate", "2")
    assert "isolated" not in cli.text("broker", "rejoin", "2")


def test_what_no_disk_has_is_lost_when_the_power_fails(cli: AdminCli) -> None:
    with cli.producer() as producer:
        producer.add_partition("orders")
        producer.produce("orders", b"kept", base_sequence=0)
        assert cli.text("broker", "flush") == "disks hold what was written\n"
        producer.produce("orders", b"lost", base_sequence=1)
    crashed = cli.document("broker", "crash")["brokers"]
    assert [each["state"] for each in crashed] == ["running", "running"]
    assert cli.document("log", "orders:0")["partitions"][0]["log_end_offset"] == 1
    assert "9" in cli.refusal("broker", "crash", "9")
