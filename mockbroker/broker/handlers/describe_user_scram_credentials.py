"""DescribeUserScramCredentials: list the users that have credentials (KIP-554)."""

from mockbroker.broker.call import Call
from mockbroker.protocol.messages.describe_user_scram_credentials import (
    CredentialInfo,
    DescribeUserScramCredentialsRequest,
    DescribeUserScramCredentialsResponse,
    DescribeUserScramCredentialsResult,
)
from mockbroker.state.client.scram_credentials import DescribedUser


def describe_user_scram_credentials(
    request: DescribeUserScramCredentialsRequest, call: Call
) -> DescribeUserScramCredentialsResponse:
    """Describe the users of the request, or all users; no secrets are returned."""
    users = None if request.users is None else [user.name for user in request.users]
    described = call.cluster.clients.credentials.describe(users)
    return DescribeUserScramCredentialsResponse(
        results=[_answer(each, call) for each in call.paced(described)]
    )


def _answer(described: DescribedUser, call: Call) -> DescribeUserScramCredentialsResult:
    answer = DescribeUserScramCredentialsResult(
        user=described.user,
        credential_infos=[
            CredentialInfo(mechanism=mechanism, iterations=iterations)
            for mechanism, iterations in described.iterations.items()
        ],
    )
    if (refusal := described.refusal) is not None:
        call.service.refusals.note("describe_credentials_refused", refusal)
        answer.error_code = refusal.code
        answer.error_message = refusal.why
    return answer
