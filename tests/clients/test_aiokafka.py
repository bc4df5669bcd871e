"""Transaction and matrix scenarios with aiokafka."""

import asyncio
from collections.abc import Iterator
from typing import ClassVar

import pytest

from tests.clients.python.aiokafka_client import AiokafkaClient
from tests.clients.support.matrix import Program
from tests.clients.support.matrix_scenarios import MatrixScenarios
from tests.clients.support.transaction_scenarios import Errors, OffsetScenarios
from tests.clients.support.versions import locked

pytestmark = pytest.mark.slow


@pytest.fixture
def client() -> Iterator[AiokafkaClient]:
    with asyncio.Runner() as runner:
        yield AiokafkaClient(runner)


class TestMatrix(MatrixScenarios):
    title = "aiokafka"
    version = locked("aiokafka")
    remarks: ClassVar = {
        Program.ADMIN_ROUND: "aiokafka's admin client has no call that deletes a group."
    }
    fenced = "ProducerFenced"
    non_empty_group = "NonEmptyGroupError"


class TestTransactions(OffsetScenarios):
    errors = Errors(
        fenced_commit="ProducerFenced",
        fenced_send="ProducerFenced",
        timed_out_commit="ProducerFenced",
        too_large_send="MessageSizeTooLargeError",
        out_of_order_send="OutOfOrderSequenceNumber",
        # sequence numbers of what failed are lost, and epochs are not bumped
        next_after_too_large="OutOfOrderSequenceNumber",
        next_after_out_of_order="OutOfOrderSequenceNumber",
    )
