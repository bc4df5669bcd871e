"""Which topics are compacted: what is missing in their logs was removed, and is nothing wrong."""

from collections.abc import Iterable, Sequence
from typing import Final

from mockbroker.protocol.api_keys import ApiKey
from mockbroker.protocol.errors import DecodeError, ErrorCode
from mockbroker.protocol.messages.describe_configs import (
    DescribeConfigsRequest,
    DescribeConfigsResource,
    DescribeConfigsResponse,
    DescribeConfigsResult,
)
from mockbroker.wire.client import WireClient

_SPOKEN: Final = range(5)
_TOPIC: Final = 2
_SAID: Final = frozenset({ErrorCode.NONE, ErrorCode.UNKNOWN_TOPIC_OR_PARTITION})
_POLICY: Final = "cleanup.policy"
_COMPACT: Final = "compact"


def compacted_topics(bootstrap_servers: str, topics: Sequence[str]) -> frozenset[str] | None:
    """Return which of some topics are compacted; None where no broker wants to say.

    Topics that do not exist are not.
    """
    for address in bootstrap_servers.split(","):
        try:
            with WireClient(address) as client:
                results = _ask(client, topics)
        except (OSError, DecodeError):
            continue
        if any(each.error_code not in _SAID for each in results):
            return None
        return frozenset(each.resource_name for each in results if _is_compacted(each))
    return None


def _ask(client: WireClient, topics: Iterable[str]) -> list[DescribeConfigsResult]:
    resources = [
        DescribeConfigsResource(
            resource_type=_TOPIC, resource_name=topic, configuration_keys=[_POLICY]
        )
        for topic in topics
    ]
    both = set(client.versions(ApiKey.DESCRIBE_CONFIGS)) & set(_SPOKEN)
    if not both:
        raise ConnectionError(ErrorCode.UNSUPPORTED_VERSION.name)
    request = DescribeConfigsRequest(resources=resources)
    return client.ask(request, max(both), DescribeConfigsResponse).results


def _is_compacted(result: DescribeConfigsResult) -> bool:
    return any(each.name == _POLICY and _COMPACT in (each.value or "") for each in result.configs)
