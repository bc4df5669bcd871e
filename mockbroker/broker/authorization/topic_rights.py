"""Rights to topics that differ between releases, and the error for a topic without a right."""

from mockbroker.broker.call import Call
from mockbroker.protocol.errors import ErrorCode
from mockbroker.state.security.acl import AclOperation, AclResource


def is_hidden(call: Call, topic: str) -> bool:
    """Return whether the client may not know that a topic exists."""
    return call.cluster.options.security.hides_topics and not call.allows(
        AclOperation.DESCRIBE, AclResource.TOPIC, topic
    )


def topic_refusal(call: Call, topic: str) -> ErrorCode:
    """Return the error for a topic to which the client does not have a right."""
    if is_hidden(call, topic):
        return ErrorCode.UNKNOWN_TOPIC_OR_PARTITION
    return ErrorCode.TOPIC_AUTHORIZATION_FAILED


def creates_by_name(call: Call) -> bool:
    """Return whether the right to create a topic of a name is enough to create it (KIP-277)."""
    return not call.cluster.options.security.cluster_right_creates_topics


def may_create(call: Call, topic: str) -> bool:
    """Return whether the client may create a topic."""
    return call.allows(AclOperation.CREATE, AclResource.CLUSTER) or (
        creates_by_name(call) and call.allows(AclOperation.CREATE, AclResource.TOPIC, topic)
    )
