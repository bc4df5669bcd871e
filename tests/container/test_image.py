"""The image behaves as its Dockerfile and Kafka's own images do."""

import subprocess
import sys
import time
from collections.abc import Mapping
from pathlib import Path

import pytest

from mockbroker.wire import WireClient
from tests.container.contained import PORTS, Contained
from tests.container.image import ROOT
from tests.support.in_time import assert_within_a_second
from tests.support.wire import metadata_of

pytestmark = pytest.mark.slow

Engine = Mapping[str, str]
PHRASES = (
    "[KafkaServer id=1] started",
    "Kafka Server started",
    "Transitioning from RECOVERY to RUNNING",
    "Started Kafka API server",
)


def advertised(served: Contained, port: int = 9092) -> tuple[str, int]:
    """Ask a broker where it is."""
    (broker,) = metadata_of(served.address(port)).brokers
    return broker.host, broker.port


def container(engine: Engine, *words: str, **variables: str) -> Contained:
    return Contained(engine, words, variables)


@pytest.mark.container
@pytest.mark.parametrize("log_format", ["json", "console"])
def test_the_image_serves_and_logs_every_ready_phrase_in_one_line(
    engine: Engine, log_format: str
) -> None:
    with container(engine, MOCKBROKER_LOG_FORMAT=log_format) as served:
        served.wait_for("RUNNING")
        (line,) = [line for line in served.log.splitlines() if "RUNNING" in line]
        assert all(phrase in line for phrase in PHRASES)
        assert advertised(served) == ("127.0.0.1", 9092)


@pytest.mark.container
def test_a_signal_stops_the_image_within_a_second(engine: Engine) -> None:
    def ended_s() -> float:
        with container(engine, "serve") as served:
            served.wait_for("RUNNING")
            with WireClient(served.address(9092)):
                asked_s = time.monotonic()
                assert served.stop() == 0
                return time.monotonic() - asked_s

    assert_within_a_second(ended_s)


@pytest.mark.container
def test_options_alone_are_those_of_serve(engine: Engine) -> None:
    with container(engine, "-t", "orders:3") as served:
        served.wait_for("RUNNING")
        told = metadata_of(served.address(9092))
        assert [len(topic.partitions) for topic in told.topics] == [3]


@pytest.mark.container
@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--version",), "mockbroker, version"),
        (("errors", "PRODUCER_FENCED"), "PRODUCER_FENCED"),
        (("sh", "-c", "echo a shell"), "a shell"),
        (("id", "-u"), "1000"),
        (("pwd",), "/var/lib/mockbroker"),
    ],
)
def test_other_commands_are_run(engine: Engine, words: tuple[str, ...], said: str) -> None:
    with container(engine, *words) as ran:
        assert ran.ended() == 0
        assert said in ran.log


@pytest.mark.container
@pytest.mark.parametrize(
    ("command", "code"),
    [
        ("mockbroker ready --quiet", 3),
        ("/usr/local/bin/entrypoint serve & mockbroker ready --timeout 60s", 0),
    ],
)
def test_the_health_check_fails_without_a_cluster_and_succeeds_with_one(
    engine: Engine, command: str, code: int
) -> None:
    with container(engine, "sh", "-c", command) as asked:
        assert asked.ended() == code, asked.log


@pytest.mark.container
def test_an_advertised_port_is_listened_on(engine: Engine) -> None:
    variables = {"KAFKA_ADVERTISED_LISTENERS": "PLAINTEXT://kafka.test:9092", "KAFKA_LISTENERS": ""}
    with container(engine, "/etc/kafka/docker/run", **variables) as served:
        served.wait_for("RUNNING")
        assert advertised(served) == ("kafka.test", 9092)


@pytest.mark.container
def test_arguments_of_kafkas_command_are_settings(engine: Engine) -> None:
    command = ("/etc/kafka/docker/run", "KAFKA_LISTENERS=PLAINTEXT://0.0.0.0:9093")
    with Contained(engine, command, {}, ports={**PORTS, "9093/tcp": None}) as served:
        served.wait_for("RUNNING")
        assert advertised(served, 9093) == ("127.0.0.1", 9093)


@pytest.mark.container
def test_a_mounted_file_is_read_and_the_environment_takes_precedence(engine: Engine) -> None:
    mounted = {
        "mnt/shared/config/server.properties": "node.id=7\nlisteners=PLAINTEXT://0.0.0.0:1\n"
    }
    variables = {"KAFKA_LISTENERS": "PLAINTEXT://0.0.0.0:9092"}
    with Contained(engine, ["serve"], variables, files=mounted) as served:
        served.wait_for(r"\[KafkaServer id=7\] started")
        assert advertised(served) == ("127.0.0.1", 9092)


@pytest.mark.container
def test_the_id_of_the_cluster_is_that_of_kafkas_image(engine: Engine) -> None:
    with container(engine, CLUSTER_ID="4L6g3nShT-eMCtK--X86sw") as served:
        served.wait_for("RUNNING")
        assert metadata_of(served.address(9092)).cluster_id == "4L6g3nShT-eMCtK--X86sw"


@pytest.mark.container
def test_a_listener_for_controllers_is_open(engine: Engine) -> None:
    command = "/usr/local/bin/entrypoint serve & mockbroker ready --timeout 60s"
    variables = {
        "KAFKA_LISTENERS": "PLAINTEXT://0.0.0.0:9092,CONTROLLER://0.0.0.0:9094",
        "KAFKA_LISTENER_SECURITY_PROTOCOL_MAP": "PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT",
        "KAFKA_CONTROLLER_LISTENER_NAMES": "CONTROLLER",
    }
    script = f"{command} && : </dev/tcp/localhost/9094"
    with container(engine, "bash", "-c", script, **variables) as asked:
        assert asked.ended() == 0, asked.log


@pytest.mark.container
def test_the_port_of_zookeeper_is_open(engine: Engine) -> None:
    script = "echo clientPort=2181 >z; zookeeper-server-start z"
    with container(engine, "sh", "-c", script) as started:
        started.wait_for("port 2181 is open")


@pytest.mark.container
def test_a_random_cluster_id_can_be_generated(engine: Engine) -> None:
    with container(engine, "kafka-storage", "random-uuid") as asked:
        assert asked.ended() == 0
        assert len(asked.log.strip()) == 22


def test_the_dockerfile_has_no_faults() -> None:
    linted = hadolint("Dockerfile")
    assert linted.returncode == 0, linted.stdout


def test_a_fault_of_a_dockerfile_is_detected(tmp_path: Path) -> None:
    planted = tmp_path / "Dockerfile"
    planted.write_text("FROM python\nCMD serve\n")
    assert "DL3025" in hadolint(str(planted)).stdout


def hadolint(path: str) -> subprocess.CompletedProcess[str]:
    """Look for faults in a Dockerfile."""
    command = Path(sys.executable).parent / "hadolint"
    return subprocess.run([command, path], cwd=ROOT, capture_output=True, text=True, check=False)
