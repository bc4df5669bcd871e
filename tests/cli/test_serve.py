"""`mockbroker serve`: ready, served, stopped; and the ways in which it does not start."""

import json
import os
import shutil
import signal
import socket
from pathlib import Path

import pytest
from confluent_kafka.admin import AdminClient

from mockbroker.journal.files.folder import read_journal
from mockbroker.protocol.messages.metadata import MetadataResponse
from mockbroker.wire import WireClient, WireProducer
from tests.support.in_time import assert_within_a_second
from tests.support.process import Served, run, served
from tests.support.wire import metadata_of

pytestmark = pytest.mark.slow


def metadata_by(broker: Served, number: int = 0) -> MetadataResponse:
    return metadata_of(broker.addresses[number])


def topics_of(broker: Served) -> dict[str | None, int]:
    return {topic.name: len(topic.partitions) for topic in metadata_by(broker).topics}


def test_with_json_one_line_announces_that_the_cluster_is_ready() -> None:
    with served("--json") as broker:
        assert set(broker.ready) == {"_v", "bootstrap_servers", "admin_url", "pid", "kafka"}
        assert broker.ready["_v"] == 1
        assert broker.ready["admin_url"].startswith("http://127.0.0.1:")
        assert broker.ready["pid"] not in {0, os.getpid()}
        assert broker.ready["kafka"] == "4.4"
        assert [f"{b.host}:{b.port}" for b in metadata_by(broker).brokers] == broker.addresses
        assert broker.stop() == 0
    assert not broker.stdout
    assert not broker.stderr


def test_with_tls_the_authority_is_announced() -> None:
    with served("--json", "--tls", "--topic", "orders") as broker:
        security = {"security.protocol": "SSL", "ssl.ca.pem": broker.ready["ca_pem"]}
        admin = AdminClient({"bootstrap.servers": broker.addresses[0], **security})
        assert admin.list_topics(timeout=10).topics.keys() == {"orders"}


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_stops_the_server_within_a_second(number: signal.Signals) -> None:
    def stopped_s() -> float:
        with served("--json", "--brokers", "3") as broker:
            clients = [WireClient(address) for address in broker.addresses for _ in range(5)]
            assert broker.stop(number) == 0
            for client in clients:
                client.close()
        return broker.stop_s

    assert_within_a_second(stopped_s)


def test_with_until_eof_the_server_stops_when_stdin_ends() -> None:
    with served("--json", "--until-eof") as broker:
        assert metadata_by(broker).brokers
        assert broker.end_stdin() == 0


def test_without_json_the_release_and_the_addresses_are_printed() -> None:
    with served() as broker:
        assert broker.first_line == "mockbroker behaves like Kafka 4.4; Ctrl-C stops it\n"
        assert broker.stop() == 0
    host, _, port = broker.stdout.rpartition("bootstrap.servers=")[2].strip().rpartition(":")
    assert f"  broker 1 on {host}:{port}\n" in broker.stdout


def test_brokers_count_up_from_the_node_id() -> None:
    with served("--json", "--brokers", "3", "-c", "node.id=11") as broker:
        assert [b.node_id for b in metadata_by(broker, 2).brokers] == [11, 12, 13]
        addresses = [f"{b.host}:{b.port}" for b in metadata_by(broker, 1).brokers]
        assert addresses == broker.addresses
        assert len(set(addresses)) == 3


def test_the_command_line_decides_before_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MOCKBROKER_BROKERS", "3")
    monkeypatch.setenv("MOCKBROKER_TOPICS", "orders:2")
    with served("--json", "-b", "1") as broker:
        assert len(metadata_by(broker).brokers) == 1
        assert topics_of(broker) == {"orders": 2}
    with served("--json", "-t", "payments") as broker:
        assert len(metadata_by(broker).brokers) == 3
        assert topics_of(broker) == {"payments": 1}


def test_topics_exist_from_the_start() -> None:
    words = ["-t", "orders:3", "-t", "plain", "-c", "num.partitions=2"]
    with served("--json", *words) as broker:
        assert topics_of(broker) == {"orders": 3, "plain": 2}


def test_a_settings_file_is_read_and_the_command_line_wins(tmp_path: Path) -> None:
    file = tmp_path / "server.properties"
    file.write_text("# mine\nnode.id=7\nnum.partitions : 5\n", encoding="latin-1")
    words = ["--config-file", str(file), "-c", "num.partitions=4", "-t", "orders"]
    with served("--json", *words) as broker:
        assert [b.node_id for b in metadata_by(broker).brokers] == [7]
        assert topics_of(broker) == {"orders": 4}


def test_a_release_is_chosen() -> None:
    with served("--json", "--kafka", "2.4.1") as broker:
        assert broker.ready["kafka"] == "2.4"


