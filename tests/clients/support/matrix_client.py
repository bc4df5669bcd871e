"""Interface of a client for the matrix, in any language.

All operations wait for their outcome, and raise ClientError. If a client's own API lacks the
operation, the error has the name NOT_OFFERED, and says what is missing.
"""

from collections.abc import Mapping
from typing import Final, NamedTuple, Protocol

from tests.clients.support.transactional_client import TransactionalClient

NOT_OFFERED: Final = "NotOffered"
BATCH_MAX: Final = 10
"""How many records a processor takes into one transaction at most."""


class Received(NamedTuple):
    """A record as a member of a group gets it."""

    partition: int
    offset: int
    value: str


class GroupState(NamedTuple):
    """A group as the client's administration describes it."""

    state: str
    """As the client writes it: `Stable`, `STABLE`."""
    member_count: int


class GroupMember(Protocol):
    """A consumer that has subscribed to one topic."""

    def poll(self) -> list[Received]:
        """Wait a moment at most; return what has come, which may be nothing."""
        ...

    def assignment(self) -> list[int]:
        """Return the partitions that the client says it owns, sorted."""
        ...

    def commit(self) -> None:
        """Commit the offsets of all that `poll` has returned."""
        ...

    def close(self) -> None:
        """Stop consuming: a dynamic member leaves the group, a static one does not."""
        ...


class Processor(Protocol):
    """A member of a group with a transactional producer: it reads, processes and writes."""

    def process(self, *, commit: bool) -> list[Received]:
        """Poll a moment at most, for BATCH_MAX records at most, and return them.

        Unless nothing came, there is one transaction: each value is written in capitals to the same
        partition of the output, the offsets are sent to the transaction, and it commits or aborts.
        """
        ...

    def close(self) -> None:
        """Stop consuming and producing."""
        ...


class Admin(Protocol):
    """The client's administration of some brokers."""

    def create_topic(self, topic: str, partitions: int, configs: Mapping[str, str]) -> None:
        """Create a topic."""
        ...

    def topics(self) -> list[str]:
        """Return the names of all topics."""
        ...

    def partition_count(self, topic: str) -> int:
        """Return how many partitions a topic has."""
        ...

    def topic_config(self, topic: str, name: str) -> str:
        """Return the value of one of a topic's configs."""
        ...

    def alter_topic_config(self, topic: str, name: str, value: str) -> None:
        """Set one of a topic's configs."""
        ...

    def create_partitions(self, topic: str, total: int) -> None:
        """Add partitions to a topic, up to this total."""
        ...

    def groups(self) -> list[str]:
        """Return the names of all groups."""
        ...

    def group_state(self, group: str) -> GroupState:
        """Describe a group."""
        ...

    def delete_group(self, group: str) -> None:
        """Delete a group."""
        ...

    def delete_records(self, topic: str, partition: int, before_offset: int) -> int:
        """Delete what is before the offset; return the low watermark."""
        ...

    def delete_topic(self, topic: str) -> None:
        """Delete a topic."""
        ...


class MatrixClient(TransactionalClient, Protocol):
    """Makes consumers, processors and, as any transactional client, producers; administers."""

    def round_trip(self, bootstrap_servers: str, topic: str, compression: str) -> list[str]:
        """Create the topic, write and read back all samples; return a digest for each partition."""
        ...

    def join(
        self, bootstrap_servers: str, group: str, topic: str, instance_id: str | None = None
    ) -> GroupMember:
        """Return a consumer that reads the topic from its start, and commits nothing by itself."""
        ...

    def processor(
        self,
        bootstrap_servers: str,
        *,
        transactional_id: str,
        group: str,
        source: str,
        target: str,
    ) -> Processor:
        """Return a processor whose producer has fenced those before it."""
        ...

    def admin(self, bootstrap_servers: str) -> Admin:
        """Return the administration of these brokers."""
        ...
