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


class Home(NamedTuple):
    """Versions of an API, and the location of its handler."""

    versions: range
    module: str = ""
    """Module in `mockbroker.broker.handlers`; the API's name by default."""
    function: str = ""
    """Function in the module; the API's name by default."""


HOMES: Final[Mapping[ApiKey, Home]] = {
    ApiKey.PRODUCE: Home(range(14)),
    ApiKey.FETCH: Home(range(19)),
    ApiKey.LIST_OFFSETS: Home(range(12)),
    ApiKey.METADATA: Home(range(14)),
    ApiKey.OFFSET_COMMIT: Home(range(11)),
    ApiKey.OFFSET_FETCH: Home(range(11)),
    ApiKey.FIND_COORDINATOR: Home(range(7)),
    ApiKey.JOIN_GROUP: Home(range(10)),
    ApiKey.HEARTBEAT: Home(range(5)),
    ApiKey.LEAVE_GROUP: Home(range(6)),
    ApiKey.SYNC_GROUP: Home(range(6)),
    ApiKey.DESCRIBE_GROUPS: Home(range(7)),
    ApiKey.LIST_GROUPS: Home(range(6)),
    ApiKey.SASL_HANDSHAKE: Home(range(2), "sasl"),
    ApiKey.API_VERSIONS: Home(range(6)),
    ApiKey.CREATE_TOPICS: Home(range(8)),
    ApiKey.DELETE_TOPICS: Home(range(7)),
    ApiKey.DELETE_RECORDS: Home(range(3)),
    ApiKey.INIT_PRODUCER_ID: Home(range(7)),
    ApiKey.OFFSET_FOR_LEADER_EPOCH: Home(range(5)),
    ApiKey.ADD_PARTITIONS_TO_TXN: Home(range(6)),
    ApiKey.ADD_OFFSETS_TO_TXN: Home(range(5)),
    ApiKey.END_TXN: Home(range(6)),
    ApiKey.WRITE_TXN_MARKERS: Home(range(3)),
    ApiKey.TXN_OFFSET_COMMIT: Home(range(7)),
    ApiKey.DESCRIBE_ACLS: Home(range(4), "acls"),
    ApiKey.CREATE_ACLS: Home(range(4), "acls"),
    ApiKey.DELETE_ACLS: Home(range(4), "acls"),
    ApiKey.DESCRIBE_CONFIGS: Home(range(5)),
    ApiKey.ALTER_CONFIGS: Home(range(3)),
    ApiKey.ALTER_REPLICA_LOG_DIRS: Home(range(3)),
    ApiKey.DESCRIBE_LOG_DIRS: Home(range(6)),
    ApiKey.SASL_AUTHENTICATE: Home(range(3), "sasl"),
    ApiKey.CREATE_PARTITIONS: Home(range(4)),
    ApiKey.CREATE_DELEGATION_TOKEN: Home(range(4), "delegation_tokens"),
    ApiKey.RENEW_DELEGATION_TOKEN: Home(range(3), "delegation_tokens"),
    ApiKey.EXPIRE_DELEGATION_TOKEN: Home(range(3), "delegation_tokens"),
    ApiKey.DESCRIBE_DELEGATION_TOKEN: Home(range(4), "delegation_tokens"),
    ApiKey.DELETE_GROUPS: Home(range(4)),
    ApiKey.ELECT_LEADERS: Home(range(3)),
    ApiKey.INCREMENTAL_ALTER_CONFIGS: Home(range(2)),
    ApiKey.ALTER_PARTITION_REASSIGNMENTS: Home(range(2)),
    ApiKey.LIST_PARTITION_REASSIGNMENTS: Home(range(1)),
    ApiKey.OFFSET_DELETE: Home(range(1)),
    ApiKey.DESCRIBE_CLIENT_QUOTAS: Home(range(2)),
    ApiKey.ALTER_CLIENT_QUOTAS: Home(range(2)),
    ApiKey.DESCRIBE_USER_SCRAM_CREDENTIALS: Home(range(1)),
    ApiKey.ALTER_USER_SCRAM_CREDENTIALS: Home(range(1)),
    ApiKey.DESCRIBE_QUORUM: Home(range(3)),
    ApiKey.UPDATE_FEATURES: Home(range(3)),
    ApiKey.DESCRIBE_CLUSTER: Home(range(3)),
    ApiKey.DESCRIBE_PRODUCERS: Home(range(1)),
    ApiKey.UNREGISTER_BROKER: Home(range(1)),
    ApiKey.DESCRIBE_TRANSACTIONS: Home(range(1)),
    ApiKey.LIST_TRANSACTIONS: Home(range(3)),
    ApiKey.CONSUMER_GROUP_HEARTBEAT: Home(range(2), "newer_groups", "refuse"),
    ApiKey.CONSUMER_GROUP_DESCRIBE: Home(range(2), "newer_groups", "refuse"),
    ApiKey.LIST_CONFIG_RESOURCES: Home(range(2)),
    ApiKey.DESCRIBE_TOPIC_PARTITIONS: Home(range(1)),
    ApiKey.SHARE_GROUP_HEARTBEAT: Home(range(1, 2), "newer_groups", "refuse"),
    ApiKey.SHARE_GROUP_DESCRIBE: Home(range(1, 2), "newer_groups", "refuse"),
    ApiKey.SHARE_FETCH: Home(range(1, 3), "newer_groups", "refuse"),
    ApiKey.SHARE_ACKNOWLEDGE: Home(range(1, 3), "newer_groups", "refuse"),
    ApiKey.ADD_RAFT_VOTER: Home(range(2)),
    ApiKey.REMOVE_RAFT_VOTER: Home(range(1)),
    ApiKey.INITIALIZE_SHARE_GROUP_STATE: Home(range(1), "share_group_state", "refuse"),
    ApiKey.READ_SHARE_GROUP_STATE: Home(range(1), "share_group_state", "refuse"),
    ApiKey.WRITE_SHARE_GROUP_STATE: Home(range(2), "share_group_state", "refuse"),
    ApiKey.DELETE_SHARE_GROUP_STATE: Home(range(1), "share_group_state", "refuse"),
    ApiKey.READ_SHARE_GROUP_STATE_SUMMARY: Home(range(2), "share_group_state", "refuse"),
    ApiKey.STREAMS_GROUP_HEARTBEAT: Home(range(2), "newer_groups", "refuse"),
    ApiKey.STREAMS_GROUP_DESCRIBE: Home(range(2), "newer_groups", "refuse"),
    ApiKey.DESCRIBE_SHARE_GROUP_OFFSETS: Home(range(2), "newer_groups", "refuse"),
    ApiKey.ALTER_SHARE_GROUP_OFFSETS: Home(range(1), "newer_groups", "refuse"),
    ApiKey.DELETE_SHARE_GROUP_OFFSETS: Home(range(1), "newer_groups", "refuse"),
    ApiKey.STREAMS_GROUP_TOPOLOGY_DESCRIPTION_UPDATE: Home(range(1), "newer_groups", "refuse"),
    ApiKey.UNREGISTER_CONTROLLER: Home(range(1)),
    ApiKey.DESCRIBE_TRANSACTION_STATE: Home(range(1)),
}
"""Served APIs, in the order of their keys; also read by ApiVersions, the conformance table and the
fuzzers."""


class Route:
    """Handler of an API, with the served versions."""

    __slots__ = ("api_key", "handle", "versions")

    def __init__(self, api_key: ApiKey, versions: range, handle: Handle | None = None) -> None:
        """Route an API to `handle`, or by default to the table's handler."""
        self.api_key: Final = api_key
        self.versions: Final = versions
        self.handle: Handle = self._at_first_call if handle is None else handle

    def _at_first_call(self, request: Message, call: Call) -> Answer:
        self.handle = handler_of(self.api_key)
        return self.handle(request, call)


@cache
def handler_of(api_key: ApiKey) -> Handle:
    """Import and return the handler of an API."""
    name = api_key.name.lower()
    home = HOMES[api_key]
    module = import_module(f"mockbroker.broker.handlers.{home.module or name}")
    handle: Handle = getattr(module, home.function or name)
    return handle


@cache
def routes() -> Mapping[ApiKey, Route]:
    """Return the whole table, in the order of the keys; imports no handler."""
    return {api_key: Route(api_key, home.versions) for api_key, home in HOMES.items()}
