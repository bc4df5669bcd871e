"""Members of share groups with their own connections to the brokers of a running cluster."""

from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from types import TracebackType
from typing import Final, Self

from mockbroker import Cluster
from mockbroker.protocol.errors import ErrorCode
from mockbroker.protocol.messages.find_coordinator import (
    FindCoordinatorRequest,
    FindCoordinatorResponse,
)
from mockbroker.protocol.messages.incremental_alter_configs import (
    AlterableConfig,
    AlterConfigsResource,
    IncrementalAlterConfigsRequest,
    IncrementalAlterConfigsResponse,
)
from mockbroker.protocol.messages.produce import ProduceResponse
from mockbroker.protocol.messages.share_acknowledge import (
    AcknowledgementBatch,
    AcknowledgePartition,
    AcknowledgeTopic,
    ShareAcknowledgeRequest,
    ShareAcknowledgeResponse,
)
from mockbroker.protocol.messages.share_fetch import (
    FetchPartition,
    FetchTopic,
    ShareFetchRequest,
    ShareFetchResponse,
)
from mockbroker.protocol.messages.share_group_heartbeat import (
    ShareGroupHeartbeatRequest,
    ShareGroupHeartbeatResponse,
)
from mockbroker.protocol.types import Uuid
from mockbroker.wire import WireClient
from tests.support.requests import batch_of, produce
from tests.support.wire import broker_client

SHARERS: Final = "sharers"
AT_ONCE: Final = {
    "group.share.assignment.interval.ms": "0",
    "share.coordinator.state.topic.num.partitions": "1",
}
EARLIEST: Final = {"share.auto.offset.reset": "earliest"}
DEAD_LETTERS: Final = "dlq.orders"
HAS_DEAD_LETTERS: Final = {**EARLIEST, "errors.deadletterqueue.topic.name": DEAD_LETTERS}
"""Configs of a group; `CREATES_DEAD_LETTERS` are those of its brokers."""
CREATES_DEAD_LETTERS: Final = {
    **AT_ONCE,
    "errors.deadletterqueue.auto.create.topics.enable": "true",
}
GROUP_RESOURCE: Final = 32
VERSION: Final = 2
ACCEPT: Final = 1
RELEASE: Final = 2
REJECT: Final = 3
RENEW: Final = 4
Acquired = tuple[int, int, int]
"""First offset, last offset, delivery count."""


