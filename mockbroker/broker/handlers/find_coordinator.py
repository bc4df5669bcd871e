"""FindCoordinator: find the coordinator of a group or a transactional id.

The coordinator leads the key's partition of an internal topic, which the first lookup creates.
Kafka has no coordinator until a moment later, and clients retry after a second; here it is
available at once, unless `mockbroker.internal.topics.at.once` is false. Requests have one key up to
v3, then several (KIP-699); from v6 keys may be those of share groups (KIP-932).
"""

import re
from typing import Final

from mockbroker.broker.call import Call
from mockbroker.broker.handlers.default_messages import DEFAULT_MESSAGES
from mockbroker.broker.outcomes import CloseConnection
from mockbroker.protocol.api_keys import ApiKey
from mockbroker.protocol.errors import ApiError, ErrorCode
from mockbroker.protocol.messages.find_coordinator import (
    Coordinator,
    FindCoordinatorRequest,
    FindCoordinatorResponse,
)
from mockbroker.state.replication.broker import Broker
from mockbroker.state.topic.internal_topics import coordinator_partition, internal_topic
from mockbroker.state.topic.topic import (
    CONSUMER_OFFSETS,
    NO_LEADER,
    SHARE_GROUP_STATE,
    TRANSACTION_STATE,
)

FIRST_WITH_BATCHES: Final = 4
FIRST_WITH_SHARE_GROUPS: Final = 6

AT_ONCE: Final = "mockbroker.internal.topics.at.once"

SHARE_GROUP: Final = 2
_TOPICS: Final = {0: CONSUMER_OFFSETS, 1: TRANSACTION_STATE, SHARE_GROUP: SHARE_GROUP_STATE}
"""Internal topic of each key type."""

_SHARE_KEY: Final = re.compile(r".+:[A-Za-z0-9_-]{22}:[0-9]+")
_NOBODY: Final = Broker(node_id=-1, host="", port=-1)


def find_coordinator(request: FindCoordinatorRequest, call: Call) -> FindCoordinatorResponse:
    """Return the coordinator of each key."""
    if call.api_version >= FIRST_WITH_BATCHES:
        return FindCoordinatorResponse(
            coordinators=[
                _in_batch(key, request.key_type, call)
                for key in call.paced(request.coordinator_keys)
            ]
        )
    options = call.cluster.options
    try:
        broker = _coordinator(request.key, request.key_type, call)
        code = ErrorCode.NONE
    except ApiError as refusal:
        call.service.refusals.note("find_coordinator_refused", refusal, key=request.key)
        broker = _NOBODY
        code = refusal.code
    return FindCoordinatorResponse(
        error_code=code,
        error_message=DEFAULT_MESSAGES[code] if options.coordinator_has_message else None,
        node_id=broker.node_id,
        host=broker.host,
        port=broker.port,
    )


def _in_batch(key: str, key_type: int, call: Call) -> Coordinator:
    try:
        broker = _coordinator(key, key_type, call)
    except ApiError as refusal:
        call.service.refusals.note("find_coordinator_refused", refusal, key=key)
        return Coordinator(
            key=key,
            node_id=_NOBODY.node_id,
            host=_NOBODY.host,
            port=_NOBODY.port,
            error_code=refusal.code,
            error_message=refusal.why,
        )
    return Coordinator(
        key=key, node_id=broker.node_id, host=broker.host, port=broker.port, error_message=""
    )


def _coordinator(key: str, key_type: int, call: Call) -> Broker:
    """Return the broker that coordinates a key.

    Raises:
        ApiError: COORDINATOR_NOT_AVAILABLE while the internal topic does not exist; for an unknown
            key type, the release's error.

    """
    cluster = call.cluster
    topic = _TOPICS.get(key_type)
    if topic is None or (key_type == SHARE_GROUP and not _knows_share_groups(call)):
        raise _unknown_type(key_type, call)
    if topic == SHARE_GROUP_STATE:
        _check_share_key(key, call)
    if topic not in cluster.topics:
        _create(topic, call)
    partition = cluster.partition(topic, coordinator_partition(topic, key, cluster.configs))
    if partition is None or partition.leader_id == NO_LEADER:
        raise ApiError(ErrorCode.COORDINATOR_NOT_AVAILABLE)
    return cluster.brokers[partition.leader_id].seen_from(call.listener)


def _create(topic: str, call: Call) -> None:
    """Create an internal topic, now or a moment later.

    Raises:
        ApiError: COORDINATOR_NOT_AVAILABLE if it does not exist yet, or cannot be created.

    """
    cluster = call.cluster
    new_topic = internal_topic(topic, cluster.configs)
    if not cluster.configs.broker_flag(AT_ONCE, call.broker_id):
        cluster.create_topic_later(new_topic)
        raise ApiError(ErrorCode.COORDINATOR_NOT_AVAILABLE)
    try:
        cluster.create_topic(new_topic)
    except ApiError as refusal:
        raise ApiError(ErrorCode.COORDINATOR_NOT_AVAILABLE, refusal.why) from refusal


def _unknown_type(key_type: int, call: Call, why: str | None = None) -> Exception:
    """Return the error for an unknown key type, or for a key that is invalid for its type."""
    code = call.cluster.options.coordinator_type_refusal
    if code is None:
        return CloseConnection("undecodable_request", api="FIND_COORDINATOR", key_type=key_type)
    return ApiError(code, DEFAULT_MESSAGES[code] if why is None else why)


def _knows_share_groups(call: Call) -> bool:
    """Return whether the release has a version of the API with keys of share groups."""
    return FIRST_WITH_SHARE_GROUPS in call.cluster.options.api_versions[ApiKey.FIND_COORDINATOR]


def _check_share_key(key: str, call: Call) -> None:
    if call.api_version >= FIRST_WITH_SHARE_GROUPS:
        if not call.cluster.options.has_share_coordinator:
            raise ApiError(ErrorCode.COORDINATOR_NOT_AVAILABLE)
        if _SHARE_KEY.fullmatch(key):
            return
    raise _unknown_type(SHARE_GROUP, call, "")
