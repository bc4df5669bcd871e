"""Short forms of transactional requests, and producers that send them in order."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

from mockbroker.protocol.api_keys import ApiKey
from mockbroker.protocol.errors import ErrorCode
from mockbroker.protocol.messages.add_offsets_to_txn import AddOffsetsToTxnRequest
from mockbroker.protocol.messages.add_partitions_to_txn import (
    AddPartitionsToTxnRequest,
    AddPartitionsToTxnTopic,
    AddPartitionsToTxnTransaction,
)
from mockbroker.protocol.messages.describe_transactions import DescribeTransactionsRequest
from mockbroker.protocol.messages.end_txn import EndTxnRequest, EndTxnResponse
from mockbroker.protocol.messages.find_coordinator import FindCoordinatorRequest
from mockbroker.protocol.messages.init_producer_id import (
    InitProducerIdRequest,
    InitProducerIdResponse,
)
from mockbroker.protocol.messages.list_offsets import ListOffsetsResponse
from mockbroker.protocol.messages.txn_offset_commit import (
    TxnOffsetCommitRequest,
    TxnOffsetCommitRequestPartition,
    TxnOffsetCommitRequestTopic,
)
from mockbroker.protocol.schema.message import Message
from tests.conformance.answers import error_codes
from tests.conformance.batches import TRANSACTIONAL, Item, Producer, batch
from tests.conformance.releases import Release
from tests.conformance.requests import list_offsets, produce
from tests.conformance.talk import Talk
from tests.conformance.wire import Answer

NOBODY: Final = Producer(-1, -1, -1)
MADE_UP_ID: Final = 1_000_000
Part = tuple[str, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class Style:
    """Versions that clients of one release use together."""

    name: str
    produce: int
    init_producer_id: int
    add_partitions: int
    add_offsets: int
    end_txn: int
    offset_commit: int

    @property
    def bumps(self) -> bool:
        """True if the broker adds partitions and bumps epochs by itself (KIP-890, part 2)."""
        return self.end_txn >= 5


FIRST: Final = Style(
    name="first",
    produce=3,
    init_producer_id=0,
    add_partitions=0,
    add_offsets=0,
    end_txn=0,
    offset_commit=0,
)
"""Versions of clients of 0.11."""
OLD: Final = Style(
    name="old",
    produce=10,
    init_producer_id=4,
    add_partitions=3,
    add_offsets=3,
    end_txn=3,
    offset_commit=3,
)
"""Versions of clients before KIP-890, as far as a release supports them."""
ABORTABLE: Final = Style(
    name="abortable",
    produce=11,
    init_producer_id=5,
    add_partitions=3,
    add_offsets=4,
    end_txn=4,
    offset_commit=4,
)
"""Versions of clients that support TRANSACTION_ABORTABLE (KIP-890, part 1)."""
BUMPING: Final = Style(
    name="bumping",
    produce=13,
    init_producer_id=5,
    add_partitions=3,
    add_offsets=4,
    end_txn=5,
    offset_commit=5,
)
"""Versions of clients if transaction.version is 2 (KIP-890, part 2)."""


def styles(release: Release) -> Iterator[Style]:
    """Return the styles that a release supports."""
    newest = {api: versions[-1] for api, versions in release.versions.items()}
    if newest[ApiKey.END_TXN] == 0:
        yield replace(FIRST, produce=newest[ApiKey.PRODUCE])
        return
    yield replace(
        OLD,
        produce=min(OLD.produce, newest[ApiKey.PRODUCE]),
        init_producer_id=min(OLD.init_producer_id, newest[ApiKey.INIT_PRODUCER_ID]),
        add_partitions=min(OLD.add_partitions, newest[ApiKey.ADD_PARTITIONS_TO_TXN]),
        add_offsets=min(OLD.add_offsets, newest[ApiKey.ADD_OFFSETS_TO_TXN]),
        end_txn=min(OLD.end_txn, newest[ApiKey.END_TXN]),
        offset_commit=min(OLD.offset_commit, newest[ApiKey.TXN_OFFSET_COMMIT]),
    )
    if newest[ApiKey.END_TXN] >= ABORTABLE.end_txn:
        yield ABORTABLE
    if newest[ApiKey.END_TXN] >= BUMPING.end_txn and release.name != "4.4-tv0":
        yield BUMPING


def init_producer_id(
    transactional_id: str | None, producer: Producer = NOBODY, *, timeout_ms: int = 60_000
) -> InitProducerIdRequest:
    """Request a producer id, or a bump of a producer's epoch."""
    return InitProducerIdRequest(
        transactional_id=transactional_id,
        transaction_timeout_ms=timeout_ms,
        producer_id=producer.producer_id,
        producer_epoch=producer.producer_epoch,
    )


