"""`mockbroker topic`."""

import pytest

from tests.support.admin_cli import AdminCli

pytestmark = pytest.mark.slow


def test_topics_are_listed(unchanged: AdminCli) -> None:
    titles, row = unchanged.text("topic").splitlines()
    assert titles.split() == ["TOPIC", "ID", "PARTITIONS"]
    assert (row.split()[0], row.split()[-1]) == ("orders", "2")
    (topic,) = unchanged.document("topic", "list")["topics"]
    assert topic["name"] == "orders"


def test_a_topic_is_made_anew(cli: AdminCli) -> None:
    (before,) = cli.document("topic")["topics"]
    after = cli.document("topic", "recreate", "orders", "--partitions", "3", "--start-offset", "7")
    assert after["topic_id"] != before["topic_id"]
    assert [each["log_start_offset"] for each in after["partitions"]] == [7, 7, 7]


def test_what_cannot_be_made_anew_is_refused(unchanged: AdminCli) -> None:
    assert "did you mean orders?" in unchanged.refusal("topic", "recreate", "order")
    assert "too few" in unchanged.refusal("topic", "recreate", "orders", "--partitions", "0")
