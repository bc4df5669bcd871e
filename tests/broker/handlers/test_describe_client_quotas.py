"""DescribeClientQuotas lists quotas, and reports invalid filters."""

from mockbroker.protocol.errors import ErrorCode
from mockbroker.protocol.messages.describe_client_quotas import (
    ComponentData,
    DescribeClientQuotasRequest,
    DescribeClientQuotasResponse,
)
from mockbroker.state.client.client_quotas import QuotaAlteration
from tests.support.in_process import Brokers


def describe(brokers: Brokers, *components: ComponentData) -> DescribeClientQuotasResponse:
    request = DescribeClientQuotasRequest(components=list(components))
    return brokers.ask(request, 1, DescribeClientQuotasResponse)


def test_quotas_are_described_for_their_entity() -> None:
    brokers = Brokers()
    brokers.state.clients.quotas.alter(
        [
            QuotaAlteration({"user": "alice"}, [("producer_byte_rate", 1000.0)]),
            QuotaAlteration({"user": None, "client-id": "c"}, [("request_percentage", 0.5)]),
        ],
        validate_only=False,
    )
    answer = describe(brokers, ComponentData(entity_type="client-id", match_type=2, match=None))
    assert (answer.error_code, answer.error_message) == (ErrorCode.NONE, "")
    (entry,) = answer.entries or []
    assert [(each.entity_type, each.entity_name) for each in entry.entity] == [
        ("user", None),
        ("client-id", "c"),
    ]
    assert [(each.key, each.value) for each in entry.values] == [("request_percentage", 0.5)]
    assert len(describe(brokers).entries or []) == 2


def test_a_wrong_filter_is_answered_without_entries() -> None:
    answer = describe(Brokers(), ComponentData(entity_type="user", match_type=9, match=None))
    assert (answer.error_code, answer.entries) == (ErrorCode.INVALID_REQUEST, None)
    assert answer.error_message == "Unknown match type 9"
