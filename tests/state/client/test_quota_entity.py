"""Valid entities of quotas."""

import pytest

from mockbroker.protocol.errors import ApiError, ErrorCode
from mockbroker.state.client.quota_entity import (
    QuotaEntity,
    check_entity,
    entity_text,
    is_address,
)
from mockbroker.state.release.quota_options import (
    QUOTAS_IN_KRAFT,
    QUOTAS_IN_ZOOKEEPER,
    QuotaOptions,
)


@pytest.mark.parametrize(
    "entity",
    [
        {"user": "alice"},
        {"user": None},
        {"client-id": "c", "user": None},
        {"ip": "10.0.0.1"},
        {"ip": None},
    ],
)
def test_users_clients_and_addresses_may_have_quotas(entity: QuotaEntity) -> None:
    check_entity(entity, QUOTAS_IN_KRAFT)


@pytest.mark.parametrize(
    ("entity", "options", "why"),
    [
        ({}, QUOTAS_IN_KRAFT, "Invalid empty client quota entity"),
        ({"nonsense": "x"}, QUOTAS_IN_KRAFT, "Unhandled client quota entity type: nonsense"),
        ({"user": ""}, QUOTAS_IN_KRAFT, "Empty user not supported"),
        (
            {"user": "alice", "ip": "10.0.0.1"},
            QUOTAS_IN_ZOOKEEPER,
            (
                "Invalid quota entity combination, IP entity should not be used with user/client ID"
                " entity."
            ),
        ),
        ({"ip": "a b~"}, QUOTAS_IN_KRAFT, "a b~ is not a valid IP or resolvable host."),
        ({"ip": "a b~"}, QUOTAS_IN_ZOOKEEPER, "a%20b%7E is not a valid IP or resolvable host."),
        ({"ip": "::1"}, QUOTAS_IN_ZOOKEEPER, "%3A%3A1 is not a valid IP or resolvable host."),
    ],
)
def test_other_entities_may_not_have_quotas(
    entity: QuotaEntity, options: QuotaOptions, why: str
) -> None:
    with pytest.raises(ApiError) as refused:
        check_entity(entity, options)
    assert (refused.value.code, refused.value.why) == (ErrorCode.INVALID_REQUEST, why)


@pytest.mark.parametrize(
    ("text", "is_one"),
    [
        ("10.0.0.1", True),
        ("127.1", True),
        ("127.65536", True),
        ("4294967295", True),
        ("4294967296", False),
        ("300.1.1.1", False),
        ("1.2.3.4.5", False),
        ("1..2", False),
        ("", False),
        ("0x7f.1", False),
        ("\u0661.1", False),
        ("fe80::1", True),
        (":::", False),
        ("localhost", True),
        ("example", False),
    ],
)
def test_addresses_are_parsed_as_in_java(text: str, is_one: bool) -> None:
    assert is_address(text) is is_one


def test_an_entity_is_shown_as_kafka_does() -> None:
    entity: QuotaEntity = {"user": None, "client-id": "c"}
    assert entity_text(entity) == "ClientQuotaEntity(entries={client-id=c, user=null})"
