"""`mockbroker reset`."""

import pytest

from tests.support.admin_cli import AdminCli

pytestmark = pytest.mark.slow


def test_a_cluster_is_as_at_its_start(cli: AdminCli) -> None:
    with cli.producer() as producer:
        producer.add_partition("orders")
    cli.text("faults", "add", "--topic", "orders", "observe")
    assert cli.text("reset") == "the cluster is as it was at its start\n"
    document = cli.document("state")
    assert (document["transactions"], document["rules"]) == ([], [])
    assert [each["name"] for each in document["topics"]] == ["orders"]
