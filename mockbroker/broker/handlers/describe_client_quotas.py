"""DescribeClientQuotas: list the quotas of the entities that match a filter (KIP-546)."""

from mockbroker.broker.call import Call
from mockbroker.protocol.messages.describe_client_quotas import (
    DescribeClientQuotasRequest,
    DescribeClientQuotasResponse,
    EntityData,
    EntryData,
    ValueData,
)
from mockbroker.state.client.quota_filter import FilterComponent, QuotaFilter


def describe_client_quotas(
    request: DescribeClientQuotasRequest, call: Call
) -> DescribeClientQuotasResponse:
    """Describe the entities with quotas that match the filter."""
    wanted = QuotaFilter(
        [
            FilterComponent(each.entity_type, each.match_type, each.match)
            for each in call.paced(request.components)
        ],
        strict=request.strict,
        options=call.cluster.options.quotas,
    )
    return DescribeClientQuotasResponse(
        entries=[
            EntryData(
                entity=[
                    EntityData(entity_type=entity_type, entity_name=name)
                    for entity_type, name in entity.items()
                ],
                values=[ValueData(key=key, value=value) for key, value in values.items()],
            )
            for entity, values in call.cluster.clients.quotas.describe(wanted)
        ]
    )
