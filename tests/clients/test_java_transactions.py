"""Java's transactional producer, the newest release and the last one before KIP-360."""

from collections.abc import Iterator
from dataclasses import replace

import pytest

from tests.clients.support.client_program import ClientProgram, client_program
from tests.clients.support.java import java_command, programs
from tests.clients.support.transaction_scenarios import Errors, OffsetScenarios

pytestmark = [pytest.mark.java, pytest.mark.slow, pytest.mark.timeout(300)]


@pytest.fixture(scope="module")
def client_4_4_0(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ClientProgram]:
    command = java_command(programs("clients-4.4.0"), "Transactions")
    with client_program(command, tmp_path_factory.mktemp("java-4.4.0")) as program:
        yield program


@pytest.fixture(scope="module")
def client_2_4_1(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ClientProgram]:
    command = java_command(programs("clients-2.4.1"), "Transactions")
    with client_program(command, tmp_path_factory.mktemp("java-2.4.1")) as program:
        yield program


class TestClientOf440(OffsetScenarios):
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

    @pytest.fixture
    def client(self, client_4_4_0: ClientProgram) -> ClientProgram:
        return client_4_4_0


class TestClientOf241(OffsetScenarios):
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

    @pytest.fixture
    def client(self, client_2_4_1: ClientProgram) -> ClientProgram:
        return client_2_4_1
