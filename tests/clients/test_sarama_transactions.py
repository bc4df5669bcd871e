"""Transaction scenarios with sarama's transactional producer."""

from collections.abc import Iterator

import pytest

from tests.clients.support.client_program import ClientProgram, client_program
from tests.clients.support.go import program
from tests.clients.support.transaction_scenarios import Errors, OffsetScenarios

# sarama knows errors by their codes
MESSAGE_TOO_LARGE = "10"
OUT_OF_ORDER_SEQUENCE_NUMBER = "45"
INVALID_PRODUCER_EPOCH = "47"
PRODUCER_FENCED = "90"

pytestmark = [pytest.mark.go, pytest.mark.slow, pytest.mark.timeout(300)]


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ClientProgram]:
    command = [program("sarama")]
    with client_program(command, tmp_path_factory.mktemp("sarama")) as started:
        yield started


class TestTransactions(OffsetScenarios):
    errors = Errors(
        fenced_commit=PRODUCER_FENCED,
        fenced_send=INVALID_PRODUCER_EPOCH,
        timed_out_commit=PRODUCER_FENCED,
        too_large_send=MESSAGE_TOO_LARGE,
        out_of_order_send=OUT_OF_ORDER_SEQUENCE_NUMBER,
    )
