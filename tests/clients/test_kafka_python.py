"""Transaction and matrix scenarios with kafka-python."""

import pytest

from tests.clients.python.kafka_python_client import KafkaPythonClient
from tests.clients.support.matrix_scenarios import MatrixScenarios
from tests.clients.support.transaction_scenarios import Errors, OffsetScenarios
from tests.clients.support.versions import locked

pytestmark = pytest.mark.slow


@pytest.fixture
def client() -> KafkaPythonClient:
    return KafkaPythonClient()


class TestMatrix(MatrixScenarios):
    title = "kafka-python"
    version = locked("kafka-python")
    fenced = "ProducerFencedError"
    non_empty_group = "NonEmptyGroupError"


class TestTransactions(OffsetScenarios):
    errors = Errors(
        fenced_commit="ProducerFencedError",
        fenced_send="InvalidProducerEpochError",
        timed_out_commit="ProducerFencedError",
        too_large_send="MessageSizeTooLargeError",
        out_of_order_send="OutOfOrderSequenceNumberError",
        next_after_too_large="OutOfOrderSequenceNumberError",
    )
    # it bumps its epoch by itself then, and neither waits for that nor forgets the transaction
    can_abort_after_out_of_order = False
