"""Client for a whole cluster of any release from 0.11: finds leaders, coordinators, offsets.

Requests are retried with refreshed metadata after retriable errors, such as a moved leader or a
temporarily unreachable broker. Other errors, and errors that persist, raise `WireError`.
"""

import time
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Final, NamedTuple, Self, TypeVar
from uuid import UUID

from mockbroker.protocol.api_keys import ApiKey
from mockbroker.protocol.errors import DecodeError, ErrorCode
from mockbroker.protocol.messages.create_topics import (
    CreatableTopic,
    CreatableTopicConfig,
    CreateTopicsRequest,
    CreateTopicsResponse,
)
from mockbroker.protocol.messages.find_coordinator import (
    FindCoordinatorRequest,
    FindCoordinatorResponse,
)
from mockbroker.protocol.messages.list_offsets import (
    ListOffsetsPartition,
    ListOffsetsPartitionResponse,
    ListOffsetsRequest,
    ListOffsetsResponse,
    ListOffsetsTopic,
)
from mockbroker.protocol.messages.metadata import (
    MetadataRequest,
    MetadataRequestTopic,
    MetadataResponse,
)
from mockbroker.protocol.schema.message import Message
from mockbroker.protocol.types import ZERO_UUID
from mockbroker.wire.client import ResponseT, WireClient, WireError, addresses_of
from mockbroker.wire.security import PLAINTEXT, Security

LATEST: Final = -1
EARLIEST: Final = -2
GROUP: Final = 0
TRANSACTION: Final = 1
"""Key types of FindCoordinator."""

_METADATA: Final = range(4, 13)
"""Versions from v4 on, in which a request does not have to create unknown topics."""
_LIST_OFFSETS: Final = range(2, 8)
_FIND_COORDINATOR: Final = range(1, 4)
_CREATE_TOPICS: Final = range(1, 8)
_WITH_DEFAULT_REPLICATION: Final = 4
"""First version of CreateTopics in which brokers can choose the replication factor."""
_CREATE_MS: Final = 5_000
_PAUSE_MIN_S: Final = 0.01
_PAUSE_MAX_S: Final = 0.1
_UNKNOWN_TOPIC_S: Final = 2.0
"""Time during which a topic may be unknown because it was just created."""
_CONSUMER: Final = -1
_NO_CONFIGS: Final[Mapping[str, str]] = MappingProxyType({})
AnswerT = TypeVar("AnswerT")


class RetriableError(WireError):
    """An error after which a retry of the same request may succeed."""


class TopicIdPartition(NamedTuple):
    """A partition of a topic, identified by the topic's id and not only by its name."""

    topic: str
    partition: int
    topic_id: UUID = ZERO_UUID

    def __str__(self) -> str:
        """Return Kafka's notation."""
        return f"{self.topic}-{self.partition}"


class TopicLeaders(NamedTuple):
    """A topic in the cluster's metadata."""

    name: str
    topic_id: UUID
    """`ZERO_UUID` before 2.8."""
    leaders: Mapping[int, str | None]
    """Leader address of each partition, ascending; None while a partition has no leader."""

    @property
    def partitions(self) -> list[TopicIdPartition]:
        """Return its partitions, ascending."""
        return [TopicIdPartition(self.name, index, self.topic_id) for index in self.leaders]


