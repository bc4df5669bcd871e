"""All scenarios that are compared with real Kafka, by name."""

from collections.abc import Mapping
from typing import Final

from tests.clients.spark.batch_scenarios import BATCH_SCENARIOS
from tests.clients.spark.loss_scenarios import LOSS_SCENARIOS
from tests.clients.spark.stage import Scenario
from tests.clients.spark.stream_scenarios import STREAM_SCENARIOS
from tests.clients.spark.task_scenarios import TASK_SCENARIOS


def _by_name(*scenarios: Scenario) -> Mapping[str, Scenario]:
    return {scenario.__name__: scenario for scenario in scenarios}


USES: Final = _by_name(*BATCH_SCENARIOS, *STREAM_SCENARIOS, *TASK_SCENARIOS)
"""Common uses of Spark with Kafka."""
LOSSES: Final = _by_name(*LOSS_SCENARIOS)
"""Losses and failures that real Kafka can produce too."""
