"""Kafka's classes still write the recorded bytes, and the recorder still works."""

import pytest

from tests.protocol.golden.record import recording
from tests.protocol.golden.stored import GOLDEN


@pytest.mark.kafka
@pytest.mark.slow
@pytest.mark.timeout(600)  # the jars are fetched on first use
def test_kafka_still_writes_the_recorded_bytes() -> None:
    assert recording().splitlines() == GOLDEN.read_text("utf-8").splitlines()
