"""New clients with brokers of Kafka 2.4 negotiate versions that both support."""

from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from tests.clients.support.client_program import client_program
from tests.clients.support.go import program
from tests.clients.support.java import java_command, programs
from tests.clients.support.records import (
    COMPRESSIONS,
    RECORD_COUNT,
    digest,
    sample_partitions,
)
from tests.clients.support.stored_batches import stored_compressions

pytestmark = [pytest.mark.slow, pytest.mark.timeout(300)]


@pytest.fixture
def old_brokers(brokers_of: Callable[[str], str]) -> str:
    """The bootstrap servers of three brokers of that release."""
    return brokers_of("2.4")


def reads_back_what_it_wrote(
    command: Sequence[str | Path], folder: Path, brokers: str, topic: str
) -> None:
    digests = [digest(records) for records in sample_partitions().values()]
    with client_program(command, folder) as client:
        for compression in COMPRESSIONS:
            name = f"{topic}-{compression}"
            assert client.round_trip(brokers, name, compression) == digests
            assert stored_compressions(brokers, name) == {compression: RECORD_COUNT}


@pytest.mark.java
def test_java_reads_its_own_records_back(old_brokers: str, topic: str, tmp_path: Path) -> None:
    command = java_command(programs("clients-4.4.0"), "Client")
    reads_back_what_it_wrote(command, tmp_path, old_brokers, topic)


@pytest.mark.go
def test_franz_go_reads_its_own_records_back(old_brokers: str, topic: str, tmp_path: Path) -> None:
    reads_back_what_it_wrote([program("franz-go")], tmp_path, old_brokers, topic)
