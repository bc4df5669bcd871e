"""Transaction and matrix scenarios with franz-go."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from tests.clients.support.client_program import ClientProgram, client_program
from tests.clients.support.go import program
from tests.clients.support.group_scenarios import (
    ConsumerProtocolScenarios,
    joined,
    poll_until,
)
from tests.clients.support.matrix_client import MatrixClient
from tests.clients.support.matrix_scenarios import MatrixScenarios
from tests.clients.support.transaction_scenarios import Errors, TransactionScenarios
from tests.clients.support.transactional_client import ClientError
from tests.clients.support.versions import in_go_module

pytestmark = [pytest.mark.go, pytest.mark.slow, pytest.mark.timeout(300)]


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ClientProgram]:
    with client_program([program("franz-go")], tmp_path_factory.mktemp("franz-go")) as started:
        yield started


@pytest.fixture(scope="module")
def consumer_client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ClientProgram]:
    command: list[str | Path] = [program("franz-go"), "consumer"]
    with client_program(command, tmp_path_factory.mktemp("franz-go-consumer")) as started:
        yield started


class TestMatrix(MatrixScenarios):
    releases = ("4.4", "2.8")
    title = "franz-go"
    version = in_go_module("franz-go", "github.com/twmb/franz-go")
    fenced = "PRODUCER_FENCED"
    non_empty_group = "NON_EMPTY_GROUP"


class TestConsumerProtocol(ConsumerProtocolScenarios):
    @pytest.fixture
    def client(self, consumer_client: ClientProgram) -> ClientProgram:
        return consumer_client

    def test_static_member(self, client: MatrixClient, bootstrap_servers: str, topic: str) -> None:
        """Its heartbeat with which a static member leaves lacks the instance id: it is refused."""
        stage = self.stage(bootstrap_servers, topic, 1)
        with joined(client, stage, "restarting") as before:
            poll_until(lambda _: stage.is_stable(1), {"before": before})
            view = stage.view()
        assert stage.view() == view
        with joined(client, stage, "restarting") as after:
            refused = pytest.raises(ClientError, match="UNRELEASED_INSTANCE_ID")
            with refused:
                poll_until(lambda _: False, {"after": after})


class TestTransactions(TransactionScenarios):
    errors = Errors(
        fenced_commit="PRODUCER_FENCED",
        fenced_send="INVALID_PRODUCER_EPOCH",
        timed_out_commit="INVALID_TXN_STATE",
        too_large_send="MESSAGE_TOO_LARGE",
        out_of_order_send="OUT_OF_ORDER_SEQUENCE_NUMBER",
    )

    def errors_on(self, release: str) -> Errors:
        if release == "4.4":
            return self.errors
        return replace(
            self.errors,
            timed_out_commit="PRODUCER_FENCED",
            # it counts on EndTxn v5 to bump the epoch
            next_after_out_of_order="OUT_OF_ORDER_SEQUENCE_NUMBER",
        )
