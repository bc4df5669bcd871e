"""Configs of a topic, and the broker configs that it inherits from.

`definition.py` describes the columns. The values were read from the releases in the last column.
"""

from collections.abc import Mapping
from typing import Final

TOPIC_CONFIGS: Final = """
cleanup.policy LIST delete compact|delete dynamic ..3.9
cleanup.policy LIST delete full:compact|delete dynamic 4.4..
compression.gzip.level INT -1 gzip-level dynamic 3.9..
compression.lz4.level INT 9 1..17 dynamic 3.9..
compression.type STRING producer uncompressed|snappy|lz4|gzip|producer dynamic ..1.1
compression.type STRING producer uncompressed|zstd|lz4|snappy|gzip|producer dynamic 2.3..
compression.zstd.level INT 3 -131072..22 dynamic 3.9..
delete.retention.ms LONG 86400000 0.. dynamic *
errors.deadletterqueue.group.enable BOOLEAN false - dynamic 4.4
file.delete.delay.ms LONG 60000 0.. dynamic *
flush.messages LONG 9223372036854775807 0.. dynamic ..2.8
flush.messages LONG 9223372036854775807 1.. dynamic 3.6..
flush.ms LONG 9223372036854775807 0.. dynamic *
follower.replication.throttled.replicas LIST "" throttled-replicas-1.1 dynamic ..1.1
follower.replication.throttled.replicas LIST "" throttled-replicas-first dynamic 2.3..2.5
follower.replication.throttled.replicas LIST "" throttled-replicas dynamic 2.8..
index.interval.bytes INT 4096 0.. dynamic *
internal.segment.bytes INT null - internal 4.4
leader.replication.throttled.replicas LIST "" throttled-replicas-1.1 dynamic ..1.1
leader.replication.throttled.replicas LIST "" throttled-replicas-first dynamic 2.3..2.5
leader.replication.throttled.replicas LIST "" throttled-replicas dynamic 2.8..
local.retention.bytes LONG -2 -2.. dynamic 3.6..
local.retention.ms LONG -2 -2.. dynamic 3.6..
max.compaction.lag.ms LONG 9223372036854775807 1.. dynamic 2.3..
max.decompressed.message.bytes INT 2147483639 1..2147483639 dynamic 4.4
max.message.bytes INT 1000012 0.. dynamic ..2.4
max.message.bytes INT 1048588 0.. dynamic 2.5..
message.downconversion.enable BOOLEAN true - dynamic 2.3..3.9
message.format.version STRING 0.11.0-IV2 format-version dynamic 0.11
message.format.version STRING 1.0-IV0 format-version dynamic 1.0
message.format.version STRING 1.1-IV0 format-version dynamic 1.1
message.format.version STRING 2.3-IV1 format-version dynamic 2.3
message.format.version STRING 2.4-IV1 format-version dynamic 2.4
message.format.version STRING 2.5-IV0 format-version dynamic 2.5
message.format.version STRING 2.8-IV1 format-version dynamic 2.8
message.format.version STRING 3.0-IV1 format-version-3.9 dynamic 3.6..3.9
message.timestamp.after.max.ms LONG 9223372036854775807 0.. dynamic 3.6..3.9
message.timestamp.after.max.ms LONG 3600000 0.. dynamic 4.4
message.timestamp.before.max.ms LONG 9223372036854775807 0.. dynamic 3.6..
message.timestamp.difference.max.ms LONG 9223372036854775807 0.. dynamic ..3.9
message.timestamp.type STRING CreateTime CreateTime|LogAppendTime dynamic *
min.cleanable.dirty.ratio DOUBLE 0.5 0..1 dynamic *
min.compaction.lag.ms LONG 0 0.. dynamic *
min.insync.replicas INT 1 1.. dynamic *
preallocate BOOLEAN false - dynamic *
remote.copy.lag.bytes LONG -1 -1.. dynamic 4.4
remote.copy.lag.ms LONG 0 -1.. dynamic 4.4
remote.log.copy.disable BOOLEAN false - dynamic 3.9..
remote.log.delete.on.disable BOOLEAN false - dynamic 3.9..
remote.storage.enable BOOLEAN false - dynamic 3.6..
retention.bytes LONG -1 - dynamic *
retention.ms LONG 604800000 - dynamic ..1.1
retention.ms LONG 604800000 -1.. dynamic 2.3..
segment.bytes INT 1073741824 14.. dynamic ..3.9
segment.bytes INT 1073741824 1048576.. dynamic 4.4
segment.index.bytes INT 10485760 0.. dynamic ..2.8
segment.index.bytes INT 10485760 4.. dynamic 3.6..
segment.jitter.ms LONG 0 0.. dynamic *
segment.ms LONG 604800000 0.. dynamic ..1.1
segment.ms LONG 604800000 1.. dynamic 2.3..
unclean.leader.election.enable BOOLEAN false - dynamic *
"""

