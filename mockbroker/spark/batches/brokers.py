"""The brokers of any cluster from 0.11 on: who leads what, where logs begin and end, their bytes.

Questions are asked again, after a look at the metadata, while it is a matter of time: a leader that
moves, a broker that goes or comes. What then remains is an error in words.
"""

import time
from collections.abc import Callable, Mapping
from types import TracebackType
from typing import Final, NamedTuple, Self, TypeVar
from uuid import UUID

from mockbroker.protocol.api_keys import ApiKey
from mockbroker.protocol.errors import ErrorCode
from mockbroker.protocol.messages.fetch import (
    FetchPartition,
    FetchRequest,
    FetchResponse,
    FetchTopic,
    PartitionData,
)
from mockbroker.protocol.messages.list_offsets import (
    ListOffsetsPartition,
    ListOffsetsRequest,
    ListOffsetsResponse,
    ListOffsetsTopic,
)
from mockbroker.protocol.messages.metadata import (
    MetadataRequest,
    MetadataRequestTopic,
    MetadataResponse,
)
from mockbroker.protocol.types import ZERO_UUID
from mockbroker.spark.batches.batches_error import KafkaBatchesError
from mockbroker.wire.client import WireClient

LATEST: Final = -1
EARLIEST: Final = -2

_SPOKEN: Final[Mapping[ApiKey, range]] = {
    ApiKey.METADATA: range(4, 13),  # from 4 on it need not create what it is asked about
    ApiKey.LIST_OFFSETS: range(2, 8),
    ApiKey.FETCH: range(5, 17),  # from 13 on a topic that was made anew is another one
}
"""The versions that we speak; the newest that the broker has, too, is used."""
_BY_TOPIC_ID: Final = 13
_PAUSE_S: Final = 0.1
_PATIENCE_FOR_TOPIC_S: Final = 2.0
"""How long a topic may be unknown that was perhaps just made."""
_FETCH_BYTES_MAX: Final = 16 << 20
_FETCH_WAIT_MS: Final = 500
_CONSUMER: Final = -1
_READ_UNCOMMITTED: Final = 0
_READ_COMMITTED: Final = 1
_ANSWER_S: Final = 10.0
"""How long a broker may take to answer; it holds a Fetch for `_FETCH_WAIT_MS` at most."""
_GONE: Final = frozenset(
    {
        ErrorCode.UNKNOWN_TOPIC_OR_PARTITION,
        ErrorCode.UNKNOWN_TOPIC_ID,
        ErrorCode.INCONSISTENT_TOPIC_ID,
    }
)

AnswerT = TypeVar("AnswerT")


class TopicView(NamedTuple):
    """A topic as the metadata shows it."""

    name: str
    topic_id: UUID
    """`ZERO_UUID` before 2.8."""
    leaders: Mapping[int, int]
    """Broker ids by partition, ascending; -1 while a partition has no leader."""


class Place(NamedTuple):
    """One partition of one topic, which is that topic and not another one of its name."""

    topic: str
    partition: int
    topic_id: UUID = ZERO_UUID

    def __str__(self) -> str:
        """Write it as Kafka does."""
        return f"{self.topic}-{self.partition}"


class Fetched(NamedTuple):
    """What a leader answered to a Fetch of one partition."""

    data: PartitionData
    throttle_ms: int


class _Asked(NamedTuple):
    place: Place
    offset: int
    client: WireClient
    version: int


class _NotYetError(Exception):
    """An answer that may be another one in a moment."""


