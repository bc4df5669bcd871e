"""Share sessions of a model client, one for each broker, and the requests that continue them."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Final, NamedTuple, TypeAlias

from mockbroker.protocol.messages import share_acknowledge, share_fetch
from mockbroker.protocol.messages.share_acknowledge import ShareAcknowledgeRequest
from mockbroker.protocol.messages.share_fetch import ShareFetchRequest
from mockbroker.protocol.types import Uuid
from mockbroker.state.share.record_state import AcknowledgeType

SHARE_GROUP: Final = "share group"
ENDS: Final = -1
"""The epoch of a request that ends its session."""

Record: TypeAlias = tuple[int, int]
"""Partition and offset."""
Acknowledgements: TypeAlias = Mapping[Record, AcknowledgeType]


class FetchLimits(NamedTuple):
    """What a ShareFetch asks for."""

    max_wait_ms: int
    max_bytes: int
    max_records: int
    batch_size: int
    share_acquire_mode: int


_NOTHING: Final = FetchLimits(0, 0, 0, 0, 0)
"""The limits of a fetch that renews locks."""


class _Session:
    def __init__(self) -> None:
        self.epoch = 0
        self.partitions: list[int] = []


class ShareSessions:
    """The sessions of one member."""

    def __init__(self, member_id: str, topic_id: Uuid) -> None:
        self._member_id = member_id
        self._topic_id = topic_id
        self._open: dict[int, _Session] = {}

    def has(self, broker_id: int) -> bool:
        """Return whether there is a session, without which nothing can be acknowledged."""
        return broker_id in self._open

    def drop(self, broker_id: int) -> None:
        """Forget a session; the next fetch begins another one."""
        self._open.pop(broker_id, None)

    def answered(self, broker_id: int, code: int) -> None:
        """Continue a session after a response, or forget it after an error."""
        if code:
            self.drop(broker_id)
        elif broker_id in self._open:
            self._open[broker_id].epoch += 1

    def fetch(
        self,
        broker_id: int,
        partitions: Sequence[int],
        acknowledgements: Acknowledgements,
        limits: FetchLimits,
    ) -> ShareFetchRequest:
        """Build a ShareFetch of partitions; it names those that the session does not have yet."""
        session = self._open.setdefault(broker_id, _Session())
        by_partition = _by_partition(acknowledgements)
        named = {*partitions}.difference(session.partitions).union(by_partition)
        forgotten = [each for each in session.partitions if each not in partitions]
        session.partitions = [*partitions]
        renews = AcknowledgeType.RENEW in acknowledgements.values()
        limits = _NOTHING if renews else limits
        request = ShareFetchRequest(
            group_id=SHARE_GROUP,
            member_id=self._member_id,
            share_session_epoch=session.epoch,
            min_bytes=0 if renews else 1,
            is_renew_ack=renews,
            **limits._asdict(),
        )
        request.topics = [
            share_fetch.FetchTopic(
                topic_id=self._topic_id,
                partitions=[
                    share_fetch.FetchPartition(
                        partition_index=index,
                        acknowledgement_batches=[
                            share_fetch.AcknowledgementBatch(
                                first_offset=first, last_offset=last, acknowledge_types=types
                            )
                            for first, last, types in by_partition.get(index, ())
                        ],
                    )
                    for index in sorted(named)
                ],
            )
        ]
        if forgotten:
            request.forgotten_topics_data = [
                share_fetch.ForgottenTopic(topic_id=self._topic_id, partitions=forgotten)
            ]
        return request

    def acknowledge(
        self, broker_id: int, acknowledgements: Acknowledgements, *, ends: bool
    ) -> ShareAcknowledgeRequest:
        """Build a ShareAcknowledge in a session, which may end with it."""
        partitions = [
            share_acknowledge.AcknowledgePartition(
                partition_index=index,
                acknowledgement_batches=[
                    share_acknowledge.AcknowledgementBatch(
                        first_offset=first, last_offset=last, acknowledge_types=types
                    )
                    for first, last, types in batches
                ],
            )
            for index, batches in _by_partition(acknowledgements).items()
        ]
        topic = share_acknowledge.AcknowledgeTopic(topic_id=self._topic_id, partitions=partitions)
        return ShareAcknowledgeRequest(
            group_id=SHARE_GROUP,
            member_id=self._member_id,
            share_session_epoch=ENDS if ends else self._open[broker_id].epoch,
            is_renew_ack=AcknowledgeType.RENEW in acknowledgements.values(),
            topics=[topic] if partitions else [],
        )


_Batch: TypeAlias = tuple[int, int, list[int]]
"""First offset, last offset, types."""


def _by_partition(acknowledgements: Acknowledgements) -> dict[int, list[_Batch]]:
    """Join consecutive offsets; those that have one type are acknowledged by one."""
    joined: dict[int, list[_Batch]] = {}
    for (index, offset), kind in sorted(acknowledgements.items()):
        batches = joined.setdefault(index, [])
        if batches and batches[-1][1] == offset - 1:
            first, _, types = batches.pop()
            batches.append((first, offset, [*types, kind]))
        else:
            batches.append((offset, offset, [kind]))
    return {index: list(map(_shortened, batches)) for index, batches in joined.items()}


def _shortened(batch: _Batch) -> _Batch:
    first, last, types = batch
    return first, last, types[:1] if len(set(types)) == 1 else types


def offsets_of(ranges: Iterable[share_fetch.AcquiredRecords]) -> Iterable[int]:
    """Yield each acquired offset."""
    for each in ranges:
        yield from range(each.first_offset, each.last_offset + 1)
