"""franz-go's transactional producer."""

from collections.abc import Iterator
from dataclasses import replace

import pytest

from tests.clients.support.client_program import ClientProgram, client_program
from tests.clients.support.go import program
from tests.clients.support.transaction_scenarios import Errors, TransactionScenarios

pytestmark = [pytest.mark.go, pytest.mark.slow, pytest.mark.timeout(300)]


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ClientProgram]:
    command = [str(program("franz-go")), "transactions"]
    with client_program(command, tmp_path_factory.mktemp("franz-go")) as started:
        yield started


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
