"""Valid values of quotas."""

from math import inf, nan

import pytest

from mockbroker.protocol.errors import ApiError, ErrorCode
from mockbroker.state.client.quota_entity import QuotaEntity
from mockbroker.state.client.quota_value import checked_value
from mockbroker.state.release.quota_options import (
    QUOTAS_IN_KRAFT,
    QUOTAS_IN_ZOOKEEPER,
    QuotaOptions,
)

ALICE: QuotaEntity = {"user": "alice"}
ADDRESS: QuotaEntity = {"ip": None}
RATE, PERCENTAGE, CONNECTIONS = (
    "producer_byte_rate",
    "request_percentage",
    "connection_creation_rate",
)


@pytest.mark.parametrize(
    ("entity", "key", "value", "options", "kept"),
    [
        (ALICE, RATE, 1000.0, QUOTAS_IN_KRAFT, 1000.0),
        (ALICE, RATE, float(2**63), QUOTAS_IN_KRAFT, float(2**63)),
        (ALICE, RATE, float(2**63), QUOTAS_IN_ZOOKEEPER, float(2**63)),
        (ALICE, RATE, 1.0000001, QUOTAS_IN_KRAFT, 1.0000001),
        (ALICE, RATE, 1.0000001, QUOTAS_IN_ZOOKEEPER, 1.0),
        (ALICE, RATE, 0.9999999, QUOTAS_IN_ZOOKEEPER, 1.0),
        (ALICE, RATE, 0.0, QUOTAS_IN_ZOOKEEPER, 0.0),
        (ALICE, PERCENTAGE, 0.5, QUOTAS_IN_KRAFT, 0.5),
        (ALICE, PERCENTAGE, -0.5, QUOTAS_IN_ZOOKEEPER, -0.5),
        (ADDRESS, CONNECTIONS, 10.0, QUOTAS_IN_KRAFT, 10.0),
    ],
)
def test_a_valid_value_is_stored(
    entity: QuotaEntity, key: str, value: float, options: QuotaOptions, kept: float
) -> None:
    assert checked_value(entity, key, value, options) == kept


@pytest.mark.parametrize(
    ("entity", "key", "value", "options", "why"),
    [
        (ALICE, "nonsense", 1.0, QUOTAS_IN_KRAFT, "Invalid configuration key nonsense"),
        (ALICE, CONNECTIONS, 1.0, QUOTAS_IN_KRAFT, f"Invalid configuration key {CONNECTIONS}"),
        (ADDRESS, RATE, 1.0, QUOTAS_IN_KRAFT, f"Invalid configuration key {RATE}"),
        (ALICE, RATE, 0.0, QUOTAS_IN_KRAFT, f"Quota {RATE} must be greater than 0"),
        (ALICE, RATE, 1.5, QUOTAS_IN_KRAFT, f"{RATE} cannot be a fractional value."),
        (ALICE, RATE, 0.9999999, QUOTAS_IN_KRAFT, f"{RATE} cannot be a fractional value."),
        (ALICE, RATE, nan, QUOTAS_IN_KRAFT, f"{RATE} cannot be a fractional value."),
        (ALICE, RATE, inf, QUOTAS_IN_KRAFT, f"Proposed value for {RATE} is too large for a LONG."),
        (
            ADDRESS,
            CONNECTIONS,
            1e10,
            QUOTAS_IN_KRAFT,
            f"Proposed value for {CONNECTIONS} is too large for an INT.",
        ),
        (ALICE, RATE, -1.0, QUOTAS_IN_ZOOKEEPER, f"Configuration {RATE} must be a LONG value"),
        (ALICE, RATE, -inf, QUOTAS_IN_ZOOKEEPER, f"Configuration {RATE} must be a LONG value"),
        (
            ADDRESS,
            CONNECTIONS,
            1e10,
            QUOTAS_IN_ZOOKEEPER,
            f"Configuration {CONNECTIONS} must be a INT value",
        ),
    ],
)
def test_an_invalid_value_is_rejected(
    entity: QuotaEntity, key: str, value: float, options: QuotaOptions, why: str
) -> None:
    with pytest.raises(ApiError) as refused:
        checked_value(entity, key, value, options)
    assert (refused.value.code, refused.value.why) == (ErrorCode.INVALID_REQUEST, why)
