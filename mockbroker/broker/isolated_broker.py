"""Handling of calls at an isolated broker: by the broker's last known state, or a timeout."""

from typing import TYPE_CHECKING, Final

from mockbroker.protocol.api_keys import ApiKey
from mockbroker.protocol.errors import ApiError, ErrorCode

if TYPE_CHECKING:
    from mockbroker.broker.call import Answer, Call, Handle
    from mockbroker.protocol.schema.message import Message
    from mockbroker.state.cluster_state import ClusterState

_AT_THE_CONTROLLER: Final = frozenset(
    {
        ApiKey.CREATE_TOPICS,
        ApiKey.DELETE_TOPICS,
        ApiKey.CREATE_PARTITIONS,
        ApiKey.ALTER_CONFIGS,
        ApiKey.INCREMENTAL_ALTER_CONFIGS,
        ApiKey.ALTER_PARTITION_REASSIGNMENTS,
        ApiKey.LIST_PARTITION_REASSIGNMENTS,
        ApiKey.ELECT_LEADERS,
        ApiKey.ALTER_CLIENT_QUOTAS,
        ApiKey.ALTER_USER_SCRAM_CREDENTIALS,
        ApiKey.UPDATE_FEATURES,
        ApiKey.DESCRIBE_QUORUM,
        ApiKey.UNREGISTER_BROKER,
        ApiKey.ADD_RAFT_VOTER,
        ApiKey.REMOVE_RAFT_VOTER,
    }
)
"""Requests that a broker forwards to the controller."""


class IsolatedBroker:
    """A broker that is isolated, with the state which it last knew."""

    __slots__ = ("view",)

    def __init__(self, view: "ClusterState") -> None:
        """Answer by a state."""
        self.view = view

    def around(self, handle: "Handle") -> "Handle":
        """Wrap a handler so that it uses the broker's state."""

        def handled(request: "Message", call: "Call") -> "Answer":
            if call.api_key in _AT_THE_CONTROLLER:
                raise ApiError(
                    ErrorCode.REQUEST_TIMED_OUT,
                    f"broker {call.broker_id} is isolated and cannot reach the controller",
                )
            if call.api_key is ApiKey.FIND_COORDINATOR:
                raise ApiError(
                    ErrorCode.COORDINATOR_NOT_AVAILABLE, f"broker {call.broker_id} is isolated"
                )
            call.cluster = self.view
            return handle(request, call)

        return handled