def transaction_of(
    transactional_id: str, producer: Producer, *parts: Part, verify_only: bool = False
) -> AddPartitionsToTxnTransaction:
    """Build one transaction of an AddPartitionsToTxn with several."""
    return AddPartitionsToTxnTransaction(
        transactional_id=transactional_id,
        producer_id=producer.producer_id,
        producer_epoch=producer.producer_epoch,
        verify_only=verify_only,
        topics=_topics(parts),
    )


def add_partitions(
    transactional_id: str, producer: Producer, *parts: Part, verify_only: bool = False
) -> AddPartitionsToTxnRequest:
    """Add partitions to one transaction, in any version."""
    return AddPartitionsToTxnRequest(
        transactions=[transaction_of(transactional_id, producer, *parts, verify_only=verify_only)],
        v3_and_below_transactional_id=transactional_id,
        v3_and_below_producer_id=producer.producer_id,
        v3_and_below_producer_epoch=producer.producer_epoch,
        v3_and_below_topics=_topics(parts),
    )


def _topics(parts: Sequence[Part]) -> list[AddPartitionsToTxnTopic]:
    topics: dict[str, AddPartitionsToTxnTopic] = {}
    for name, index in parts:
        topics.setdefault(name, AddPartitionsToTxnTopic(name=name)).partitions.append(index)
    return list(topics.values())


def add_offsets(transactional_id: str, producer: Producer, group: str) -> AddOffsetsToTxnRequest:
    """Add a group's offsets to a transaction."""
    return AddOffsetsToTxnRequest(
        transactional_id=transactional_id,
        producer_id=producer.producer_id,
        producer_epoch=producer.producer_epoch,
        group_id=group,
    )


