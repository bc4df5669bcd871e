"""`mockbroker ready`, `mockbroker state` and `mockbroker reset`."""

import threading
from collections.abc import Iterator

import pytest

from tests.support.admin_cli import AdminCli
from tests.support.held_ports import held_ports
from tests.support.process import run, served

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


def test_the_state_lists_transactions_and_faults(cli: AdminCli) -> None:
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
    assert set(document) >= {"cluster", "brokers", "topics", "transactions", "hanging", "faults"}
    assert document["cluster"]["kafka"] == "4.4"
    assert [each["name"] for each in document["topics"]] == ["orders"]


@pytest.fixture
def url() -> Iterator[str]:
    """URL of a reserved port without a listener."""
    with held_ports() as (port,):
        yield f"http://127.0.0.1:{port}"


def test_a_running_cluster_is_ready(unchanged: AdminCli) -> None:
    assert unchanged.text("ready") == "ready\n"
    assert unchanged.document("ready") == {"status": "ok"}
    assert unchanged.text("ready", "-q") == ""


def test_an_unreachable_cluster_is_not_ready(url: str) -> None:
    result = run("ready", "--admin", url)
    assert (result.returncode, result.stdout) == (3, "")
    assert result.stderr.startswith(f"mockbroker: no admin API at {url}: Connection refused; ")


def test_waiting_for_an_unreachable_cluster_has_its_own_exit_code(url: str) -> None:
    result = run("ready", "--admin", url, "--timeout", "50ms")
    assert result.returncode == 4
    assert result.stderr.startswith("mockbroker: not ready within 50ms: no admin API at ")


def test_ready_waits_for_a_cluster_that_starts_later(url: str) -> None:
    codes: list[int] = []
    wait = ("ready", "--admin", url, "--timeout", "30s")
    thread = threading.Thread(target=lambda: codes.append(run(*wait).returncode))
    thread.start()
    with served("--json", "--admin-port", url.rpartition(":")[2]):
        thread.join()
    assert codes == [0]


def test_an_invalid_duration_is_refused(unchanged: AdminCli) -> None:
    assert "'--timeout': 'soon' is not a duration" in unchanged.refusal(
        "ready", "--timeout", "soon"
    )


def test_a_cluster_is_reset_to_its_start(cli: AdminCli) -> None:
    with cli.producer() as producer:
        producer.add_partition("orders")
    cli.text("faults", "add", "--topic", "orders", "observe")
    assert cli.text("reset") == "the cluster is in its initial state\n"
    document = cli.document("state")
    assert (document["transactions"], document["faults"]) == ([], [])
    assert [each["name"] for each in document["topics"]] == ["orders"]
