"""Filters of quota entities."""

import pytest

from mockbroker.protocol.errors import ApiError, ErrorCode
from mockbroker.state.client.quota_entity import QuotaEntity
from mockbroker.state.client.quota_filter import FilterComponent, QuotaFilter
from mockbroker.state.release.quota_options import (
    QUOTAS_IN_KRAFT,
    QUOTAS_IN_ZOOKEEPER,
    QuotaOptions,
)

EXACT, DEFAULT, SPECIFIED = 0, 1, 2
ENTITIES: list[QuotaEntity] = [
    {"user": "alice"},
    {"user": None},
    {"client-id": "c"},
    {"user": "alice", "client-id": "c"},
    {"ip": "10.0.0.1"},
]
ALICE = FilterComponent("user", EXACT, "alice")


def found(*components: FilterComponent, strict: bool = False) -> list[int]:
    wanted = QuotaFilter(components, strict=strict, options=QUOTAS_IN_KRAFT)
    return [index for index, entity in enumerate(ENTITIES) if wanted.finds(entity)]


@pytest.mark.parametrize(
    ("components", "strict", "indexes"),
    [
        ([], False, [0, 1, 2, 3, 4]),
        ([], True, []),
        ([ALICE], False, [0, 3]),
        ([ALICE], True, [0]),
        ([FilterComponent("user", DEFAULT, None)], False, [1]),
        ([FilterComponent("user", SPECIFIED, None)], False, [0, 1, 3]),
        ([ALICE, FilterComponent("client-id", SPECIFIED, None)], True, [3]),
        ([FilterComponent("ip", SPECIFIED, None)], True, [4]),
        ([FilterComponent("ip", EXACT, "10.0.0.2")], False, []),
    ],
)
def test_entities_are_found_by_their_types_and_names(
    components: list[FilterComponent], strict: bool, indexes: list[int]
) -> None:
    assert found(*components, strict=strict) == indexes


@pytest.mark.parametrize(
    ("components", "options", "code", "why"),
    [
        (
            [FilterComponent("", EXACT, "x")],
            QUOTAS_IN_KRAFT,
            ErrorCode.INVALID_REQUEST,
            "Invalid empty entity type.",
        ),
        (
            [FilterComponent("nonsense", EXACT, "x")],
            QUOTAS_IN_ZOOKEEPER,
            ErrorCode.UNSUPPORTED_VERSION,
            "Custom entity type 'nonsense' not supported",
        ),
        (
            [ALICE, FilterComponent("user", EXACT, None)],
            QUOTAS_IN_KRAFT,
            ErrorCode.INVALID_REQUEST,
            "Entity type user cannot appear more than once in the filter.",
        ),
        (
            [FilterComponent("client-id", DEFAULT, None)] * 2,
            QUOTAS_IN_ZOOKEEPER,
            ErrorCode.INVALID_REQUEST,
            "Duplicate client filter component entity type",
        ),
        (
            [FilterComponent("user", EXACT, None)],
            QUOTAS_IN_KRAFT,
            ErrorCode.INVALID_REQUEST,
            "Request specified MATCH_TYPE_EXACT, but set match string to null.",
        ),
        (
            [FilterComponent("user", SPECIFIED, "x")],
            QUOTAS_IN_KRAFT,
            ErrorCode.INVALID_REQUEST,
            "Request specified MATCH_TYPE_SPECIFIED, but also specified a match string.",
        ),
        ([FilterComponent("", 9, None)], QUOTAS_IN_ZOOKEEPER, ErrorCode.UNKNOWN_SERVER_ERROR, ""),
        (
            [ALICE, FilterComponent("ip", EXACT, "10.0.0.1")],
            QUOTAS_IN_ZOOKEEPER,
            ErrorCode.INVALID_REQUEST,
            (
                "Invalid entity filter component combination, IP filter component should not be"
                " used with user or clientId filter component."
            ),
        ),
    ],
)
def test_invalid_filters_are_rejected(
    components: list[FilterComponent], options: QuotaOptions, code: ErrorCode, why: str
) -> None:
    with pytest.raises(ApiError) as refused:
        QuotaFilter(components, strict=False, options=options)
    assert (refused.value.code, refused.value.why) == (code, why)


def test_with_zookeeper_an_unused_match_is_ignored() -> None:
    component = FilterComponent("user", DEFAULT, "alice")
    wanted = QuotaFilter([component], strict=False, options=QUOTAS_IN_ZOOKEEPER)
    assert [wanted.finds(entity) for entity in ENTITIES[:2]] == [False, True]
