"""AlterClientQuotas: set and remove client quotas, which are not enforced (KIP-546)."""

from mockbroker.broker.call import Call
from mockbroker.protocol.errors import ErrorCode
from mockbroker.protocol.messages.alter_client_quotas import (
    AlterClientQuotasRequest,
    AlterClientQuotasResponse,
    EntityData,
    EntryData,
    ResponseEntryData,
)
from mockbroker.state.client.client_quotas import AlteredQuotas, QuotaAlteration


def alter_client_quotas(request: AlterClientQuotasRequest, call: Call) -> AlterClientQuotasResponse:
    """Change the quotas of the entities, with one result for each entity."""
    altered = call.cluster.clients.quotas.alter(
        (_alteration(entry) for entry in call.paced(request.entries)),
        validate_only=request.validate_only,
    )
    return AlterClientQuotasResponse(entries=[_answer(each, call) for each in call.paced(altered)])


def _alteration(entry: EntryData) -> QuotaAlteration:
    return QuotaAlteration(
        entity={each.entity_type: each.entity_name for each in entry.entity},
        changes=[(each.key, None if each.remove else each.value) for each in entry.ops],
    )


def _answer(altered: AlteredQuotas, call: Call) -> ResponseEntryData:
    answer = ResponseEntryData(
        error_code=ErrorCode.NONE,
        error_message=None,
        entity=[
            EntityData(entity_type=entity_type, entity_name=name)
            for entity_type, name in altered.entity.items()
        ],
    )
    if (refusal := altered.refusal) is not None:
        call.service.refusals.note("alter_client_quotas_refused", refusal)
        answer.error_code = refusal.code
        answer.error_message = refusal.why
    return answer