_CHECKED_IN_ORDER: Final = """
segment.bytes segment.ms segment.jitter.ms segment.index.bytes flush.messages flush.ms
retention.bytes retention.ms max.message.bytes index.interval.bytes delete.retention.ms
min.compaction.lag.ms max.compaction.lag.ms file.delete.delay.ms min.cleanable.dirty.ratio
cleanup.policy unclean.leader.election.enable min.insync.replicas
compression.type compression.gzip.level compression.lz4.level compression.zstd.level
preallocate message.format.version message.timestamp.type message.timestamp.difference.max.ms
message.timestamp.before.max.ms message.timestamp.after.max.ms
leader.replication.throttled.replicas follower.replication.throttled.replicas
message.downconversion.enable remote.storage.enable local.retention.ms local.retention.bytes
remote.log.copy.disable remote.log.delete.on.disable
"""
CHECKED_IN_ORDER: Final = tuple(_CHECKED_IN_ORDER.split())
"""The order in which Kafka checks a topic's configs: its error names the first wrong one."""

BROKER_SYNONYMS: Final[Mapping[str, str]] = {
    "cleanup.policy": "log.cleanup.policy",
    "compression.gzip.level": "compression.gzip.level",
    "compression.lz4.level": "compression.lz4.level",
    "compression.type": "compression.type",
    "compression.zstd.level": "compression.zstd.level",
    "delete.retention.ms": "log.cleaner.delete.retention.ms",
    "file.delete.delay.ms": "log.segment.delete.delay.ms",
    "flush.messages": "log.flush.interval.messages",
    "flush.ms": "log.flush.interval.ms",
    "index.interval.bytes": "log.index.interval.bytes",
    "local.retention.bytes": "log.local.retention.bytes",
    "local.retention.ms": "log.local.retention.ms",
    "max.compaction.lag.ms": "log.cleaner.max.compaction.lag.ms",
    "max.decompressed.message.bytes": "max.decompressed.message.bytes",
    "max.message.bytes": "message.max.bytes",
    "message.downconversion.enable": "log.message.downconversion.enable",
    "message.format.version": "log.message.format.version",
    "message.timestamp.after.max.ms": "log.message.timestamp.after.max.ms",
    "message.timestamp.before.max.ms": "log.message.timestamp.before.max.ms",
    "message.timestamp.difference.max.ms": "log.message.timestamp.difference.max.ms",
    "message.timestamp.type": "log.message.timestamp.type",
    "min.cleanable.dirty.ratio": "log.cleaner.min.cleanable.ratio",
    "min.compaction.lag.ms": "log.cleaner.min.compaction.lag.ms",
    "min.insync.replicas": "min.insync.replicas",
    "preallocate": "log.preallocate",
    "remote.copy.lag.bytes": "log.remote.copy.lag.bytes",
    "remote.copy.lag.ms": "log.remote.copy.lag.ms",
    "retention.bytes": "log.retention.bytes",
    "retention.ms": "log.retention.ms",
    "segment.bytes": "log.segment.bytes",
    "segment.index.bytes": "log.index.size.max.bytes",
    "segment.jitter.ms": "log.roll.jitter.ms",
    "segment.ms": "log.roll.ms",
    "unclean.leader.election.enable": "unclean.leader.election.enable",
}
"""The broker config that applies if a topic does not set a config."""
