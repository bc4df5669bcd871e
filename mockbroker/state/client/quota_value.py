"""Quotas of an entity, and their allowed values."""

from collections.abc import Mapping
from enum import Enum
from math import isfinite
from typing import Final

from mockbroker.protocol.errors import ApiError, ErrorCode
from mockbroker.state.client.quota_entity import IP, QuotaEntity
from mockbroker.state.release.quota_options import QuotaOptions

_NEARLY: Final = 1e-6


class QuotaType(Enum):
    """The type of a quota's value: its name, the article for its name, and its maximum."""

    DOUBLE = ("DOUBLE", "a", None)
    LONG = ("LONG", "a", (1 << 63) - 1)
    INT = ("INT", "an", (1 << 31) - 1)


PRODUCER_BYTE_RATE: Final = "producer_byte_rate"
CONSUMER_BYTE_RATE: Final = "consumer_byte_rate"
REQUEST_PERCENTAGE: Final = "request_percentage"
ENFORCED: Final = frozenset({PRODUCER_BYTE_RATE, CONSUMER_BYTE_RATE, REQUEST_PERCENTAGE})
"""The quotas that throttle clients."""
_OF_USERS_AND_CLIENTS: Final[Mapping[str, QuotaType]] = {
    PRODUCER_BYTE_RATE: QuotaType.LONG,
    CONSUMER_BYTE_RATE: QuotaType.LONG,
    REQUEST_PERCENTAGE: QuotaType.DOUBLE,
    "controller_mutation_rate": QuotaType.DOUBLE,
}
_OF_ADDRESSES: Final[Mapping[str, QuotaType]] = {"connection_creation_rate": QuotaType.INT}


def checked_value(entity: QuotaEntity, key: str, value: float, options: QuotaOptions) -> float:
    """Return the value to store for an entity's quota.

    Raises:
        ApiError: INVALID_REQUEST.

    """
    quota_type = (_OF_ADDRESSES if IP in entity else _OF_USERS_AND_CLIENTS).get(key)
    if quota_type is None:
        raise ApiError(ErrorCode.INVALID_REQUEST, f"Invalid configuration key {key}")
    if options.must_be_positive and value <= 0.0:
        raise ApiError(ErrorCode.INVALID_REQUEST, f"Quota {key} must be greater than 0")
    name, article, greatest = quota_type.value
    if greatest is None:
        return value
    if value > float(greatest):
        raise options.refusals.value_too_large.error(key, name, article)
    nearly = value + _NEARLY if options.whole_values_are_cut else value
    whole = float(min(int(nearly), greatest)) if isfinite(value) else 0.0
    if not abs(whole - value) <= _NEARLY:
        raise options.refusals.value_is_fraction.error(key, name)
    return whole if options.whole_values_are_cut else value
