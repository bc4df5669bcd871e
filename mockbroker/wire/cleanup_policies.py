"""Question to the brokers for the `cleanup.policy` of topics."""

from collections.abc import Iterable
from typing import Final

from mockbroker.protocol.errors import ErrorCode
from mockbroker.protocol.messages.describe_configs import (
    DescribeConfigsRequest,
    DescribeConfigsResource,
    DescribeConfigsResponse,
)
from mockbroker.wire.cluster import WireCluster

COMPACT: Final = "compact"
DELETE: Final = "delete"

_KNOWN: Final = range(5)
_TOPIC: Final = 2
_SAID: Final = frozenset({ErrorCode.NONE, ErrorCode.UNKNOWN_TOPIC_OR_PARTITION})
_POLICY: Final = "cleanup.policy"


def cleanup_policies(
    cluster: WireCluster, topics: Iterable[str]
) -> dict[str, frozenset[str]] | None:
    """Return the policies of each topic, none for a topic that does not exist.

    The result is None if a broker refuses to describe one of them.

    Raises:
        WireError: no broker answers.
        DecodeError: a broker's response cannot be read.

    """
    resources = [
        DescribeConfigsResource(
            resource_type=_TOPIC, resource_name=topic, configuration_keys=[_POLICY]
        )
        for topic in topics
    ]
    request = DescribeConfigsRequest(resources=resources)
    results = cluster.ask_any(request, _KNOWN, DescribeConfigsResponse).results
    if any(each.error_code not in _SAID for each in results):
        return None
    return {
        each.resource_name: frozenset(
            policy.strip()
            for config in each.configs
            if config.name == _POLICY
            for policy in (config.value or "").split(",")
        )
        for each in results
    }
