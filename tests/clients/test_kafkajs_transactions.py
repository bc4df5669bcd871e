"""Transaction scenarios with kafkajs's transactional producer."""

from collections.abc import Iterator

import pytest

from tests.clients.support.client_program import ClientProgram, client_program
from tests.clients.support.node import package
from tests.clients.support.transaction_scenarios import Errors, OffsetScenarios

pytestmark = [pytest.mark.node, pytest.mark.slow, pytest.mark.timeout(300)]


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ClientProgram]:
    command = ["node", str(package("kafkajs") / "transactions.js")]
    with client_program(command, tmp_path_factory.mktemp("kafkajs")) as started:
        yield started


class TestTransactions(OffsetScenarios):
    errors = Errors(
        fenced_commit="INVALID_PRODUCER_EPOCH",
        fenced_send="INVALID_PRODUCER_EPOCH",
        timed_out_commit="INVALID_PRODUCER_EPOCH",
        too_large_send="MESSAGE_TOO_LARGE",
        out_of_order_send="OUT_OF_ORDER_SEQUENCE_NUMBER",
        # epochs are not bumped
        next_after_out_of_order="OUT_OF_ORDER_SEQUENCE_NUMBER",
    )
