"""Refusal of the APIs of group protocols whose feature is off.

Consumer groups (KIP-848) need `group.version`, share groups (KIP-932) `share.version`, streams
groups (KIP-1071) `streams.version`. A cluster may turn them off (docs/decisions/0011).
"""

from collections.abc import Iterable, Mapping
from functools import cache, partial
from typing import Final

from mockbroker.broker.call import Call
from mockbroker.broker.handlers.default_messages import DEFAULT_MESSAGES
from mockbroker.protocol.api_keys import ApiKey
from mockbroker.protocol.error_response import error_response
from mockbroker.protocol.errors import ApiError, ErrorCode
from mockbroker.protocol.schema.message import Message
from mockbroker.state.group.classic.group_answers import TopicFilter
from mockbroker.state.release.options import GROUP_VERSION
from mockbroker.state.security.acl import AclOperation, AclResource

_UNSUPPORTED: Final = DEFAULT_MESSAGES[ErrorCode.UNSUPPORTED_VERSION]

HIDES_TOPICS: Final = (
    "The group has described topic(s) that the client is not authorized to describe."
)
"""Error message for a group of which the client may not see all topics."""

_FEATURES: Final[Mapping[str, str]] = {
    "CONSUMER": GROUP_VERSION,
    "SHARE": "share.version",
    "STREAMS": "streams.version",
}
"""Feature that enables a protocol, by a word in the names of its APIs."""

_MESSAGES: Final[Mapping[ApiKey, str]] = {
    ApiKey.ALTER_SHARE_GROUP_OFFSETS: _UNSUPPORTED,
    ApiKey.DELETE_SHARE_GROUP_OFFSETS: _UNSUPPORTED,
}
"""Error messages of the APIs for which Kafka sends one."""


@cache
def feature_of(api_key: ApiKey) -> str:
    """Return the name of the feature that enables an API."""
    return next(level for word, level in _FEATURES.items() if word in api_key.name.split("_"))


def is_enabled(call: Call) -> bool:
    """Return whether the feature of the API is on."""
    name = feature_of(call.api_key)
    if name == GROUP_VERSION:
        return call.cluster.options.serves_consumer_groups
    return bool(call.cluster.options.level_of(name))


def may_describe(call: Call, topics: Iterable[str]) -> bool:
    """Return whether the client has the right to describe each topic."""
    return all(call.allows(AclOperation.DESCRIBE, AclResource.TOPIC, each) for each in topics)


def topic_filter(call: Call) -> TopicFilter | None:
    """Return what tells the topics that the client may describe; None without an authorizer."""
    if call.service.cluster.authorizer is None:
        return None
    return partial(call.allows, AclOperation.DESCRIBE, AclResource.TOPIC)


def refuse(request: Message, call: Call) -> Message:
    """Refuse an API whose feature is at level 0."""
    name = call.api_key.name
    why = f"{feature_of(call.api_key)} is 0"
    call.service.refusals.note(
        "feature_refused",
        ApiError(ErrorCode.UNSUPPORTED_VERSION, why),
        api=name,
        client_id=call.client_id,
    )
    answered = ApiError(ErrorCode.UNSUPPORTED_VERSION, _MESSAGES.get(call.api_key, ""))
    return error_response(request, call.api_version, answered, paced=call.paced)