class ShareMember:
    """A member of the group `sharers` that subscribes to `orders`."""

    def __init__(self, cluster: Cluster, member_id: str) -> None:
        """Know the group's coordinator."""
        self._cluster = cluster
        self._open = ExitStack()
        self._connections: dict[int, WireClient] = {}
        self._session_epochs: dict[int, int] = {}
        self.member_id = member_id
        self.epoch = 0
        self.assigned: list[int] = []
        request = FindCoordinatorRequest(key=SHARERS, key_type=0)
        self._client(1).ask(request, 3, FindCoordinatorResponse)

    def __enter__(self) -> Self:
        """Return the member; its connections close at the end."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Close the connections, and so end the sessions."""
        self._open.close()

    def reconnect(self) -> None:
        """Close the connections, and so end the sessions; the next request begins another one."""
        self._open.close()
        self._connections.clear()
        self._session_epochs.clear()

    # Membership

    def join(self) -> ErrorCode:
        """Join the group."""
        self.epoch = 0
        return self._beat(["orders"])

    def beat(self) -> ErrorCode:
        """Send a heartbeat; take the assignment, if there is one."""
        return self._beat(None)

    def leave(self) -> ErrorCode:
        """Leave the group."""
        self.epoch = -1
        return self._beat(None)

    def _beat(self, names: list[str] | None) -> ErrorCode:
        request = ShareGroupHeartbeatRequest(
            group_id=SHARERS,
            member_id=self.member_id,
            member_epoch=self.epoch,
            subscribed_topic_names=names,
        )
        client = self._client(self._cluster.coordinator_of(group=SHARERS))
        answer = client.ask(request, 1, ShareGroupHeartbeatResponse)
        code = ErrorCode(answer.error_code)
        if code is ErrorCode.NONE:
            self.epoch = answer.member_epoch
        if answer.assignment is not None:
            named = answer.assignment.topic_partitions
            self.assigned = sorted(index for each in named for index in each.partitions)
        return code

    # Records

    def fetch(
        self, partition: int = 0, *, records_max: int = 500, wait_ms: int = 2000
    ) -> list[Acquired]:
        """Acquire records of a partition."""
        answer = self.share_fetch(partition, records_max=records_max, wait_ms=wait_ms)
        assert answer.error_code == ErrorCode.NONE, ErrorCode(answer.error_code)
        return [
            (each.first_offset, each.last_offset, each.delivery_count)
            for topic in answer.responses
            for data in topic.partitions
            for each in data.acquired_records
        ]

    def share_fetch(
        self, *partitions: int, records_max: int = 500, wait_ms: int = 2000
    ) -> ShareFetchResponse:
        """Fetch from the leader of partitions, exactly the number of records."""
        broker_id = self._leader(partitions[0])
        request = ShareFetchRequest(
            group_id=SHARERS,
            member_id=self.member_id,
            share_session_epoch=self._session_epochs.get(broker_id, 0),
            max_wait_ms=wait_ms,
            min_bytes=1,
            max_bytes=1 << 20,
            max_records=records_max,
            batch_size=records_max,
            share_acquire_mode=1,
            topics=[
                FetchTopic(
                    topic_id=self.topic_id,
                    partitions=[FetchPartition(partition_index=each) for each in partitions],
                )
            ],
        )
        answer = self._client(broker_id).ask(request, VERSION, ShareFetchResponse)
        self._after(broker_id, answer.error_code)
        return answer

    def acknowledge(
        self, first: int, last: int, types: Sequence[int] = (ACCEPT,), *, partition: int = 0
    ) -> ErrorCode:
        """Acknowledge records of a partition."""
        broker_id = self._leader(partition)
        batch = AcknowledgementBatch(
            first_offset=first, last_offset=last, acknowledge_types=[*types]
        )
        data = AcknowledgePartition(partition_index=partition, acknowledgement_batches=[batch])
        request = ShareAcknowledgeRequest(
            group_id=SHARERS,
            member_id=self.member_id,
            share_session_epoch=self._session_epochs.get(broker_id, 0),
            is_renew_ack=RENEW in types,
            topics=[AcknowledgeTopic(topic_id=self.topic_id, partitions=[data])],
        )
        answer = self._client(broker_id).ask(request, VERSION, ShareAcknowledgeResponse)
        self._after(broker_id, answer.error_code)
        codes = [each.error_code for topic in answer.responses for each in topic.partitions]
        return ErrorCode(answer.error_code or (codes or [0])[0])

    def _after(self, broker_id: int, code: int) -> None:
        """Continue the session after an answer, or begin another one after an error."""
        known = self._session_epochs.get(broker_id, 0)
        self._session_epochs[broker_id] = 0 if code else known + 1

    @property
    def topic_id(self) -> Uuid:
        """The id of `orders`."""
        return self._cluster.look(lambda state, _: state.topics.by_name["orders"].topic_id)

    def _leader(self, partition: int) -> int:
        return self._cluster.partition("orders", partition).leader

    def _client(self, broker_id: int) -> WireClient:
        if broker_id not in self._connections:
            client = self._open.enter_context(broker_client(self._cluster, broker_id))
            self._connections[broker_id] = client
        return self._connections[broker_id]


def joined(cluster: Cluster, member_id: str = "a") -> ShareMember:
    """Return a member that has its share partitions."""
    member = ShareMember(cluster, member_id)
    for code in (member.join(), member.beat()):
        assert code is ErrorCode.NONE, code
    return member


def store(cluster: Cluster, count: int = 3, partition: int = 0) -> None:
    """Produce a batch of records."""
    request = produce("orders", partition, batch_of(*(b"value",) * count))
    with broker_client(cluster, cluster.partition("orders", partition).leader) as client:
        answer = client.ask(request, 7, ProduceResponse)
    assert answer.responses[0].partition_responses[0].error_code == ErrorCode.NONE


def set_up(cluster: Cluster, configs: Mapping[str, str] = EARLIEST) -> None:
    """Set configs of the group; by default it begins at the first record."""
    request = IncrementalAlterConfigsRequest(
        resources=[
            AlterConfigsResource(
                resource_type=GROUP_RESOURCE,
                resource_name=SHARERS,
                configs=[AlterableConfig(name=name, value=each) for name, each in configs.items()],
            )
        ]
    )
    with broker_client(cluster, 1) as client:
        answer = client.ask(request, 1, IncrementalAlterConfigsResponse)
    assert answer.responses[0].error_code == ErrorCode.NONE
