"""DescribeCluster, DescribeTopicPartitions, FindCoordinator and InitProducerId."""

from mockbroker.protocol.api_keys import ApiKey
from mockbroker.protocol.messages.describe_cluster import DescribeClusterRequest
from mockbroker.protocol.messages.describe_topic_partitions import (
    Cursor,
    DescribeTopicPartitionsRequest,
    TopicRequest,
)
from mockbroker.protocol.messages.find_coordinator import (
    FindCoordinatorRequest,
    FindCoordinatorResponse,
)
from mockbroker.protocol.messages.init_producer_id import InitProducerIdRequest
from mockbroker.protocol.schema.message import Message
from tests.conformance.releases import CLASSIC, GENERATIONS, defaults_since
from tests.conformance.script import scenario
from tests.conformance.talk import Talk


@scenario(presets=defaults_since("2.8"))
def describe_cluster(talk: Talk) -> None:
    for version in talk.versions(ApiKey.DESCRIBE_CLUSTER):
        for operations in (False, True):
            request = DescribeClusterRequest(include_cluster_authorized_operations=operations)
            talk.ask(f"operations {operations}, v{version}", request, version)
        if version >= 1:
            for endpoint_type in (0, 2, 9):
                request = DescribeClusterRequest(endpoint_type=endpoint_type)
                talk.ask(f"endpoints of type {endpoint_type}, v{version}", request, version)
    newest = talk.latest(ApiKey.DESCRIBE_CLUSTER)
    if newest >= 2:
        talk.ask("fenced ones too", DescribeClusterRequest(include_fenced_brokers=True), newest)


def partitions_of(
    *names: str, limit: int = 2000, cursor: tuple[str, int] | None = None
) -> DescribeTopicPartitionsRequest:
    """Request a page of the partitions of topics."""
    return DescribeTopicPartitionsRequest(
        topics=[TopicRequest(name=name) for name in names],
        response_partition_limit=limit,
        cursor=None if cursor is None else Cursor(topic_name=cursor[0], partition_index=cursor[1]),
    )


@scenario(presets=defaults_since("3.9"))
def describe_topic_partitions(talk: Talk) -> None:
    for name in ("b", "a", "c"):
        talk.topic(name, partitions=3)
    for title, request in [
        ("one, unknown, bad", partitions_of("b", "missing", "bad name")),
        ("out of order, twice", partitions_of("b", "a", "b")),
        ("all", partitions_of()),
    ]:
        talk.ask(title, request, 0)
    for limit in (1, 2, 3, 4, 5, 9, 0, -1):
        talk.ask(f"limit {limit}", partitions_of("c", "b", "a", limit=limit), 0)
    for cursor in [("b", 1), ("b", 3), ("b", 99), ("zzz", 0), ("aa", 0), ("", 0), ("a", 0)]:
        talk.ask(f"from {cursor}", partitions_of("c", "b", "a", cursor=cursor), 0)
    talk.ask("before the first", partitions_of("c", "b", "a", cursor=("b", -1)), 0)
    talk.ask("from an unknown", partitions_of("missing", "a", cursor=("missing", 1)), 0)
    talk.ask("unknown within a limit", partitions_of("m", "n", "a", "bad name", limit=1), 0)
    talk.ask("all, from", partitions_of(cursor=("b", 1)), 0)
    talk.ask("all, from, limited", partitions_of(cursor=("b", 1), limit=2), 0)


@scenario(alone=True, presets=(*GENERATIONS, CLASSIC))
def find_coordinator(talk: Talk) -> None:
    def is_found(answer: Message) -> bool:
        assert isinstance(answer, FindCoordinatorResponse)
        errors = [answer.error_code, *(each.error_code for each in answer.coordinators)]
        return not any(errors)

    for version in talk.versions(ApiKey.FIND_COORDINATOR):
        for kind, title in [(0, "group"), (1, "transaction")]:
            if version == 0 and kind:
                continue
            request = FindCoordinatorRequest(key="g", key_type=kind, coordinator_keys=["g"])
            talk.until(f"{title}, v{version}", request, version, is_found)
    newest = talk.latest(ApiKey.FIND_COORDINATOR)
    several = FindCoordinatorRequest(key="h", coordinator_keys=["g", "h", "g", ""])
    talk.ask("several, and an empty one", several, newest)
    none = FindCoordinatorRequest(key="", coordinator_keys=[])
    talk.ask("none", none, newest)
    for kind in (2, 3, -1, 99):
        request = FindCoordinatorRequest(key="g", key_type=kind, coordinator_keys=["g"])
        talk.ask(f"type {kind}", request, newest)
    for version in talk.versions(ApiKey.FIND_COORDINATOR)[:4]:
        talk.ask(f"an empty group, v{version}", FindCoordinatorRequest(key=""), version)


@scenario()
def init_producer_id(talk: Talk) -> None:
    for version in talk.versions(ApiKey.INIT_PRODUCER_ID):
        request = InitProducerIdRequest(transactional_id=None, transaction_timeout_ms=60_000)
        talk.ask(f"new, v{version}", request, version)
        odd = InitProducerIdRequest(transactional_id=None, transaction_timeout_ms=-1)
        talk.ask(f"the timeout is not looked at, v{version}", odd, version)
        if version >= 3:
            for producer_id, producer_epoch in [(5, 3), (5, -1), (-1, 3), (-5, 3), (5, 32_767)]:
                again = InitProducerIdRequest(
                    transactional_id=None,
                    transaction_timeout_ms=60_000,
                    producer_id=producer_id,
                    producer_epoch=producer_epoch,
                )
                title = f"again with {producer_id}, {producer_epoch}, v{version}"
                talk.ask(title, again, version)
