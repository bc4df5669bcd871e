"""`mockbroker state`: all of a cluster at once."""

import pytest

from tests.support.admin_cli import AdminCli

pytestmark = pytest.mark.slow

NEW = """\
Kafka 4.4 at <address>  ,<address>
clock <time>

BROKER  ADDRESS   STATE    LEADS
     1  <address> running      1  controller
     2  <address> running      1

PARTITION  LEADER  EPOCH  IN SYNC  START  STABLE  HIGH  END  BYTES
orders:0        1      0  1,2          0       0     0    0      0
orders:1        2      0  2,1          0       0     0    0      0
"""


def test_a_new_cluster_has_brokers_and_topics(unchanged: AdminCli) -> None:
    shown = unchanged.text("state")
    assert [line.split() for line in shown.splitlines()] == [
        line.split() for line in NEW.splitlines()
    ]


def test_what_goes_on_is_shown(cli: AdminCli) -> None:
    with cli.producer() as producer:
        producer.add_partition("orders")
    cli.run("faults", "add", "--id", "lost", "--topic", "orders", "lose-response")
    lines = cli.text("state").splitlines()
    assert "orders-svc        Ongoing         0      0            1  <time>  orders:0" in lines
    assert (
        "lost       0     0     0         0  fault(topic='orders').lose_response().once()" in lines
    )
    assert not any("__transaction_state" in line for line in lines)
    internal = cli.text("state", "--internal").splitlines()
    assert any(line.startswith("__transaction_state:49 ") for line in internal)


def test_programs_get_all_of_it(unchanged: AdminCli) -> None:
    document = unchanged.document("state")
    assert set(document) >= {"cluster", "brokers", "topics", "transactions", "hanging", "rules"}
    assert document["cluster"]["kafka"] == "4.4"
    assert [each["name"] for each in document["topics"]] == ["orders"]
