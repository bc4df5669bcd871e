"""Internal topics of Kafka, and the partitions that their keys belong to."""

from typing import Final

from mockbroker.state.config.config_repository import ConfigRepository
from mockbroker.state.topic.java_hash import java_hash_code
from mockbroker.state.topic.replication_control import NewTopic
from mockbroker.state.topic.topic import (
    CONSUMER_OFFSETS,
    SHARE_GROUP_STATE,
    TRANSACTION_STATE,
)

_PREFIXES: Final = {
    CONSUMER_OFFSETS: "offsets.topic",
    TRANSACTION_STATE: "transaction.state.log",
    SHARE_GROUP_STATE: "share.coordinator.state.topic",
}
"""Prefixes of the broker configs of each internal topic."""

_SMALLEST_INT: Final = -(1 << 31)


def internal_topic(name: str, configs: ConfigRepository) -> NewTopic:
    """Return an internal topic with the settings of the broker configs."""
    prefix = _PREFIXES[name]
    overrides = {
        "cleanup.policy": "delete" if name == SHARE_GROUP_STATE else "compact",
        "compression.type": "uncompressed" if name == TRANSACTION_STATE else "producer",
        "segment.bytes": str(configs.broker_integer(f"{prefix}.segment.bytes")),
    }
    if name != CONSUMER_OFFSETS:
        overrides["min.insync.replicas"] = str(configs.broker_integer(f"{prefix}.min.isr"))
    if name == TRANSACTION_STATE:
        overrides["unclean.leader.election.enable"] = "false"
    if name == SHARE_GROUP_STATE:
        overrides["retention.ms"] = "-1"
    return NewTopic(
        name=name,
        num_partitions=configs.broker_integer(f"{prefix}.num.partitions"),
        replication_factor=configs.broker_integer(f"{prefix}.replication.factor"),
        configs=list(overrides.items()),
    )


def coordinator_partition(name: str, key: str, configs: ConfigRepository) -> int:
    """Return the partition of an internal topic that a group or transactional id belongs to."""
    count = configs.broker_integer(f"{_PREFIXES[name]}.num.partitions")
    code = java_hash_code(key)
    return (0 if code == _SMALLEST_INT else abs(code)) % count
