"""Isolation levels of Fetch and ListOffsets: read_uncommitted and read_committed."""

from typing import Final

from mockbroker.broker.call import Call
from mockbroker.broker.outcomes import CloseConnection
from mockbroker.protocol.api_keys import ApiKey
from mockbroker.protocol.errors import ApiError, ErrorCode

READ_UNCOMMITTED: Final = 0
READ_COMMITTED: Final = 1


def check_isolation_level(isolation_level: int, api_key: ApiKey, call: Call) -> None:
    """Check that the isolation level of a request is valid.

    Raises:
        ApiError: UNKNOWN_SERVER_ERROR for an invalid level.
        CloseConnection: for an invalid level, in releases that parse requests more strictly.

    """
    if isolation_level in {READ_UNCOMMITTED, READ_COMMITTED}:
        return
    if call.cluster.options.fetch.bad_isolation_closes_connection:
        raise CloseConnection(
            "undecodable_request",
            api=api_key.name,
            field="isolation_level",
            why=f"invalid isolation level {isolation_level}",
        )
    raise ApiError(ErrorCode.UNKNOWN_SERVER_ERROR, f"isolation level {isolation_level}")
