"""Operations on single brokers, which a script has on real Kafka and on mockbroker alike."""

from typing import Protocol


class ReplicaControl(Protocol):
    """Control of the brokers of a cluster.

    Every operation returns when all running brokers know its effect.
    """

    @property
    def is_anybody_cut_off(self) -> bool:
        """True while a broker does not follow."""
        ...

    def cut_off(self, broker: int) -> None:
        """Stop a broker from following any leader, while it stays in sync for the time being."""

    def follow(self, broker: int) -> None:
        """Let a broker follow again."""

    def leave(self, broker: int) -> None:
        """Let a broker that is cut off leave the in-sync replicas, as it does in time."""

    def kill(self, broker: int) -> None:
        """Kill a broker."""

    def stop(self, broker: int) -> None:
        """Stop a broker in a controlled way."""

    def start(self, broker: int) -> None:
        """Start a broker that was killed or stopped."""

    def lose_snapshots(self, broker: int, topic: str) -> None:
        """Delete the producer snapshots of a topic's first partition on a broker that is away."""

    def keep_snapshots(self, broker: int, topic: str) -> None:
        """Copy the producer snapshots of a topic's first partition, for `restore_snapshots`."""

    def restore_snapshots(self, broker: int, topic: str) -> None:
        """Replace the producer snapshots of a broker that is away by those that were copied."""

    def await_checkpoints(self) -> None:
        """Wait until brokers write no log start to disk any more, except when they stop."""

    def settle(self) -> None:
        """Wait until every replica that can follow has followed, and every broker knows it."""
