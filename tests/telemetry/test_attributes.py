"""Attributes have the names of OpenTelemetry's semantic conventions, or are our own."""

import pytest
from opentelemetry.semconv._incubating.attributes import (
    error_attributes,
    messaging_attributes,
    network_attributes,
    rpc_attributes,
    server_attributes,
)
from opentelemetry.semconv._incubating.metrics.rpc_metrics import RPC_SERVER_CALL_DURATION

from mockbroker.telemetry import attributes
from mockbroker.telemetry.instruments import DURATION

CONVENTIONS = {
    value
    for module in (
        error_attributes,
        messaging_attributes,
        network_attributes,
        rpc_attributes,
        server_attributes,
    )
    for value in vars(module).values()
    if isinstance(value, str)
}
VALUES = {"kafka", "tcp"}
NAMES = {
    value
    for name, value in vars(attributes).items()
    if name.isupper() and isinstance(value, str) and value not in VALUES
}


@pytest.mark.parametrize("name", sorted(NAMES))
def test_a_name_is_of_the_conventions_or_ours(name: str) -> None:
    assert name.startswith("mockbroker.") != (name in CONVENTIONS)


def test_names_are_different() -> None:
    assert len(NAMES) > 30
    constants = [name for name in vars(attributes) if name.isupper()]
    assert len(constants) == len(NAMES | VALUES)


def test_the_duration_has_the_name_of_the_conventions() -> None:
    assert DURATION == RPC_SERVER_CALL_DURATION
