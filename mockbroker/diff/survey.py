"""Survey of a foreign broker: its versions, its configs, and what is on it."""

from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Final, NamedTuple, TypeVar

from mockbroker.protocol.api_keys import ApiKey
from mockbroker.protocol.errors import DecodeError
from mockbroker.protocol.messages.api_versions import ApiVersionsRequest, ApiVersionsResponse
from mockbroker.protocol.messages.describe_configs import (
    DescribeConfigsRequest,
    DescribeConfigsResource,
    DescribeConfigsResponse,
)
from mockbroker.protocol.messages.list_groups import ListGroupsRequest, ListGroupsResponse
from mockbroker.protocol.messages.list_transactions import (
    ListTransactionsRequest,
    ListTransactionsResponse,
)
from mockbroker.protocol.messages.metadata import MetadataRequest, MetadataResponse
from mockbroker.protocol.schema.message import Message
from mockbroker.wire import WireClient

MessageT = TypeVar("MessageT", bound=Message)

INTERNAL_TOPICS: Final = frozenset({"__consumer_offsets", "__transaction_state"})
_BROKER: Final = 4
"""The type of the resource that has a broker's configs."""


class NoBrokerError(Exception):
    """Nobody speaks Kafka's protocol at an address, or it is no cluster of one broker."""


class Asker:
    """Connection whose requests have versions that the broker serves."""

    def __init__(self, client: WireClient, served: Mapping[int, range]) -> None:
        """Take a connection, and the versions by API key."""
        self._client = client
        self._served = served

    def ask(self, request: Message, kind: type[MessageT], version: int) -> MessageT | None:
        """Return the answer in the nearest served version; None if there is no answer.

        Raises:
            OSError: the broker is gone.

        """
        assert request.API is not None
        versions = self._served.get(ApiKey(request.API), range(0))
        if not versions:
            return None
        nearest = min(max(version, versions[0]), versions[-1])
        try:
            return self._client.ask(request, nearest, kind)
        except DecodeError:
            return None


@dataclass(frozen=True, slots=True, kw_only=True)
class BrokerFacts:
    """Facts about a foreign broker."""

    address: tuple[str, int]
    broker: int
    host: str
    port: int
    """The address that the broker advertises."""
    served: Mapping[int, range]
    """The versions that it advertises, by API key."""
    configs: Mapping[str, str | None] | None
    """Its configs; None if it does not describe them."""
    has_internal_topics: bool = False


class Names(NamedTuple):
    """What is on a broker."""

    topics: Sequence[str]
    groups: Sequence[str]
    transactions: Sequence[str]


def survey(address: tuple[str, int], timeout_s: float) -> BrokerFacts:
    """Ask a broker for its versions, its cluster and its configs.

    Raises:
        NoBrokerError: there is no broker, or the cluster has several.

    """
    place = _written(address)
    try:
        client = WireClient(place, timeout_s=timeout_s)
    except OSError as error:
        raise NoBrokerError(f"nobody listens at {place}: {error.strerror or error}") from None
    try:
        return _facts(client, address)
    except (OSError, DecodeError) as error:
        why = str(error) or type(error).__name__
        raise NoBrokerError(f"{place} does not speak Kafka's protocol: {why}") from None
    finally:
        client.close()


def _facts(client: WireClient, address: tuple[str, int]) -> BrokerFacts:
    versions = client.ask(ApiVersionsRequest(), 0, ApiVersionsResponse)
    served = {
        each.api_key: range(each.min_version, each.max_version + 1) for each in versions.api_keys
    }
    asker = Asker(client, served)
    metadata = asker.ask(MetadataRequest(topics=[]), MetadataResponse, 1)
    count = 0 if metadata is None else len(metadata.brokers)
    if metadata is None or count != 1:
        raise NoBrokerError(
            f"the cluster at {_written(address)} has {count} brokers; conversations need one"
        )
    (broker,) = metadata.brokers
    return BrokerFacts(
        address=address,
        broker=broker.node_id,
        host=broker.host,
        port=broker.port,
        served=served,
        configs=_configs(asker, broker.node_id),
        has_internal_topics=any(name in INTERNAL_TOPICS for name in all_names(asker).topics),
    )


def _configs(asker: Asker, broker: int) -> dict[str, str | None] | None:
    resource = DescribeConfigsResource(
        resource_type=_BROKER, resource_name=str(broker), configuration_keys=None
    )
    answer = asker.ask(DescribeConfigsRequest(resources=[resource]), DescribeConfigsResponse, 1)
    if answer is None or not answer.results or answer.results[0].error_code:
        return None
    return {each.name: each.value for each in answer.results[0].configs}


@contextmanager
def asking(facts: BrokerFacts, timeout_s: float) -> Generator[Asker]:
    """Connect for some questions."""
    with WireClient(_written(facts.address), timeout_s=timeout_s) as client:
        yield Asker(client, facts.served)


def all_names(asker: Asker) -> Names:
    """List all topics, groups and transactions."""
    topics = asker.ask(MetadataRequest(topics=None), MetadataResponse, 1)
    groups = asker.ask(ListGroupsRequest(), ListGroupsResponse, 0)
    transactions = asker.ask(ListTransactionsRequest(), ListTransactionsResponse, 0)
    return Names(
        topics=[each.name or "" for each in topics.topics] if topics else [],
        groups=[each.group_id for each in groups.groups] if groups else [],
        transactions=[each.transactional_id for each in transactions.transaction_states]
        if transactions
        else [],
    )


def _written(address: tuple[str, int]) -> str:
    host, port = address
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
