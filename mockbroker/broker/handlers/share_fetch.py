"""ShareFetch: acquire records for a member of a share group, now or when there are enough.

Acknowledgements come with it, and are handled first (KIP-932).

- v2: an exact number of records (KIP-1206), and renewals of acquisition locks (KIP-1222).
"""

from collections.abc import Iterable, Sequence
from typing import Final

from mockbroker.broker.call import Answer, Call
from mockbroker.broker.delayed import DelayedResponse
from mockbroker.broker.handlers.fetch import FETCH_MAX_BYTES
from mockbroker.broker.handlers.newer_groups import refuse
from mockbroker.broker.handlers.share_fetch_read import (
    Acquirable,
    ShareRead,
    available_bytes,
    read_and_acquire,
)
from mockbroker.broker.handlers.share_requests import (
    Acknowledged,
    Batches,
    acknowledge_all,
    as_batches,
    by_topic,
    check_names,
    member_of,
    name_leader,
    readable_partition,
    share_partitions,
)
from mockbroker.protocol.errors import ApiError, ErrorCode
from mockbroker.protocol.messages.share_fetch import (
    AcquiredRecords,
    LeaderIdAndEpoch,
    NodeEndpoint,
    PartitionData,
    ShareFetchableTopicResponse,
    ShareFetchRequest,
    ShareFetchResponse,
)
from mockbroker.state.share.acquisition import ShareFetchLimits
from mockbroker.state.share.record_state import ShareAcquireMode
from mockbroker.state.share.share_log_record import SharePartitionKey
from mockbroker.state.share.share_partitions import LedSharePartition
from mockbroker.state.share.share_session import (
    FINAL_EPOCH,
    FetchedRecords,
    MemberKey,
    PartitionId,
    ShareContext,
)
from mockbroker.state.topic.topic import Partition

SESSIONS_MAX: Final = "group.share.max.share.sessions"
Reads = dict[PartitionId, ShareRead]
Outcomes = dict[PartitionId, Acknowledged]


def share_fetch(request: ShareFetchRequest, call: Call) -> Answer:
    """Respond at `min_bytes`, if nothing can be fetched, or after `max_wait_ms`."""
    if not call.cluster.options.serves_share_groups:
        return refuse(request, call)
    try:
        member = member_of(request.group_id, request.member_id)
        _check_renewal(request)
        context = _context(request, call, member)
        check_names(call, (*context.unknown, *_named(request, call)))
    except ApiError as refusal:
        call.service.refusals.note("share_fetch_refused", refusal, client_id=call.client_id)
        refused = ShareFetchResponse(error_code=refusal.code)
        if refusal.code is not ErrorCode.SHARE_SESSION_LIMIT_REACHED:
            return refused
        # The client would otherwise try again at once.
        return DelayedResponse((), request.max_wait_ms, lambda _is_last: refused)
    outcomes: Outcomes = {}
    if _acknowledges(request, call):
        outcomes = acknowledge_all(
            call, member, _batches(request, call), is_renewal=request.is_renew_ack
        )
    fetch = _ShareFetch(request, call, member, context, outcomes)
    if request.is_renew_ack:
        return fetch.response({})
    return fetch.begin()


def _check_renewal(request: ShareFetchRequest) -> None:
    is_fetching = (
        request.max_bytes or request.min_bytes or request.max_records or request.max_wait_ms
    )
    if request.is_renew_ack and is_fetching:
        raise ApiError(ErrorCode.INVALID_REQUEST, "a renewal fetches nothing")


def _acknowledges(request: ShareFetchRequest, call: Call) -> bool:
    return any(
        partition.acknowledgement_batches
        for topic in call.paced(request.topics)
        for partition in call.paced(topic.partitions)
    )


def _batches(request: ShareFetchRequest, call: Call) -> Batches:
    return {
        (topic.topic_id, partition.partition_index): as_batches(partition.acknowledgement_batches)
        for topic in call.paced(request.topics)
        for partition in call.paced(topic.partitions)
    }


