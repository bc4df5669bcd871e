"""The isolation levels of Fetch and ListOffsets: all that is written, or what is committed."""

from typing import Final

from mockbroker.broker.call import Call
from mockbroker.broker.outcomes import CloseConnection
from mockbroker.protocol.api_keys import ApiKey
from mockbroker.protocol.errors import ApiError, ErrorCode

READ_UNCOMMITTED: Final = 0
READ_COMMITTED: Final = 1


def check_isolation_level(isolation_level: int, api_key: ApiKey, call: Call) -> None:
    """Check that a request asks for one of the two levels.

    Raises:
        ApiError: UNKNOWN_SERVER_ERROR for a level that is none.
        CloseConnection: for the same, in releases that read requests more strictly.

    """
    if isolation_level in {READ_UNCOMMITTED, READ_COMMITTED}:
        return
    if call.cluster.options.fetch.bad_isolation_closes_connection:
        raise CloseConnection(
            "undecodable_request",
            api=api_key.name,
            field="isolation_level",
            why=f"{isolation_level} is no isolation level",
        )
    raise ApiError(ErrorCode.UNKNOWN_SERVER_ERROR, f"isolation level {isolation_level}")
