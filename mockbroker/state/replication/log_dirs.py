"""Log directories of brokers: their replicas, and moves between them (KIP-113).

Nothing is on disk. A directory is a name from `log.dirs`, and each replica is in one of them: the
one that a client chose, else the one with the fewest replicas.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Final

from mockbroker.protocol.errors import ApiError, ErrorCode
from mockbroker.protocol.types import TopicPartition
from mockbroker.state.config.config_repository import ConfigRepository
from mockbroker.state.config.validator import split_list
from mockbroker.state.release.cluster_admin_options import ClusterAdminOptions
from mockbroker.state.topic.topic import Partition
from mockbroker.state.topic.topic_registry import TopicRegistry

CORDONED: Final = "cordoned.log.dirs"
_EVERY: Final = "*"


class LogDirs:
    """Placement of replicas in clusters whose brokers have several directories."""

    def __init__(
        self, configs: ConfigRepository, topics: TopicRegistry, options: ClusterAdminOptions
    ) -> None:
        """Read the directories from the brokers' configs."""
        self._options = options
        self._configs = configs
        self._topics = topics
        self._chosen: dict[tuple[int, TopicPartition], str] = {}
        self._places: dict[int, dict[TopicPartition, str]] = {}

    def paths(self, broker_id: int) -> tuple[str, ...]:
        """Return the directories of a broker, in the order of its configs."""
        value = self._configs.broker_value("log.dirs", broker_id)
        if value is None:
            value = self._configs.broker_value("log.dir", broker_id)
        texts = value if isinstance(value, tuple) else split_list(str(value))
        return tuple(dict.fromkeys(str(text) for text in texts))

    def is_cordoned(self, broker_id: int, path: str) -> bool:
        """Return whether a directory gets no new replicas (KIP-1066)."""
        if CORDONED not in self._configs.broker_definitions:
            return False
        value = self._configs.broker_value(CORDONED, broker_id)
        cordoned = value if isinstance(value, tuple) else ()
        return _EVERY in cordoned or path in cordoned

    def content(self, broker_id: int) -> dict[str, list[Partition]]:
        """Return the partitions that a broker holds, by directory."""
        content: dict[str, list[Partition]] = {path: [] for path in self.paths(broker_id)}
        places = self._settled(broker_id)
        for partition in self._held(broker_id):
            content[places[partition.topic_partition]].append(partition)
        return content

    def move(self, broker_id: int, topic_partition: TopicPartition, path: str) -> None:
        """Move a broker's replica to another of its directories.

        For a replica that is not there yet the choice is stored, and the request rejected.

        Raises:
            ApiError: LOG_DIR_NOT_FOUND, INVALID_REPLICA_ASSIGNMENT for a cordoned directory,
                UNKNOWN_TOPIC_OR_PARTITION, REPLICA_NOT_AVAILABLE.

        """
        if path not in self.paths(broker_id):
            raise ApiError(
                ErrorCode.LOG_DIR_NOT_FOUND, f"broker {broker_id} has no directory {path!r}"
            )
        if self.is_cordoned(broker_id, path):
            raise ApiError(ErrorCode.INVALID_REPLICA_ASSIGNMENT, f"{CORDONED} contains {path!r}")
        places = self._settled(broker_id)
        if topic_partition in places:
            places[topic_partition] = path
            return
        if len(self.paths(broker_id)) > 1:
            self._chosen[broker_id, topic_partition] = path
        self._refuse_what_is_not_here(broker_id, topic_partition)

    def _refuse_what_is_not_here(self, broker_id: int, topic_partition: TopicPartition) -> None:
        topic = self._topics.get(topic_partition.topic)
        if topic is None or topic.partition(topic_partition.partition) is None:
            raise ApiError(
                self._options.unknown_replica_code, f"there is no partition {topic_partition}"
            )
        raise ApiError(
            ErrorCode.REPLICA_NOT_AVAILABLE,
            f"broker {broker_id} holds no replica of {topic_partition}",
        )

    def as_text(self) -> list[str]:
        """Show the placement of replicas on brokers with several directories."""
        return [
            f"broker {broker_id} keeps {topic_partition} in {path}"
            for broker_id, places in sorted(self._places.items())
            if len(self.paths(broker_id)) > 1
            for topic_partition, path in sorted(places.items())
        ] + [
            f"broker {broker_id} is to keep {topic_partition} in {path}"
            for (broker_id, topic_partition), path in sorted(self._chosen.items())
        ]

    def _held(self, broker_id: int) -> Iterable[Partition]:
        for topic in self._topics:
            for partition in topic.partitions:
                if broker_id in partition.replicas:
                    yield partition

    def _settled(self, broker_id: int) -> dict[TopicPartition, str]:
        """Place new replicas, and remove those that are gone."""
        paths = self.paths(broker_id)
        before = self._places.get(broker_id, {})
        places: dict[TopicPartition, str] = {}
        counts = Counter(before.values())
        for partition in self._held(broker_id):
            key = partition.topic_partition
            place = before.get(key) or self._chosen.pop((broker_id, key), None)
            if place not in paths:
                place = _emptiest(paths, counts)
                counts[place] += 1
            places[key] = place
        self._places[broker_id] = places
        return places


def _emptiest(paths: Sequence[str], counts: Counter[str]) -> str:
    return min(paths, key=lambda path: counts[path])
