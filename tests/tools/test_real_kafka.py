"""The launcher of real Kafka, as far as it can be tested without a start."""

import socket
import subprocess
import sys
from pathlib import Path

import pytest

from mockbroker import Cluster
from tests.support.held_ports import held_ports
from tools.kafka_releases import RealKafkaUnavailableError
from tools.processes import stop_processes
from tools.real_kafka import brokers_listed, main, start


def test_brokers_are_counted_in_the_metadata() -> None:
    with Cluster(brokers=3) as cluster:
        assert brokers_listed(int(cluster.bootstrap_servers.rpartition(":")[2])) == 3


def test_an_unreachable_port_lists_no_broker() -> None:
    with held_ports() as (port,):
        assert brokers_listed(port) == 0


def test_a_taken_port_is_refused_before_anything_starts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    programs = tmp_path / "bin"
    programs.mkdir()
    (programs / "java").touch(mode=0o755)
    monkeypatch.setenv("PATH", str(programs))
    monkeypatch.setenv("REAL_KAFKA_CACHE", str(tmp_path))
    libraries = tmp_path / "libs-4.4.0"
    libraries.mkdir()
    (libraries / "kafka_2.13-4.4.0.jar").touch()
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
        with pytest.raises(RealKafkaUnavailableError, match=f"port {port}: "):
            start(tmp_path / "kafka", port)
    assert not (tmp_path / "kafka").exists()


def test_a_missing_java_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    monkeypatch.setenv("REAL_KAFKA_CACHE", str(tmp_path))
    libraries = tmp_path / "libs-4.4.0"
    libraries.mkdir()
    (libraries / "kafka_2.13-4.4.0.jar").touch()
    with pytest.raises(RealKafkaUnavailableError, match="Java is needed"):
        start(tmp_path / "kafka", 1)


def test_a_process_that_ignores_sigterm_is_killed() -> None:
    program = (
        "import signal, sys; signal.signal(signal.SIGTERM, signal.SIG_IGN);"
        " print('ready', flush=True); sys.stdin.read()"
    )
    with subprocess.Popen(
        [sys.executable, "-S", "-c", program], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as process:
        assert process.stdout is not None
        process.stdout.readline()
        stop_processes([process], grace_s=0.05)
        assert process.returncode == -9


@pytest.mark.parametrize("arguments", [["fetch", "9.9.9"], ["run", "x", "1", "--version", "9"]])
def test_an_unknown_release_is_refused_by_the_command(
    arguments: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit):
        main(arguments)
    assert "invalid choice" in capsys.readouterr().err


def test_a_setting_without_a_value_is_refused(tmp_path: Path) -> None:
    with pytest.raises(SystemExit, match=r"num\.partitions: KEY=VALUE is expected"):
        main(["run", str(tmp_path), "1", "--set", "num.partitions"])
