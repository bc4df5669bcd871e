"""The image's scripts behave as its Dockerfile and Kafka's own images do."""

import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from mockbroker.wire import WireClient
from tests.container.image import CONTAINER_PORTS, ROOT, Contained, Image, is_open
from tests.container.testcontainers import STARTS, Start
from tests.support.held_ports import held_ports
from tests.support.in_time import assert_within_a_second
from tests.support.wire import metadata_of

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(shutil.which("bash") is None, reason="the scripts are for bash and sh"),
]

PHRASES = (
    "[KafkaServer id=1] started",
    "Kafka Server started",
    "Transitioning from RECOVERY to RUNNING",
    "Started Kafka API server",
)


@pytest.fixture
def image(tmp_path: Path) -> Iterator[Image]:
    with held_ports(len(CONTAINER_PORTS)) as ports:
        yield Image(tmp_path / "image", ports)


def advertised_at(port: int) -> tuple[str, int]:
    """Ask a broker where it is."""
    (broker,) = metadata_of(f"127.0.0.1:{port}").brokers
    return broker.host, broker.port


def cluster_id_at(port: int) -> str | None:
    """Ask a broker which cluster it is of."""
    return metadata_of(f"127.0.0.1:{port}").cluster_id


def entrypoint(image: Image, *words: str, **variables: str) -> Contained:
    given = {"KAFKA_LISTENERS": "PLAINTEXT://0.0.0.0:9092", **variables}
    return image.run(["/usr/local/bin/entrypoint", *words], given)


@pytest.mark.parametrize("log_format", ["json", "console"])
def test_the_image_serves_and_logs_every_ready_phrase_in_one_line(
    image: Image, log_format: str
) -> None:
    with entrypoint(image, "serve", MOCKBROKER_LOG_FORMAT=log_format) as served:
        served.wait_for("RUNNING")
        (line,) = [line for line in served.log.splitlines() if "RUNNING" in line]
        assert all(phrase in line for phrase in PHRASES)
        assert advertised_at(image.ports[9092]) == ("127.0.0.1", image.ports[9092])


def test_a_signal_stops_the_image_within_a_second(image: Image) -> None:
    def ended_s() -> float:
        with entrypoint(image, "serve") as served:
            served.wait_for("RUNNING")
            with WireClient(f"127.0.0.1:{image.ports[9092]}"):
                asked_s = time.monotonic()
                served.process.send_signal(signal.SIGTERM)
                assert served.process.wait(30) == 0
                return time.monotonic() - asked_s

    assert_within_a_second(ended_s)


def test_options_alone_are_those_of_serve(image: Image) -> None:
    with entrypoint(image, "-t", "orders:3") as served:
        served.wait_for("RUNNING")
        told = metadata_of(f"127.0.0.1:{image.ports[9092]}")
        assert [len(topic.partitions) for topic in told.topics] == [3]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--version",), "mockbroker, version"),
        (("errors", "PRODUCER_FENCED"), "PRODUCER_FENCED"),
        (("sh", "-c", "echo a shell"), "a shell"),
    ],
)
def test_other_commands_are_run(image: Image, words: tuple[str, ...], said: str) -> None:
    with entrypoint(image, *words) as ran:
        assert ran.ended() == 0
        assert said in ran.log


def test_the_health_check_fails_without_a_cluster_and_succeeds_with_one(image: Image) -> None:
    with image.run(["mockbroker", "ready", "--quiet"], {}) as asked:
        assert asked.ended() == 3
    with entrypoint(image, "serve") as served:
        served.wait_for("RUNNING")
        with image.run(["mockbroker", "ready", "--timeout", "60s"], {}) as asked:
            assert asked.ended() == 0, asked.log


def test_an_advertised_port_is_listened_on(image: Image) -> None:
    variables = {"KAFKA_ADVERTISED_LISTENERS": "PLAINTEXT://kafka.test:9092", "KAFKA_LISTENERS": ""}
    with image.run(["/etc/kafka/docker/run"], variables) as served:
        served.wait_for("RUNNING")
        assert advertised_at(image.ports[9092]) == ("kafka.test", image.ports[9092])


def test_arguments_of_kafkas_command_are_settings(image: Image) -> None:
    listeners = "KAFKA_LISTENERS=PLAINTEXT://0.0.0.0:9093"
    with image.run(["/etc/kafka/docker/run", listeners], {}) as served:
        served.wait_for("RUNNING")
        assert advertised_at(image.ports[9093]) == ("127.0.0.1", image.ports[9093])


def test_a_mounted_file_is_read_and_the_environment_takes_precedence(image: Image) -> None:
    mounted = image.root / "mnt" / "shared" / "config" / "server.properties"
    mounted.parent.mkdir(parents=True)
    mounted.write_text("node.id=7\nlisteners=PLAINTEXT://0.0.0.0:1\n")
    with entrypoint(image, "serve") as served:
        served.wait_for(r"\[KafkaServer id=7\] started")
        assert advertised_at(image.ports[9092])[1] == image.ports[9092]


@pytest.mark.parametrize("start", STARTS, ids=lambda start: start.name)
def test_testcontainers_start_the_unchanged_image(image: Image, start: Start) -> None:
    public = image.ports[start.public_port]
    with image.run([*start.entrypoint, *start.command], start.variables) as served:
        script = image.here(start.script).replace("OUTSIDE", f"localhost:{public}")
        path = Path(image.here(start.script_path))
        aside = path.with_suffix(".aside")
        aside.write_text(script)
        aside.chmod(0o777)
        aside.rename(path)
        for port in start.held_ports:
            served.wait_for(f"port {image.ports[port]} is open")
        served.wait_for(start.waits_for)
        assert all(is_open(image.ports[port]) for port in (start.public_port, *start.held_ports))
        assert is_open(image.ports[9094]) == ("CONTROLLER" in start.variables["KAFKA_LISTENERS"])
        assert advertised_at(public) == ("localhost", public)
        assert cluster_id_at(public) == start.variables.get("CLUSTER_ID", cluster_id_at(public))
        other = 9092 if start.public_port != 9092 else 9093
        host, port = advertised_at(image.ports[other])
        assert (host != "localhost", port) == (True, image.ports[other])


def test_a_random_cluster_id_can_be_generated(image: Image) -> None:
    with image.run(["kafka-storage", "random-uuid"], {}) as asked:
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
