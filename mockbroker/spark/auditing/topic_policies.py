"""Detection of compacted topics, in whose logs missing records are not a finding."""

from typing import Final

from mockbroker.protocol.errors import DecodeError, ErrorCode
from mockbroker.protocol.messages.describe_configs import (
    DescribeConfigsRequest,
    DescribeConfigsResource,
    DescribeConfigsResponse,
    DescribeConfigsResult,
)
from mockbroker.spark.auditing.source import TopicSource
from mockbroker.wire.client import WireError

_KNOWN: Final = range(5)
_TOPIC: Final = 2
_SAID: Final = frozenset({ErrorCode.NONE, ErrorCode.UNKNOWN_TOPIC_OR_PARTITION})
_POLICY: Final = "cleanup.policy"
_COMPACT: Final = "compact"


def compacted_topics(source: TopicSource) -> frozenset[str] | None:
    """Return the compacted ones of some topics; None if no broker answers that.

    Topics that do not exist count as not compacted.
    """
    resources = [
        DescribeConfigsResource(
            resource_type=_TOPIC, resource_name=topic, configuration_keys=[_POLICY]
        )
        for topic in source.topics
    ]
    request = DescribeConfigsRequest(resources=resources)
    try:
        with source.connect() as cluster:
            results = cluster.ask_any(request, _KNOWN, DescribeConfigsResponse).results
    except (WireError, DecodeError):
        return None
    if any(each.error_code not in _SAID for each in results):
        return None
    return frozenset(each.resource_name for each in results if _is_compacted(each))


def compaction_notes(compacted: frozenset[str] | None) -> list[str]:
    """Return the remarks about compaction."""
    if compacted is None:
        asked = "Whether these topics are compacted could not be asked"
        return [f"{asked}: gaps in offsets and sequences are taken for compaction."]
    return [f"{topic} is compacted: gaps in it are no findings." for topic in sorted(compacted)]


def _is_compacted(result: DescribeConfigsResult) -> bool:
    return any(each.name == _POLICY and _COMPACT in (each.value or "") for each in result.configs)
