"""Table of the served APIs, with their versions and handlers.

A handler's module is imported at the first request of its API, so a process imports only the
handlers that its clients use.
"""

from collections.abc import Mapping
from functools import cache
from importlib import import_module
from typing import Final, NamedTuple

from mockbroker.broker.call import Answer, Call, Handle
from mockbroker.protocol.api_keys import ApiKey
from mockbroker.protocol.schema.message import Message


class ApiSpec(NamedTuple):
    """Versions of an API, and the location of its handler."""

    versions: range
    module: str = ""
    """Module in `mockbroker.broker.handlers`; the API's name by default."""
    function: str = ""
    """Function in the module; the API's name by default."""
    steps: int = 10
    """Steps to handle an element of a request (`broker.slices.steps`)."""


API_TABLE: Final[Mapping[ApiKey, ApiSpec]] = {
    ApiKey.PRODUCE: ApiSpec(range(14)),
    ApiKey.FETCH: ApiSpec(range(19)),
    ApiKey.LIST_OFFSETS: ApiSpec(range(12)),
    ApiKey.METADATA: ApiSpec(range(14)),
    ApiKey.OFFSET_COMMIT: ApiSpec(range(11)),
    ApiKey.OFFSET_FETCH: ApiSpec(range(11)),
    ApiKey.FIND_COORDINATOR: ApiSpec(range(7)),
    ApiKey.JOIN_GROUP: ApiSpec(range(10)),
    ApiKey.HEARTBEAT: ApiSpec(range(5)),
    ApiKey.LEAVE_GROUP: ApiSpec(range(6)),
    ApiKey.SYNC_GROUP: ApiSpec(range(6)),
    ApiKey.DESCRIBE_GROUPS: ApiSpec(range(7)),
    ApiKey.LIST_GROUPS: ApiSpec(range(6)),
    ApiKey.SASL_HANDSHAKE: ApiSpec(range(2), "sasl"),
    ApiKey.API_VERSIONS: ApiSpec(range(6)),
    ApiKey.CREATE_TOPICS: ApiSpec(range(8), steps=50),
    ApiKey.DELETE_TOPICS: ApiSpec(range(7)),
    ApiKey.DELETE_RECORDS: ApiSpec(range(3)),
    ApiKey.INIT_PRODUCER_ID: ApiSpec(range(7)),
    ApiKey.OFFSET_FOR_LEADER_EPOCH: ApiSpec(range(5)),
    ApiKey.ADD_PARTITIONS_TO_TXN: ApiSpec(range(6)),
    ApiKey.ADD_OFFSETS_TO_TXN: ApiSpec(range(5)),
    ApiKey.END_TXN: ApiSpec(range(6)),
    ApiKey.WRITE_TXN_MARKERS: ApiSpec(range(3)),
    ApiKey.TXN_OFFSET_COMMIT: ApiSpec(range(7)),
    ApiKey.DESCRIBE_ACLS: ApiSpec(range(4), "acls"),
    ApiKey.CREATE_ACLS: ApiSpec(range(4), "acls"),
    ApiKey.DELETE_ACLS: ApiSpec(range(4), "acls"),
    ApiKey.DESCRIBE_CONFIGS: ApiSpec(range(5), steps=200),
    ApiKey.ALTER_CONFIGS: ApiSpec(range(3), steps=50),
    ApiKey.ALTER_REPLICA_LOG_DIRS: ApiSpec(range(3)),
    ApiKey.DESCRIBE_LOG_DIRS: ApiSpec(range(6)),
    ApiKey.SASL_AUTHENTICATE: ApiSpec(range(3), "sasl"),
    ApiKey.CREATE_PARTITIONS: ApiSpec(range(4)),
    ApiKey.CREATE_DELEGATION_TOKEN: ApiSpec(range(4), "delegation_tokens"),
    ApiKey.RENEW_DELEGATION_TOKEN: ApiSpec(range(3), "delegation_tokens"),
    ApiKey.EXPIRE_DELEGATION_TOKEN: ApiSpec(range(3), "delegation_tokens"),
    ApiKey.DESCRIBE_DELEGATION_TOKEN: ApiSpec(range(4), "delegation_tokens"),
    ApiKey.DELETE_GROUPS: ApiSpec(range(4)),
    ApiKey.ELECT_LEADERS: ApiSpec(range(3)),
    ApiKey.INCREMENTAL_ALTER_CONFIGS: ApiSpec(range(2), steps=50),
    ApiKey.ALTER_PARTITION_REASSIGNMENTS: ApiSpec(range(2)),
    ApiKey.LIST_PARTITION_REASSIGNMENTS: ApiSpec(range(1)),
    ApiKey.OFFSET_DELETE: ApiSpec(range(1)),
    ApiKey.DESCRIBE_CLIENT_QUOTAS: ApiSpec(range(2)),
    ApiKey.ALTER_CLIENT_QUOTAS: ApiSpec(range(2)),
    ApiKey.DESCRIBE_USER_SCRAM_CREDENTIALS: ApiSpec(range(1)),
    ApiKey.ALTER_USER_SCRAM_CREDENTIALS: ApiSpec(range(1)),
    ApiKey.DESCRIBE_QUORUM: ApiSpec(range(3)),
    ApiKey.UPDATE_FEATURES: ApiSpec(range(3)),
    ApiKey.DESCRIBE_CLUSTER: ApiSpec(range(3)),
    ApiKey.DESCRIBE_PRODUCERS: ApiSpec(range(1)),
    ApiKey.UNREGISTER_BROKER: ApiSpec(range(1)),
    ApiKey.DESCRIBE_TRANSACTIONS: ApiSpec(range(1)),
    ApiKey.LIST_TRANSACTIONS: ApiSpec(range(3)),
    ApiKey.CONSUMER_GROUP_HEARTBEAT: ApiSpec(range(2)),
    ApiKey.CONSUMER_GROUP_DESCRIBE: ApiSpec(range(2)),
    ApiKey.LIST_CONFIG_RESOURCES: ApiSpec(range(2)),
    ApiKey.DESCRIBE_TOPIC_PARTITIONS: ApiSpec(range(1)),
    ApiKey.SHARE_GROUP_HEARTBEAT: ApiSpec(range(1, 2)),
    ApiKey.SHARE_GROUP_DESCRIBE: ApiSpec(range(1, 2)),
    ApiKey.SHARE_FETCH: ApiSpec(range(1, 3), steps=20),
    ApiKey.SHARE_ACKNOWLEDGE: ApiSpec(range(1, 3), steps=20),
    ApiKey.ADD_RAFT_VOTER: ApiSpec(range(2)),
    ApiKey.REMOVE_RAFT_VOTER: ApiSpec(range(1)),
    ApiKey.INITIALIZE_SHARE_GROUP_STATE: ApiSpec(
        range(1), "share_group_state", "initialize_state", steps=20
    ),
    ApiKey.READ_SHARE_GROUP_STATE: ApiSpec(range(1), "share_group_state", "read_state", steps=20),
    ApiKey.WRITE_SHARE_GROUP_STATE: ApiSpec(range(2), "share_group_state", "write_state", steps=20),
    ApiKey.DELETE_SHARE_GROUP_STATE: ApiSpec(
        range(1), "share_group_state", "delete_state", steps=20
    ),
    ApiKey.READ_SHARE_GROUP_STATE_SUMMARY: ApiSpec(
        range(2), "share_group_state", "read_summary", steps=20
    ),
    ApiKey.STREAMS_GROUP_HEARTBEAT: ApiSpec(range(2)),
    ApiKey.STREAMS_GROUP_DESCRIBE: ApiSpec(range(2)),
    ApiKey.DESCRIBE_SHARE_GROUP_OFFSETS: ApiSpec(range(2), "share_group_offsets"),
    ApiKey.ALTER_SHARE_GROUP_OFFSETS: ApiSpec(range(1), "share_group_offsets"),
    ApiKey.DELETE_SHARE_GROUP_OFFSETS: ApiSpec(range(1), "share_group_offsets"),
    ApiKey.STREAMS_GROUP_TOPOLOGY_DESCRIPTION_UPDATE: ApiSpec(range(1)),
    ApiKey.UNREGISTER_CONTROLLER: ApiSpec(range(1)),
    ApiKey.DESCRIBE_TRANSACTION_STATE: ApiSpec(range(1)),
}
"""Served APIs, in the order of their keys; also read by ApiVersions, the conformance table and the
fuzzers."""


