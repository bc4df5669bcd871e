"""AlterUserScramCredentials: set and delete the SCRAM credentials of users (KIP-554)."""

from mockbroker.broker.call import Call
from mockbroker.broker.handlers.admin_requests import check_asked_controller
from mockbroker.protocol.messages.alter_user_scram_credentials import (
    AlterUserScramCredentialsRequest,
    AlterUserScramCredentialsResponse,
    AlterUserScramCredentialsResult,
)
from mockbroker.state.client.scram_credential import (
    CredentialChange,
    CredentialKey,
    ScramCredential,
)
from mockbroker.state.client.scram_credentials import AlteredUser


def alter_user_scram_credentials(
    request: AlterUserScramCredentialsRequest, call: Call
) -> AlterUserScramCredentialsResponse:
    """Delete and set credentials, with one result for each user."""
    check_asked_controller(call)
    altered = call.cluster.clients.credentials.alter(
        [
            *(
                CredentialChange(CredentialKey(each.name, each.mechanism), None)
                for each in call.paced(request.deletions)
            ),
            *(
                CredentialChange(
                    CredentialKey(each.name, each.mechanism),
                    ScramCredential(each.iterations, each.salt, each.salted_password),
                )
                for each in call.paced(request.upsertions)
            ),
        ],
        call.paced,
    )
    return AlterUserScramCredentialsResponse(
        results=[_answer(each, call) for each in call.paced(altered)]
    )


def _answer(altered: AlteredUser, call: Call) -> AlterUserScramCredentialsResult:
    answer = AlterUserScramCredentialsResult(
        user=altered.user, error_message=call.cluster.options.security.credential_message
    )
    if (refusal := altered.refusal) is not None:
        call.service.refusals.note("alter_credentials_refused", refusal)
        answer.error_code = refusal.code
        answer.error_message = refusal.why or None
    return answer
