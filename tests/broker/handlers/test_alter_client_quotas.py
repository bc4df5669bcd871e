"""AlterClientQuotas sets valid quotas, and returns an error for each invalid entity."""

import pytest

from mockbroker.protocol.errors import ErrorCode
from mockbroker.protocol.messages.alter_client_quotas import (
    AlterClientQuotasRequest,
    AlterClientQuotasResponse,
    EntityData,
    EntryData,
    OpData,
)
from tests.support.in_process import Brokers


def entry(user: str, value: float, *, remove: bool = False) -> EntryData:
    return EntryData(
        entity=[EntityData(entity_type="user", entity_name=user)],
        ops=[OpData(key="producer_byte_rate", value=value, remove=remove)],
    )


def alter(
    brokers: Brokers, *entries: EntryData, validate_only: bool = False
) -> AlterClientQuotasResponse:
    request = AlterClientQuotasRequest(entries=list(entries), validate_only=validate_only)
    return brokers.ask(request, 1, AlterClientQuotasResponse)


def test_each_entity_is_answered_for_on_its_own() -> None:
    brokers = Brokers()
    answer = alter(brokers, entry("alice", 1000.0), entry("bob", 0.0))
    assert [(each.error_code, each.error_message) for each in answer.entries] == [
        (ErrorCode.NONE, None),
        (ErrorCode.INVALID_REQUEST, "Quota producer_byte_rate must be greater than 0"),
    ]
    assert [each.entity[0].entity_name for each in answer.entries] == ["alice", "bob"]
    assert "alice" in brokers.state.as_text()
    assert "bob" not in brokers.state.as_text()


@pytest.mark.parametrize("validate_only", [False, True])
def test_a_quota_is_removed_unless_only_validated(validate_only: bool) -> None:
    brokers = Brokers()
    empty = brokers.state.as_text()
    alter(brokers, entry("alice", 1000.0))
    alter(brokers, entry("alice", 0.0, remove=True), validate_only=validate_only)
    assert (brokers.state.as_text() == empty) is not validate_only
