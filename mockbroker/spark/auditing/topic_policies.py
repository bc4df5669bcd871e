"""Detection of compacted topics, in whose logs missing records are not a finding."""

from mockbroker.protocol.errors import DecodeError
from mockbroker.spark.auditing.source import TopicSource
from mockbroker.wire.cleanup_policies import COMPACT, cleanup_policies
from mockbroker.wire.client import WireError


def compacted_topics(source: TopicSource) -> frozenset[str] | None:
    """Return the compacted ones of some topics; None if no broker answers that.

    Topics that do not exist count as not compacted.
    """
    try:
        with source.connect() as cluster:
            policies = cleanup_policies(cluster, source.topics)
    except (WireError, DecodeError):
        return None
    if policies is None:
        return None
    return frozenset(topic for topic, kept in policies.items() if COMPACT in kept)


def compaction_notes(compacted: frozenset[str] | None) -> list[str]:
    """Return the remarks about compaction."""
    if compacted is None:
        asked = "Whether these topics are compacted could not be asked"
        return [f"{asked}: gaps in offsets and sequences are taken for compaction."]
    return [f"{topic} is compacted: gaps in it are no findings." for topic in sorted(compacted)]