_GUARD: Final = "mockbroker.broker.authorization.guard"
_UNSUPPORTED_VERSION: Final = ApiSpec(range(1), function="unsupported_version")
"""Handler of an unsupported version of ApiVersions, whose response is of version 0."""


class Route:
    """Handler of an API, with the served versions."""

    __slots__ = ("api_key", "handle", "steps", "versions")

    def __init__(self, api_key: ApiKey, versions: range, handle: Handle | None = None) -> None:
        """Route an API to `handle`, or by default to the table's handler."""
        self.api_key: Final = api_key
        self.versions: Final = versions
        self.steps: Final = API_TABLE[api_key].steps
        self.handle: Handle = self._at_first_call if handle is None else handle

    def _at_first_call(self, request: Message, call: Call) -> Answer:
        self.handle = handler_of(self.api_key)
        return self.handle(request, call)


def unsupported_version_route(route: Route) -> Route:
    """Return the route for a request of ApiVersions in a version that is not served."""
    return Route(route.api_key, route.versions, _unsupported_version)


def _unsupported_version(request: Message, call: Call) -> Answer:
    return _function(_UNSUPPORTED_VERSION, ApiKey.API_VERSIONS)(request, call)


@cache
def handler_of(api_key: ApiKey) -> Handle:
    """Import and return the handler of an API."""
    return _function(API_TABLE[api_key], api_key)


def _function(spec: ApiSpec, api_key: ApiKey) -> Handle:
    name = api_key.name.lower()
    module = import_module(f"mockbroker.broker.handlers.{spec.module or name}")
    handle: Handle = getattr(module, spec.function or name)
    return handle


def guarded_routes(served: Mapping[int, Route]) -> dict[int, Route]:
    """Return the routes of a cluster with an authorizer, whose handlers check the client's rights.

    As handlers, the checks are imported only by clusters that need them.
    """
    guarded: dict[int, Route] = import_module(_GUARD).guarded_routes(served)
    return guarded


@cache
def routes() -> Mapping[ApiKey, Route]:
    """Return the whole table, in the order of the keys; imports no handler."""
    return {api_key: Route(api_key, spec.versions) for api_key, spec in API_TABLE.items()}
