"""A cluster as the pipeline asks it by itself: who leads what, over plain connections."""

import time
from types import TracebackType
from typing import Final, Self

from mockbroker.protocol.errors import ErrorCode
from mockbroker.protocol.messages.create_topics import (
    CreatableTopic,
    CreateTopicsRequest,
    CreateTopicsResponse,
)
from mockbroker.protocol.messages.metadata import (
    MetadataRequest,
    MetadataRequestTopic,
    MetadataResponse,
    MetadataResponseTopic,
)
from mockbroker.wire.client import WireClient

PATIENCE_S: Final = 30.0
_PAUSE_S: Final = 0.05
_METADATA: Final = 4
"""The first version that does not create what it asks for."""
_CREATE_TOPICS: Final = 4
"""The first version that leaves the replication factor to the cluster."""
_BY_DEFAULT: Final = -1
_NOT_YET: Final = frozenset(
    {
        ErrorCode.LEADER_NOT_AVAILABLE,
        ErrorCode.LISTENER_NOT_FOUND,
        ErrorCode.REPLICA_NOT_AVAILABLE,
    }
)


class ClusterUnreachableError(Exception):
    """A cluster that does not answer, or not with what it was asked for: one sentence."""


class WireCluster:
    """Asks a cluster for its topics. It is a context manager, and hangs up at its end."""

    def __init__(self, bootstrap_servers: str) -> None:
        """Connect to the first of the addresses that answers.

        Raises:
            ClusterUnreachableError: none does.

        """
        self._bootstrap_servers: Final = bootstrap_servers
        self._bootstrap = self._connect()
        self._clients: dict[str, WireClient] = {}

    def _connect(self) -> WireClient:
        why = "it names no address"
        for address in self._bootstrap_servers.split(","):
            try:
                return WireClient(address.strip())
            except (OSError, ValueError) as error:
                why = str(error)
        raise ClusterUnreachableError(f"no broker at {self._bootstrap_servers}: {why}")

    def leaders(self, topic: str, *, is_new: bool = False) -> dict[int, str]:
        """Return the addresses of the partitions' leaders, once all have one; none: no such topic.

        A topic that is new may not be there yet.

        Raises:
            ClusterUnreachableError: it does not say, or not in time.

        """
        until = time.monotonic() + PATIENCE_S
        while time.monotonic() < until:
            answer = self._metadata(topic)
            found = answer.topics[0]
            is_unknown = found.error_code == ErrorCode.UNKNOWN_TOPIC_OR_PARTITION
            if is_unknown and not is_new:
                return {}
            if not is_unknown and not _is_waiting(found):
                brokers = {each.node_id: f"{each.host}:{each.port}" for each in answer.brokers}
                return {each.partition_index: brokers[each.leader_id] for each in found.partitions}
            time.sleep(_PAUSE_S)
        raise ClusterUnreachableError(f"{topic} has partitions without a leader")

    def create_topic(self, topic: str, partitions: int) -> None:
        """Create a topic with as many replicas as the cluster's default says.

        Raises:
            ClusterUnreachableError: it refuses, or does not answer.

        """
        request = CreateTopicsRequest(
            topics=[
                CreatableTopic(
                    name=topic, num_partitions=partitions, replication_factor=_BY_DEFAULT
                )
            ],
            timeout_ms=int(PATIENCE_S * 1000),
        )
        try:
            answer = self._controller().ask(request, _CREATE_TOPICS, CreateTopicsResponse)
        except OSError as error:
            raise self._silent(error) from None
        (result,) = answer.topics
        if result.error_code not in {ErrorCode.NONE, ErrorCode.TOPIC_ALREADY_EXISTS}:
            code = ErrorCode(result.error_code).name
            raise ClusterUnreachableError(
                f"topic {topic} is not created: {code}: {result.error_message or ''}".strip(": ")
            )

    def client(self, address: str) -> WireClient:
        """Return a connection to a broker, kept for later.

        Raises:
            OSError: nobody listens there.

        """
        if address not in self._clients:
            self._clients[address] = WireClient(address)
        return self._clients[address]

    def _controller(self) -> WireClient:
        answer = self._metadata(None)
        for broker in answer.brokers:
            if broker.node_id == answer.controller_id:
                return self.client(f"{broker.host}:{broker.port}")
        return self._bootstrap

    def _metadata(self, topic: str | None) -> MetadataResponse:
        topics = [] if topic is None else [MetadataRequestTopic(name=topic)]
        request = MetadataRequest(topics=topics, allow_auto_topic_creation=False)
        try:
            return self._bootstrap.ask(request, _METADATA, MetadataResponse)
        except OSError as error:
            raise self._silent(error) from None

    def _silent(self, error: OSError) -> ClusterUnreachableError:
        return ClusterUnreachableError(f"{self._bootstrap_servers} does not answer: {error}")

    def close(self) -> None:
        """Hang up."""
        for client in (self._bootstrap, *self._clients.values()):
            client.close()

    def __enter__(self) -> Self:
        """Give the cluster itself."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Hang up."""
        self.close()


def _is_waiting(topic: MetadataResponseTopic) -> bool:
    """Tell whether a topic has partitions without a leader, or none yet."""
    if topic.error_code in _NOT_YET or not topic.partitions:
        return True
    return any(partition.leader_id < 0 for partition in topic.partitions)
