"""Transaction and matrix scenarios with Java's client of 2.4, the last one before KIP-360."""

from collections.abc import Iterator

import pytest

from tests.clients.support.client_program import ClientProgram, client_program
from tests.clients.support.java import java_command, programs
from tests.clients.support.matrix_scenarios import MatrixScenarios
from tests.clients.support.transaction_scenarios import Errors, OffsetScenarios

VERSION = "2.4.1"

pytestmark = [pytest.mark.java, pytest.mark.slow, pytest.mark.timeout(300)]


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ClientProgram]:
    command = java_command(programs(f"clients-{VERSION}"), "Client")
    with client_program(command, tmp_path_factory.mktemp(f"java-{VERSION}")) as started:
        yield started


class TestMatrix(MatrixScenarios):
    releases = ("4.4", "2.4")
    title = "Java"
    version = VERSION
    fenced = "ProducerFencedException"
    non_empty_group = "GroupNotEmptyException"


class TestTransactions(OffsetScenarios):
    releases = ("4.4", "3.9", "2.4")
    errors = Errors(
        fenced_commit="ProducerFencedException",
        fenced_send="ProducerFencedException",
        timed_out_commit="ProducerFencedException",
        too_large_send="RecordTooLargeException",
        out_of_order_send="OutOfOrderSequenceException",
        # epochs are not bumped
        next_after_out_of_order="OutOfOrderSequenceException",
    )
