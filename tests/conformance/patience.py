"""Transient responses, and the number of retries."""

from typing import Final

from mockbroker.protocol.api_keys import ApiKey
from mockbroker.protocol.errors import ErrorCode
from mockbroker.protocol.schema.message import Message
from tests.conformance.releases import Release

ATTEMPTS: Final = 100
UNREADY: Final = frozenset(
    {
        ErrorCode.CONCURRENT_TRANSACTIONS,
        ErrorCode.COORDINATOR_LOAD_IN_PROGRESS,
        ErrorCode.COORDINATOR_NOT_AVAILABLE,
        ErrorCode.NOT_COORDINATOR,
        ErrorCode.NOT_ENOUGH_REPLICAS,
    }
)
"""Error codes that are transient, and depend on the load of the machine."""
_STUCK_FROM: Final = {
    ApiKey.PRODUCE: 12,
    ApiKey.ADD_PARTITIONS_TO_TXN: 4,
    ApiKey.TXN_OFFSET_COMMIT: 5,
}
"""First versions whose requests are never ready while transaction.version is 0."""
_STUCK_ATTEMPTS: Final = 5


def attempts(request: Message, version: int, release: Release) -> int:
    """Return the number of tries of a request."""
    assert request.API is not None
    is_stuck = release.name == "4.4-tv0" and version >= _STUCK_FROM.get(request.API, 99)
    return _STUCK_ATTEMPTS if is_stuck else ATTEMPTS
