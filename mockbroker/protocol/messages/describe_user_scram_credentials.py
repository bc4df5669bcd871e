"""DescribeUserScramCredentials: list the users with SCRAM credentials (KIP-554)."""

from mockbroker.protocol.api_keys import ApiKey
from mockbroker.protocol.schema.message import (
    INT8,
    INT16,
    INT32,
    STRING,
    Message,
    Struct,
    array,
    field,
)


class UserName(Struct):
    name: str = field(STRING)


class DescribeUserScramCredentialsRequest(
    Message, api=ApiKey.DESCRIBE_USER_SCRAM_CREDENTIALS, kind="request", versions="0", flexible="0+"
):
    users: list[UserName] | None = field(array(UserName), nullable="0+")


class CredentialInfo(Struct):
    mechanism: int = field(INT8)
    iterations: int = field(INT32)


class DescribeUserScramCredentialsResult(Struct):
    user: str = field(STRING)
    error_code: int = field(INT16)
    error_message: str | None = field(STRING, nullable="0+")
    credential_infos: list[CredentialInfo] = field(array(CredentialInfo))


class DescribeUserScramCredentialsResponse(
    Message,
    api=ApiKey.DESCRIBE_USER_SCRAM_CREDENTIALS,
    kind="response",
    versions="0",
    flexible="0+",
):
    throttle_time_ms: int = field(INT32)
    error_code: int = field(INT16)
    error_message: str | None = field(STRING, nullable="0+")
    results: list[DescribeUserScramCredentialsResult] = field(
        array(DescribeUserScramCredentialsResult)
    )
