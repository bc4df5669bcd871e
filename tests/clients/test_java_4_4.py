"""Java's own client, the newest release."""

from collections.abc import Iterator
from dataclasses import replace

import pytest

from tests.clients.support.client_program import ClientProgram, client_program
from tests.clients.support.java import java_command, programs
from tests.clients.support.matrix_scenarios import MatrixScenarios
from tests.clients.support.transaction_scenarios import Errors, OffsetScenarios

VERSION = "4.4.0"

pytestmark = [pytest.mark.java, pytest.mark.slow, pytest.mark.timeout(300)]


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ClientProgram]:
    command = java_command(programs(f"clients-{VERSION}"), "Client")
    with client_program(command, tmp_path_factory.mktemp(f"java-{VERSION}")) as started:
        yield started


class TestMatrix(MatrixScenarios):
    releases = ("4.4", "2.8")
    title = "Java"
    version = VERSION
    fenced = "ProducerFencedException"
    non_empty_group = "GroupNotEmptyException"


class TestTransactions(OffsetScenarios):
    errors = Errors(
        fenced_commit="ProducerFencedException",
        fenced_send="InvalidProducerEpochException",
        timed_out_commit="InvalidTxnStateException",
        too_large_send="RecordTooLargeException",
        out_of_order_send="OutOfOrderSequenceException",
    )

    def errors_on(self, release: str) -> Errors:
        if release == "4.4":
            return self.errors
        return replace(self.errors, timed_out_commit="ProducerFencedException")
