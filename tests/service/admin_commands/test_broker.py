"""`mockbroker broker`."""

import pytest

from tests.service.support.admin_cli import AdminCli

pytestmark = pytest.mark.slow


def test_brokers_are_listed(unchanged: AdminCli) -> None:
    _titles, first, second = (line.split() for line in unchanged.text("broker").splitlines())
    assert first[:3] == ["1", "<address>", "1"]
    assert "controller" in first
    assert second[:3] == ["2", "<address>", "1"]
    assert [each["id"] for each in unchanged.document("broker", "list")["brokers"]] == [1, 2]