class WireCluster:
    """Connections to the brokers of one cluster, from one thread; a context manager."""

    def __init__(
        self,
        bootstrap_servers: str,
        *,
        patience_s: float = 30.0,
        security: Security = PLAINTEXT,
    ) -> None:
        """Set the addresses, such as `127.0.0.1:9092,127.0.0.1:9093`; nothing is sent yet.

        Raises:
            WireError: the text is not a list of addresses.

        """
        self._bootstrap: Final = addresses_of(bootstrap_servers)
        self.patience_s: Final = patience_s
        self._security: Final = security
        self._addresses: list[str] = []
        self._any: WireClient | None = None
        """Separate connection for requests that any broker can answer, as in Kafka's clients."""
        self._clients: dict[str, WireClient] = {}
        self._topics: dict[str, TopicLeaders] = {}
        self._unknown_until_s: dict[str, float] = {}

    # Topics

    def topic(self, name: str) -> TopicLeaders:
        """Return the current metadata of a topic.

        Raises:
            WireError: the topic does not exist, or no broker answers.

        """
        return self.retry(lambda: self._existing(name, "does not exist"))

    def find_topic(self, name: str) -> TopicLeaders | None:
        """Return the current metadata of a topic; None if no broker knows it.

        Raises:
            WireError: no broker answers.

        """
        return self.retry(lambda: self._find(name))

    def create_topic(
        self, name: str, partitions: int, configs: Mapping[str, str] = _NO_CONFIGS
    ) -> None:
        """Create a topic, unless it exists, with the brokers' default replication factor.

        For brokers before 2.4, which require a replication factor, it is 1.

        Raises:
            WireError: the request is refused, or no broker answers.

        """

        def ask() -> None:
            client = self._controller()
            version = client.newest_version(ApiKey.CREATE_TOPICS, _CREATE_TOPICS)
            replication_factor = -1 if version >= _WITH_DEFAULT_REPLICATION else 1
            topic = CreatableTopic(
                name=name,
                num_partitions=partitions,
                replication_factor=replication_factor,
                configs=[CreatableTopicConfig(name=k, value=v) for k, v in configs.items()],
            )
            request = CreateTopicsRequest(topics=[topic], timeout_ms=_CREATE_MS)
            (result,) = client.ask(request, version, CreateTopicsResponse).topics
            if result.error_code != ErrorCode.TOPIC_ALREADY_EXISTS:
                check(result.error_code, f"topic {name} is not created", client.address)

        self.retry(ask)
        self._unknown_until_s[name] = time.monotonic() + self.patience_s

    # Partitions

    def leader(self, partition: TopicIdPartition) -> WireClient:
        """Return a connection to the leader of a partition, of the topic with this id.

        Raises:
            OSError: the connection fails.
            WireError: the partition no longer exists, or has no leader now.

        """
        topic = self._topics.get(partition.topic)
        if topic is None:
            topic = self._existing(partition.topic, "was deleted")
        ids = {partition.topic_id, topic.topic_id}
        if ZERO_UUID not in ids and len(ids) > 1:
            raise WireError(f"topic {topic.name} was deleted and created again")
        if partition.partition not in topic.leaders:
            raise WireError(f"topic {topic.name} has no partition {partition.partition}")
        address = topic.leaders[partition.partition]
        if address is None:
            raise RetriableError(f"{partition} has no leader: check that its brokers run")
        return self.client(address)

    def offset(
        self, partition: TopicIdPartition, timestamp: int, *, is_committed: bool = False
    ) -> int:
        """Return a log's start offset (`EARLIEST`), or the end of reading (`LATEST`).

        With `is_committed`, reading ends at the last stable offset.

        Raises:
            WireError: the topic is gone, or no leader answers.

        """
        return self.listed(partition, timestamp, is_committed=is_committed).offset

    def listed(
        self, partition: TopicIdPartition, timestamp: int, *, is_committed: bool = False
    ) -> ListOffsetsPartitionResponse:
        """Return the same with the leader epoch, which is -1 before 2.1."""
        wanted = ListOffsetsPartition(partition_index=partition.partition, timestamp=timestamp)
        topics = [ListOffsetsTopic(name=partition.topic, partitions=[wanted])]
        level = int(is_committed)
        request = ListOffsetsRequest(replica_id=_CONSUMER, isolation_level=level, topics=topics)

        def ask() -> ListOffsetsPartitionResponse:
            client = self.leader(partition)
            answer = client.ask_newest(request, _LIST_OFFSETS, ListOffsetsResponse)
            (found,) = answer.topics[0].partitions
            check(found.error_code, partition, f"{client.address} to ListOffsets")
            return found

        return self.retry(ask)

    # Brokers

    def coordinator(self, key: str, key_type: int = GROUP) -> WireClient:
        """Return a connection to the coordinator of a group, or of a transactional id.

        Raises:
            WireError: there is none, and none comes.

        """
        request = FindCoordinatorRequest(key=key, key_type=key_type)

        def ask() -> WireClient:
            found = self.ask_any(request, _FIND_COORDINATOR, FindCoordinatorResponse)
            check(found.error_code, f"coordinator of {key}", "FindCoordinator")
            return self.client(f"{found.host}:{found.port}")

        return self.retry(ask)

    def ask_any(self, request: Message, known: range, kind: type[ResponseT]) -> ResponseT:
        """Ask the broker that answers first; a cluster that has never answered is not waited for.

        Raises:
            WireError: no broker answers.

        """
        return self._of_any(lambda client: client.ask_newest(request, known, kind))

    def brokers(self) -> list[str]:
        """Return the addresses of all brokers.

        Raises:
            WireError: no broker answers.

        """
        self.retry(self._metadata)
        return list(self._addresses)

    def any_client(self) -> WireClient:
        """Return a connection to a broker, whichever listens.

        Raises:
            WireError: no broker does.

        """
        return self._of_any(lambda client: client)

    def client(self, address: str) -> WireClient:
        """Return the connection to a broker.

        Raises:
            OSError: the connection fails.

        """
        found = self._clients.get(address)
        if found is not None and found.is_waiting:  # for a response that will not be read
            found.close()
            found = None
        if found is None:
            found = self._clients[address] = WireClient(address, security=self._security)
        return found

    def retry(self, ask: Callable[[], AnswerT]) -> AnswerT:
        """Retry after retriable errors, until `patience_s` have passed.

        Raises:
            WireError: another error, or still the same one.

        """
        deadline_s = time.monotonic() + self.patience_s
        pause_s = _PAUSE_MIN_S
        while True:
            try:
                return ask()
            except DecodeError as error:
                raise WireError(f"a broker's response cannot be read: {error}") from None
            except OSError as error:
                why = _why(error)
                self.close()
            except RetriableError as error:
                why = str(error)
                self._topics.clear()
            if time.monotonic() > deadline_s:
                raise WireError(f"{why} (for {self.patience_s:.0f} s)")
            time.sleep(pause_s)
            pause_s = min(2 * pause_s, _PAUSE_MAX_S)

    def close(self) -> None:
        """Close all connections, and forget the metadata."""
        self._topics.clear()
        for client in (self._any, *self._clients.values()):
            if client is not None:
                client.close()
        self._any = None
        self._clients.clear()

    def __enter__(self) -> Self:
        """Return the cluster itself."""
        return self

    def __exit__(self, *_: object) -> None:
        """Close all connections."""
        self.close()

    def _existing(self, name: str, if_unknown: str) -> TopicLeaders:
        found = self._find(name)
        if found is not None:
            return found
        now_s = time.monotonic()
        if now_s > self._unknown_until_s.setdefault(name, now_s + _UNKNOWN_TOPIC_S):
            raise WireError(f"topic {name} {if_unknown}")
        raise RetriableError(f"topic {name} {if_unknown}")

    def _find(self, name: str) -> TopicLeaders | None:
        answer = self._metadata(name)
        (found,) = answer.topics
        if found.error_code == ErrorCode.UNKNOWN_TOPIC_OR_PARTITION:
            return None
        check(found.error_code, f"topic {name}", "Metadata")
        self._unknown_until_s.pop(name, None)
        addresses = {each.node_id: f"{each.host}:{each.port}" for each in answer.brokers}
        leaders = {each.partition_index: addresses.get(each.leader_id) for each in found.partitions}
        topic = TopicLeaders(name, found.topic_id, dict(sorted(leaders.items())))
        self._topics[name] = topic
        return topic

    def _controller(self) -> WireClient:
        answer = self._metadata()
        for each in answer.brokers:
            if each.node_id == answer.controller_id:
                return self.client(f"{each.host}:{each.port}")
        raise RetriableError("the cluster has no controller: check that its brokers run")

    def _metadata(self, *topics: str) -> MetadataResponse:
        wanted = [MetadataRequestTopic(name=name) for name in topics]
        request = MetadataRequest(topics=wanted, allow_auto_topic_creation=False)
        answer = self.ask_any(request, _METADATA, MetadataResponse)
        self._addresses = [f"{each.host}:{each.port}" for each in answer.brokers]
        return answer

    def _of_any(self, ask: Callable[[WireClient], AnswerT]) -> AnswerT:
        refused: list[str] = []
        first = [] if self._any is None else [self._any.address]
        for address in dict.fromkeys([*first, *self._addresses, *self._bootstrap]):
            try:
                if self._any is None:
                    self._any = WireClient(address, security=self._security)
                return ask(self._any)
            except OSError as error:
                refused.append(f"{address}: {_why(error)}")
                if self._any is not None:
                    self._any.close()
                    self._any = None
        why = f"no broker answers at {'; '.join(refused)}"
        if self._addresses:
            raise RetriableError(why)
        raise WireError(f"{why} (check the addresses, and that the cluster runs)")


def check(error_code: int, subject: object, asked: str) -> None:
    """Check that a response has no error.

    Raises:
        RetriableError: the error is retriable.
        WireError: it is another error.

    """
    code = ErrorCode(error_code)
    if code is ErrorCode.NONE:
        return
    kind = RetriableError if code.is_retriable else WireError
    raise kind(f"{subject}: {code.name} ({asked}; `mockbroker errors {code.name}` explains it)")


def _why(error: OSError) -> str:
    return error.strerror or str(error) or type(error).__name__