def test_an_unknown_config_is_a_warning_with_a_guess() -> None:
    with served("--json", "-c", "num.partition=2") as broker:
        assert broker.stop() == 0
    (line,) = broker.stderr.splitlines()
    event = json.loads(line)
    assert event["level"] == "warning"
    assert event["event"] == "config_ignored"
    assert "num.partition, it is ignored; did you mean num.partitions?" in event["why"]


def test_a_port_that_is_taken_is_named() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        result = run("serve", "--port", str(port))
    assert result.returncode == 2
    assert not result.stdout
    assert result.stderr == (
        f"mockbroker: cannot listen on 127.0.0.1:{port}: Address already in use; "
        "choose another --port\n"
    )


@pytest.mark.parametrize(
    ("words", "named"),
    [
        (["-c", "num.partitions=many"], ["num.partitions", "many"]),
        (["-c", "log.cleanup.policy=tidy"], ["log.cleanup.policy", "tidy", "compact", "delete"]),
        (["-c", "num.partitions"], ["-c=num.partitions", "KEY=VALUE"]),
        (["--kafka", "3.8"], ["--kafka=3.8", "not supported", "3.9 and 4.4"]),
        (["--brokers", "0"], ["--brokers=0", "allowed are 1 to"]),
        (["--port", "70000"], ["--port=70000", "allowed are 0 to 65535"]),
        (["-t", "orders:0"], ["--topic=orders:0", "NAME:PARTITIONS"]),
        (["-t", "a/b"], ["a/b"]),
        (["--feature", "no.such=1"], ["no.such", "no such feature"]),
        (
            ["--proposal", "telepathy"],
            ["--proposal=telepathy", "the proposals are describe-transaction"],
        ),
        (
            ["--kafka", "2.8", "--proposal", "old-message-formats"],
            ["--proposal=old-message-formats", "Kafka 2.8 does this without the proposal"],
        ),
        (["--config-file", "no-such-file"], ["cannot read no-such-file: No such file"]),
        (["-c", "listeners=SSL://:0"], ["listeners=SSL", "TLS needs a certificate: set ssl.key"]),
        (["--host", "192.0.2.1", "--port", "0"], ["cannot listen on 192.0.2.1:0: "]),
    ],
)
def test_invalid_arguments_are_refused_in_one_line(words: list[str], named: list[str]) -> None:
    result = run("serve", *words)
    assert result.returncode == 2
    assert not result.stdout
    (line,) = result.stderr.splitlines()
    assert line.startswith("mockbroker: ")
    for name in named:
        assert name in line


def test_control_characters_of_a_setting_do_not_reach_the_terminal() -> None:
    result = run("serve", "--admin-host", "\x1b[31mred", "--admin-port", "0")
    assert result.returncode == 2
    assert "--admin-host=\\u001b[31mred" in result.stderr
    assert "\x1b" not in result.stderr


@pytest.mark.slow
def test_a_served_cluster_writes_its_journal(tmp_path: Path) -> None:
    folder = tmp_path / "journal"
    with served("--topic", "orders", "--journal", str(folder), "--json") as server:
        with WireProducer(server.ready["bootstrap_servers"]) as producer:
            producer.init_producer_id()
            producer.produce("orders", b"order-1", base_sequence=0)
        assert server.stop() == 0
    appended = [entry for entry in read_journal(folder) if entry.kind == "append"]
    assert [entry.topic for entry in appended] == ["orders"]
    ran = run("serve", "--port", "0", "--journal", str(folder))
    assert ran.returncode == 2
    assert "is not empty" in ran.stderr


@pytest.mark.parametrize(
    ("given", "why"),
    [
        ([], "--journal-identity=id: it needs --journal"),
        (["--journal", "j"], "'id' is no identity of records: write key, value, header:NAME"),
    ],
)
def test_a_wrong_identity_of_records_is_refused(given: list[str], why: str) -> None:
    ran = run("serve", "--port", "0", "--journal-identity", "id", *given)
    assert ran.returncode == 2
    assert why in ran.stderr


def test_a_journal_whose_folder_is_removed_is_reported_at_once_and_at_the_end(
    tmp_path: Path,
) -> None:
    folder = tmp_path / "journal"
    with served("--topic", "orders", "--journal", str(folder), "--json") as server:
        shutil.rmtree(folder)
        with WireProducer(server.ready["bootstrap_servers"]) as producer:
            producer.init_producer_id()
        reported = json.loads(server.next_error())
        assert server.stop() == 1
    assert (reported["event"], reported["level"]) == ("journal_failed", "error")
    assert server.stderr == f"mockbroker: {reported['why']}\n"
    assert f"the journal in {folder} is incomplete: its folder was removed" in server.stderr