def _named(request: ShareFetchRequest, call: Call) -> list[PartitionId]:
    return [
        (topic.topic_id, partition.partition_index)
        for topic in call.paced(request.topics)
        for partition in call.paced(topic.partitions)
    ]


def _context(request: ShareFetchRequest, call: Call, member: MemberKey) -> ShareContext:
    by_id = call.cluster.topics.by_id
    named = _named(request, call)
    return share_partitions(call).sessions.fetch(
        member,
        request.share_session_epoch,
        named,
        unknown=[each for each in call.paced(named) if by_id(each[0]) is None],
        forgotten=[
            (topic.topic_id, index)
            for topic in call.paced(request.forgotten_topics_data)
            for index in topic.partitions
        ],
        acknowledges=_acknowledges(request, call),
        connection_id=call.connection_id,
        sessions_max=call.cluster.configs.broker_integer(SESSIONS_MAX, call.broker_id),
    )


class _ShareFetch:
    """A ShareFetch that may have to wait."""

    __slots__ = (
        "_call",
        "_context",
        "_known",
        "_member",
        "_opened",
        "_outcomes",
        "_refused",
        "_request",
    )

    def __init__(
        self,
        request: ShareFetchRequest,
        call: Call,
        member: MemberKey,
        context: ShareContext,
        outcomes: Outcomes,
    ) -> None:
        self._request: Final = request
        self._call: Final = call
        self._member: Final = member
        self._context: Final = context
        self._outcomes: Final = outcomes
        self._known: dict[PartitionId, LedSharePartition] = {}
        """The share partitions, in the order in which they are fetched."""
        self._opened: Final[set[PartitionId]] = set()
        """Those that this fetch began to load, and whose errors it therefore reports."""
        self._refused: Final[Reads] = {}

    def begin(self) -> ShareFetchResponse | DelayedResponse:
        """Respond at once if possible."""
        request = self._request
        found = self._find_partitions()
        if not found or not request.max_records or not request.max_bytes:
            return self.response(dict(self._refused))
        self._open(found)
        if not self._known:
            return self.response(dict(self._refused))
        response = self._attempt(request.max_wait_ms <= 0)
        if response is not None:
            return response
        watched = [each.partition for each in self._known.values()]
        return DelayedResponse(
            [*watched, *map(self._key, self._known)], request.max_wait_ms, self._attempt
        )

    def _find_partitions(self) -> dict[PartitionId, Partition]:
        found: dict[PartitionId, Partition] = {}
        for partition in self._call.paced(self._context.partitions):
            try:
                found[partition] = readable_partition(self._call, partition)
            except ApiError as refusal:
                is_gone = (
                    refusal.code is ErrorCode.UNKNOWN_TOPIC_ID
                    and partition not in self._context.unknown
                )
                code = ErrorCode.UNKNOWN_TOPIC_OR_PARTITION if is_gone else refusal.code
                self._refused[partition] = ShareRead(code)
        return _rotated(found, self._request.share_session_epoch)

    def _open(self, found: dict[PartitionId, Partition]) -> None:
        manager = share_partitions(self._call)
        for partition, each in self._call.paced(found.items()):
            key = self._key(partition)
            try:
                opened = manager.open(key, each)
            except ApiError as refusal:
                self._call.service.refusals.note(
                    "share_fetch_refused", refusal, partition=key.coordinator_key
                )
                self._refused[partition] = ShareRead(refusal.code)
                continue
            self._known[partition] = opened
            if not opened.attempts:
                self._opened.add(partition)

    def _key(self, partition: PartitionId) -> SharePartitionKey:
        return SharePartitionKey(self._member.group_id, *partition)

    def _attempt(self, is_last: bool) -> ShareFetchResponse | None:
        self._call.now_ms = self._call.service.read_clock()
        acquirable = self._acquirable()
        if is_last or (acquirable and self._has_enough(acquirable.values())):
            return self._respond(acquirable)
        return None

    def _acquirable(self) -> dict[PartitionId, Acquirable]:
        manager = share_partitions(self._call)
        settings = manager.settings(self._member.group_id)
        acquirable: dict[PartitionId, Acquirable] = {}
        for partition, each in self._call.paced(self._known.items()):
            share, key = each.share, self._key(partition)
            if each.refusal is not None and partition in self._opened:
                self._refused[partition] = ShareRead(each.refusal.code)
            if share is None or manager.find(key) is not each:
                # A leader elsewhere may have begun to deliver its records meanwhile.
                continue
            share.settings = settings
            if share.can_acquire_records:
                acquirable[partition] = Acquirable(key, each.partition, share)
        return acquirable

    @property
    def _max_bytes(self) -> int:
        limit = self._call.cluster.configs.broker_integer(FETCH_MAX_BYTES, self._call.broker_id)
        return min(self._request.max_bytes, limit)

    def _has_enough(self, acquirable: Iterable[Acquirable]) -> bool:
        known = list(acquirable)
        size_bytes = 0
        for each in known:
            try:
                size_bytes += available_bytes(self._call, each, self._max_bytes // len(known))
            except ApiError:
                return True
        return size_bytes >= min(self._request.min_bytes, self._max_bytes)

    def _respond(self, acquirable: dict[PartitionId, Acquirable]) -> ShareFetchResponse:
        reads: Reads = {}
        remaining = self._request.max_records
        for partition, each in self._call.paced(acquirable.items()):
            limits = ShareFetchLimits(
                self._member.member_id,
                remaining,
                self._request.batch_size,
                ShareAcquireMode(self._request.share_acquire_mode),
            )
            max_bytes = self._max_bytes // len(acquirable)
            read = reads[partition] = read_and_acquire(
                self._call, each, limits, max_bytes=max_bytes
            )
            remaining -= sum(last - first + 1 for first, last, _ in read.acquired)
        return self.response({**reads, **self._refused})

    def response(self, reads: Reads) -> ShareFetchResponse:
        """Return the response with what was read and acknowledged; end the session if asked to."""
        manager = share_partitions(self._call)
        fetched = {
            partition: FetchedRecords(read.size_bytes, read.error_code)
            for partition, read in reads.items()
        }
        try:
            listed = self._context.select(fetched)
        except ApiError as refusal:
            return ShareFetchResponse(error_code=refusal.code)
        settings = manager.settings(self._member.group_id)
        response = ShareFetchResponse(acquisition_lock_timeout_ms=settings.lock_duration_ms)
        partitions = dict.fromkeys([*listed, *self._outcomes])
        for topic_id, of_topic in by_topic(partitions).items():
            topic = ShareFetchableTopicResponse(topic_id=topic_id)
            for partition in self._call.paced(of_topic):
                topic.partitions.append(self._data(partition, reads, response))
            response.responses.append(topic)
        if self._request.share_session_epoch == FINAL_EPOCH:
            manager.release_session(self._member, self._call.now_ms)
        return response

    def _data(
        self, partition: PartitionId, reads: Reads, response: ShareFetchResponse
    ) -> PartitionData:
        read = reads.get(partition, ShareRead())
        outcome = self._outcomes.get(partition, Acknowledged())
        leader = LeaderIdAndEpoch()
        endpoint = name_leader(
            self._call, partition, read.error_code, leader, response.node_endpoints
        )
        if endpoint is not None:
            response.node_endpoints.append(
                NodeEndpoint(
                    node_id=endpoint.node_id,
                    host=endpoint.host,
                    port=endpoint.port,
                    rack=endpoint.rack,
                )
            )
        return PartitionData(
            partition_index=partition[1],
            error_code=read.error_code,
            acknowledge_error_code=outcome.error_code,
            acknowledge_error_message=outcome.error_message,
            current_leader=leader,
            records=read.records,
            acquired_records=[
                AcquiredRecords(first_offset=first, last_offset=last, delivery_count=count)
                for first, last, count in read.acquired
            ],
        )


def _rotated(
    partitions: dict[PartitionId, Partition], session_epoch: int
) -> dict[PartitionId, Partition]:
    """Begin with another partition in each epoch, so that none of them starves."""
    order: Sequence[PartitionId] = list(partitions)
    at = session_epoch % len(order) if session_epoch > 0 and order else 0
    return {each: partitions[each] for each in (*order[at:], *order[:at])}