def end_txn(transactional_id: str, producer: Producer, *, committed: bool) -> EndTxnRequest:
    """End a transaction."""
    return EndTxnRequest(
        transactional_id=transactional_id,
        producer_id=producer.producer_id,
        producer_epoch=producer.producer_epoch,
        committed=committed,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Member:
    """Committer of offsets in a group."""

    group: str
    generation: int = -1
    member_id: str = ""


def offset_commit(
    talk: Talk,
    transactional_id: str,
    producer: Producer,
    member: Member,
    *offsets: tuple[str, int, int],
) -> TxnOffsetCommitRequest:
    """Build a TxnOffsetCommit, with offsets as (topic, partition, offset)."""
    topics: dict[str, TxnOffsetCommitRequestTopic] = {}
    for name, index, offset in offsets:
        topics.setdefault(
            name, TxnOffsetCommitRequestTopic(name=name, topic_id=talk.id_of(name))
        ).partitions.append(
            TxnOffsetCommitRequestPartition(
                partition_index=index, committed_offset=offset, committed_metadata="m"
            )
        )
    return TxnOffsetCommitRequest(
        transactional_id=transactional_id,
        group_id=member.group,
        producer_id=producer.producer_id,
        producer_epoch=producer.producer_epoch,
        generation_id_or_member_epoch=member.generation,
        member_id=member.member_id,
        topics=list(topics.values()),
    )


def await_coordinator(talk: Talk, key: str, key_type: int = 1) -> None:
    """Wait until there is a coordinator; the first lookup creates its topic."""
    newest = talk.latest(ApiKey.FIND_COORDINATOR)
    request = FindCoordinatorRequest(key=key, key_type=key_type, coordinator_keys=[key])
    talk.until_quietly(request, newest, is_accepted)


def is_accepted(answer: Message) -> bool:
    """Return whether a response has no error at any level."""
    return all(code == ErrorCode.NONE for code in error_codes(answer))


def await_stable(talk: Talk, *parts: Part) -> None:
    """Wait until all markers of ended transactions are written."""
    for name, index in parts:
        every = talk.expect(ListOffsetsResponse, talk.quietly(list_offsets((name, index, -1)), 2))
        end = every.topics[0].partitions[0].offset

        def is_stable(answer: Message, end: int = end) -> bool:
            assert isinstance(answer, ListOffsetsResponse)
            return answer.topics[0].partitions[0].offset >= end

        talk.until_quietly(list_offsets((name, index, -1), isolation_level=1), 2, is_stable)


class Transactor:
    """A transactional producer. Requests with a title are steps; others have to succeed."""

    def __init__(self, talk: Talk, transactional_id: str, style: Style) -> None:
        """Create a producer without an id."""
        self.talk = talk
        self.style = style
        self.transactional_id = transactional_id
        self.producer = NOBODY
        self.timeout_ms = 10_000
        """The timeout of its writes."""
        self._sequences: dict[Part, int] = {}

    def send(self, title: str | None, request: Message, version: int) -> Answer:
        """Send any request: as a step, or with success required."""
        if title is not None:
            return self.talk.ask_patiently(title, request, version)
        before = len(self.talk.steps)
        answer = self.talk.ask_patiently("", request, version)
        shown = self.talk.steps.pop()
        assert len(self.talk.steps) == before
        assert isinstance(answer, Message), shown
        assert is_accepted(answer), shown
        return answer

    def init(
        self, title: str | None = None, producer: Producer = NOBODY, *, timeout_ms: int = 60_000
    ) -> Producer:
        """Get a producer id and an epoch; the sequences start again."""
        if self.producer == NOBODY:
            await_coordinator(self.talk, self.transactional_id)
        request = init_producer_id(self.transactional_id, producer, timeout_ms=timeout_ms)
        answer = self.send(title, request, self.style.init_producer_id)
        if isinstance(answer, InitProducerIdResponse) and answer.producer_id >= 0:
            self._become(answer.producer_id, answer.producer_epoch)
        return self.producer

    def _become(self, producer_id: int, producer_epoch: int) -> None:
        self.producer = Producer(producer_id, producer_epoch)
        self._sequences.clear()

    def add(self, title: str | None, *parts: Part) -> None:
        """Add partitions, if clients of this style do so."""
        if not self.style.bumps:
            request = add_partitions(self.transactional_id, self.producer, *parts)
            self.send(title, request, self.style.add_partitions)

    def batch(
        self,
        *values: bytes,
        base_sequence: int = 0,
        producer: Producer | None = None,
        attributes: int = TRANSACTIONAL,
    ) -> bytes:
        """Build a batch of this producer, transactional or not."""
        who = replace(producer or self.producer, base_sequence=base_sequence)
        items = [Item(value=value) for value in values]
        return batch(*items, at_ms=self.talk.at(0), attributes=attributes, producer=who)

    def write(
        self,
        title: str | None,
        part: Part,
        *values: bytes,
        base_sequence: int | None = None,
        producer: Producer | None = None,
    ) -> None:
        """Write values to a partition, by default with the next sequence."""
        first = self._sequences.get(part, 0) if base_sequence is None else base_sequence
        data = self.batch(*values, base_sequence=first, producer=producer)
        if base_sequence is None and producer is None:
            self._sequences[part] = first + len(values)
        request = produce(
            self.talk,
            (*part, data),
            transactional_id=self.transactional_id,
            timeout_ms=self.timeout_ms,
        )
        self.send(title, request, self.style.produce)

    def end(
        self, title: str | None, *, committed: bool, producer: Producer | None = None
    ) -> Answer:
        """Commit or abort, and use the epoch of the response."""
        request = end_txn(self.transactional_id, producer or self.producer, committed=committed)
        answer = self.send(title, request, self.style.end_txn)
        if (
            producer is None
            and isinstance(answer, EndTxnResponse)
            and self.style.bumps
            and answer.producer_id >= 0
        ):
            self._become(answer.producer_id, answer.producer_epoch)
        return answer

    def run(self, committed: bool, *parts: Part, value: bytes = b"value") -> None:
        """Run a whole transaction, without steps, until its markers are written."""
        self.add(None, *parts)
        for part in parts:
            self.write(None, part, value)
        self.end(None, committed=committed)
        await_stable(self.talk, *parts)


def await_complete(talk: Talk, one: Transactor, *, committed: bool) -> None:
    """Wait until the coordinator has recorded that all markers are written."""
    if talk.versions(ApiKey.DESCRIBE_TRANSACTIONS):
        describe = DescribeTransactionsRequest(transactional_ids=[one.transactional_id])
        talk.until_quietly(describe, 0, lambda answer: "state='Complete" in repr(answer))
        return
    again = end_txn(one.transactional_id, one.producer, committed=committed)
    talk.until_quietly(again, one.style.end_txn, is_accepted)