class Brokers:
    """Connections to the brokers of one cluster, from one thread; a context manager."""

    def __init__(
        self, bootstrap_servers: str, *, patience_s: float = 30.0, is_committed: bool = False
    ) -> None:
        """Take addresses such as `127.0.0.1:9092,127.0.0.1:9093`; nobody is called yet.

        With `is_committed`, fetches are those of readers of committed records: they end at the last
        stable offset, and their answers say which transactions were aborted.

        Raises:
            KafkaBatchesError: these are no addresses.

        """
        self._bootstrap = [_address(each) for each in bootstrap_servers.split(",") if each.strip()]
        if not self._bootstrap:
            raise KafkaBatchesError("kafka.bootstrap.servers is empty")
        self._patience_s = patience_s
        self._isolation_level = _READ_COMMITTED if is_committed else _READ_UNCOMMITTED
        self._addresses: dict[int, str] = {}
        self._clients: dict[str, WireClient] = {}
        self._topics: dict[str, TopicView] = {}
        self._unknown_since_s: dict[str, float] = {}
        self._ahead: _Asked | None = None

    def topic(self, name: str) -> TopicView:
        """Return a topic as it is now.

        Raises:
            KafkaBatchesError: there is none of this name, or no broker answers.

        """
        return self._patiently(lambda: self._look(name, "does not exist"))

    def offset(self, place: Place, timestamp: int, *, is_committed: bool = False) -> int:
        """Return where a log begins (`EARLIEST`), or where reading ends (`LATEST`).

        With `is_committed`, reading of committed records: it ends at the last stable offset.

        Raises:
            KafkaBatchesError: the topic is gone, or nobody answers for the partition.

        """

        def ask() -> int:
            client = self._leader(place)
            version = _version(client, ApiKey.LIST_OFFSETS)
            wanted = ListOffsetsPartition(partition_index=place.partition, timestamp=timestamp)
            topic = ListOffsetsTopic(name=place.topic, partitions=[wanted])
            request = ListOffsetsRequest(
                replica_id=_CONSUMER, isolation_level=int(is_committed), topics=[topic]
            )
            (answer,) = client.ask(request, version, ListOffsetsResponse).topics[0].partitions
            self._judge(place, ErrorCode(answer.error_code))
            return answer.offset

        return self._patiently(ask)

    def fetch(self, place: Place, offset: int) -> Fetched:
        """Return what a partition's leader has from an offset on; OFFSET_OUT_OF_RANGE is passed on.

        Raises:
            KafkaBatchesError: the topic is gone, or nobody answers for the partition.

        """

        def ask() -> Fetched:
            asked, self._ahead = self._ahead, None
            if asked is None:
                asked = self._ask_for(place, offset)
            assert (asked.place, asked.offset) == (place, offset), asked
            answer = asked.client.receive(asked.version, FetchResponse)
            self._judge(place, ErrorCode(answer.error_code))
            (data,) = answer.responses[0].partitions
            if data.error_code != ErrorCode.OFFSET_OUT_OF_RANGE:
                self._judge(place, ErrorCode(data.error_code))
            return Fetched(data, answer.throttle_time_ms)

        return self._patiently(ask)

    def fetch_ahead(self, place: Place, offset: int) -> None:
        """Ask for what the next `fetch` must be about: the leader reads while we go on."""
        try:
            self._ahead = self._ask_for(place, offset)
        except (OSError, _NotYetError):
            self._forget()  # the next `fetch` asks by itself, with patience

    def close(self) -> None:
        """Hang up on all brokers."""
        self._forget()

    def __enter__(self) -> Self:
        """Give the brokers themselves."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Hang up."""
        self.close()

    def _ask_for(self, place: Place, offset: int) -> _Asked:
        client = self._leader(place)
        version = _version(client, ApiKey.FETCH)
        if place.topic_id == ZERO_UUID:
            version = min(version, _BY_TOPIC_ID - 1)
        wanted = FetchPartition(
            partition=place.partition, fetch_offset=offset, partition_max_bytes=_FETCH_BYTES_MAX
        )
        topic = FetchTopic(topic=place.topic, topic_id=place.topic_id, partitions=[wanted])
        request = FetchRequest(
            max_wait_ms=_FETCH_WAIT_MS,
            min_bytes=1,
            max_bytes=_FETCH_BYTES_MAX,
            isolation_level=self._isolation_level,
            topics=[topic],
        )
        client.send(request, version)
        return _Asked(place, offset, client, version)

    def _leader(self, place: Place) -> WireClient:
        """Return a connection to who leads the partition of this very topic."""
        view = self._topics.get(place.topic) or self._look(place.topic, "was deleted")
        if ZERO_UUID not in {place.topic_id, view.topic_id} and place.topic_id != view.topic_id:
            raise KafkaBatchesError(
                f"topic {place.topic} was deleted, and another one has its name"
            )
        leader_id = view.leaders.get(place.partition)
        if leader_id is None:
            raise KafkaBatchesError(f"topic {place.topic} has no partition {place.partition}")
        address = self._addresses.get(leader_id)
        if address is None:
            raise _NotYetError(f"{place} has no leader")
        return self._client(address)

    def _look(self, name: str, if_unknown: str) -> TopicView:
        request = MetadataRequest(
            topics=[MetadataRequestTopic(name=name)], allow_auto_topic_creation=False
        )
        answer = self._asked_of_any(request)
        self._addresses = {each.node_id: f"{each.host}:{each.port}" for each in answer.brokers}
        (found,) = answer.topics
        code = ErrorCode(found.error_code)
        if code in _GONE:
            since_s = self._unknown_since_s.setdefault(name, time.monotonic())
            if time.monotonic() - since_s > _PATIENCE_FOR_TOPIC_S:
                raise KafkaBatchesError(f"topic {name} {if_unknown}")
        if code is not ErrorCode.NONE:
            if not (code.is_retriable or code in _GONE):
                raise KafkaBatchesError(f"topic {name}: {code.name}")
            raise _NotYetError(f"topic {name}: {code.name}")
        self._unknown_since_s.pop(name, None)
        leaders = {each.partition_index: each.leader_id for each in found.partitions}
        view = TopicView(name, found.topic_id, dict(sorted(leaders.items())))
        self._topics[name] = view
        return view

    def _asked_of_any(self, request: MetadataRequest) -> MetadataResponse:
        """Ask whoever answers first; a cluster that has never answered is not waited for."""
        refused: list[str] = []
        for address in dict.fromkeys([*self._addresses.values(), *self._bootstrap]):
            try:
                client = self._client(address)
                return client.ask(request, _version(client, ApiKey.METADATA), MetadataResponse)
            except OSError as error:
                refused.append(f"{address}: {_why(error)}")
                self._drop(address)
        why = f"no broker answers at {'; '.join(refused)}"
        if not self._addresses:
            raise KafkaBatchesError(why)
        raise _NotYetError(why)

    def _client(self, address: str) -> WireClient:
        if address not in self._clients:
            self._clients[address] = WireClient(address, timeout_s=_ANSWER_S)
        return self._clients[address]

    def _judge(self, place: Place, code: ErrorCode) -> None:
        if code is ErrorCode.NONE:
            return
        self._topics.pop(place.topic, None)
        if code.is_retriable or code in _GONE:
            raise _NotYetError(f"{place}: {code.name}")
        raise KafkaBatchesError(f"{place}: {code.name}")

    def _patiently(self, ask: Callable[[], AnswerT]) -> AnswerT:
        """Ask until there is an answer, or no patience left."""
        deadline_s = time.monotonic() + self._patience_s
        while True:
            try:
                return ask()
            except OSError as error:
                why = _why(error)
                self._forget()
            except _NotYetError as error:
                why = str(error)
                self._topics.clear()
            if time.monotonic() > deadline_s:
                raise KafkaBatchesError(f"{why} (for {self._patience_s:.0f} s)")
            time.sleep(_PAUSE_S)

    def _drop(self, address: str) -> None:
        client = self._clients.pop(address, None)
        if client is not None:
            client.close()

    def _forget(self) -> None:
        """Begin anew: with connections on which no answer is under way, and fresh metadata."""
        self._ahead = None
        self._topics.clear()
        for address in list(self._clients):
            self._drop(address)


def _version(client: WireClient, api_key: ApiKey) -> int:
    """Return the newest version that both speak.

    Raises:
        KafkaBatchesError: there is none: the broker is older than 0.11.

    """
    spoken, served = _SPOKEN[api_key], client.versions(api_key)
    newest = min(spoken.stop, served.stop) - 1
    if newest < max(spoken.start, served.start):
        raise KafkaBatchesError(
            f"a broker that serves {api_key.title} {served.start} to {served.stop - 1} is not "
            "spoken to: Kafka 0.11 or newer is needed"
        )
    return newest


def _why(error: OSError) -> str:
    return error.strerror or str(error) or type(error).__name__


def _address(text: str) -> str:
    """Check that it is `host:port`; a listener's name in front is left out."""
    address = text.strip().rpartition("://")[2]
    host, _, port = address.rpartition(":")
    if not host or not port.isdecimal():
        raise KafkaBatchesError(f"kafka.bootstrap.servers: {text.strip()!r} is not host:port")
    return address
