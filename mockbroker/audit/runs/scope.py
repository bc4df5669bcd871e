"""Scope of a machine: the runs that it has to see together, and in order."""

from enum import StrEnum


class ShardScope(StrEnum):
    """Runs with the same key are judged together; others may be judged elsewhere."""

    PARTITION = "partition"
    """Runs of a partition."""
    PRODUCER = "producer"
    """Runs of a producer id, and of others that had the same transactional id. Of appends only
    those of transactions, and only those that are part of the log."""
    GROUP = "group"
    """Runs of a group."""
    CLUSTER = "cluster"
    """All runs of the machine's kinds: for rare ones."""
