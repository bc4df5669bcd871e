"""Random walk over transactional and idempotent requests, in all versions."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Final

from mockbroker.protocol.api_keys import ApiKey
from mockbroker.protocol.errors import ErrorCode
from mockbroker.protocol.messages.describe_producers import DescribeProducersRequest, TopicRequest
from mockbroker.protocol.messages.describe_transactions import DescribeTransactionsRequest
from mockbroker.protocol.messages.end_txn import EndTxnResponse
from mockbroker.protocol.messages.init_producer_id import InitProducerIdResponse
from mockbroker.protocol.messages.list_offsets import ListOffsetsResponse
from mockbroker.protocol.messages.produce import ProduceResponse
from mockbroker.state.release.options import TRANSACTION_VERSION
from tests.conformance.batches import TRANSACTIONAL, Item, Producer, batch
from tests.conformance.requests import (
    Reading,
    Wanted,
    delete_records,
    fetch,
    list_offsets,
    new_producer,
    produce,
)
from tests.conformance.scenarios.transaction_markers import marker, write_markers
from tests.conformance.talk import Talk
from tests.conformance.transaction_log import note_states, settles
from tests.conformance.transactions import (
    NOBODY,
    Member,
    Part,
    add_offsets,
    add_partitions,
    await_coordinator,
    end_txn,
    init_producer_id,
    offset_commit,
)
from tests.conformance.walks.walking import Walk

OLDEST_PRODUCE: Final = 3
"""The first version of Produce with producer ids in batches."""
NEWEST_WITHOUT_FEATURE: Final[Mapping[ApiKey, int]] = {
    ApiKey.PRODUCE: 11,
    ApiKey.ADD_OFFSETS_TO_TXN: 4,
    ApiKey.ADD_PARTITIONS_TO_TXN: 3,
    ApiKey.END_TXN: 4,
    ApiKey.TXN_OFFSET_COMMIT: 4,
}
"""The newest versions that clients send if transaction.version is less than 2.

AddPartitionsToTxn from version 4 on is for brokers only.
"""
ORDERS: Final = {"on": 70, "again": 9, "older": 5, "zero": 5, "a gap": 7, "half of it": 4}
"""Kinds of first sequences of batches, by weight."""
IDENTITIES: Final = {
    "itself": 80,
    "who it was": 11,
    "its next epoch": 3,
    "somebody else": 4,
    "nobody": 2,
}
"""Kinds of producer identities in requests, by weight."""
SOON_ABORTED: Final = {"transaction.abort.timed.out.transaction.cleanup.interval.ms": "500"}
SHORT_TIMEOUT_MS: Final = 3_000
"""A timeout that no transaction exceeds without a wait."""
WAIT_MS: Final = 5_000
PREPARED_FROM: Final = 6
"""The version of InitProducerId that is served only with Kafka's unstable versions on."""


@dataclass(slots=True)
class Writer:
    """A producer in its client's view: its present and former ids, and its written batches."""

    name: str
    transactional_id: str | None
    identities: list[Producer] = field(default_factory=list[Producer])
    written: dict[tuple[Producer, Part], list[tuple[int, int]]] = field(
        default_factory=dict[tuple[Producer, Part], list[tuple[int, int]]]
    )
    """By identity and partition: first sequence and number of records of each batch."""

    @property
    def now(self) -> Producer:
        """The present id and epoch."""
        return self.identities[-1] if self.identities else NOBODY

    def become(self, producer_id: int, producer_epoch: int) -> None:
        """Use a new id and epoch, if a response has one."""
        who = Producer(producer_id, producer_epoch)
        if producer_id >= 0 and who != self.now:
            self.identities.append(who)


class TransactionsWalk(Walk):
    """One walk: its producers, and its possible steps."""

    def __init__(self, talk: Talk, name: str, seed: int) -> None:
        """Create the topics and the producers."""
        super().__init__(talk, seed)
        latest = 2 if talk.release.since("4.4") else 0
        self._bumps = talk.release.features.get(TRANSACTION_VERSION, latest) > 1
        self._group = Member(group=f"{name}-group")
        self._parts: list[Part] = [(f"{name}-a", 0), (f"{name}-a", 1), (f"{name}-b", 0)]
        self._transactors = [Writer(f"x{n}", f"{name}-x{n}") for n in range(2)]
        self._idempotent = [Writer(f"i{n}", None) for n in range(2)]
        self._ways: dict[Callable[[], None], float] = {
            self._init: 8,
            self._init_on: 8,
            self._add: 14,
            self._write: 30,
            self._write_without_transaction: 10,
            self._end: 18,
            self._add_offsets: 3,
            self._commit_offsets: 3,
            self._delete: 2,
            self._mark: 2,
            self._see: 10,
        }

    def run(self) -> None:
        """Run the walk."""
        talk = self.talk
        talk.topic(self._parts[0][0], partitions=2)
        talk.topic(self._parts[2][0])
        await_coordinator(talk, self._group.group, 0)
        for each in self._transactors:
            await_coordinator(talk, each.transactional_id or "")
        for each in self._idempotent:
            each.identities.append(new_producer(talk))
        self._init()
        self.go(self._ways)
        for part in self._parts:
            self._see_partition(part)
        for each in self._transactors:
            note_states(talk, f"the log of {each.name}", each.transactional_id or "")

    # What it may do.

    def _init(self) -> None:
        """Initialise a producer again, as a restarted client does."""
        who = self.random.choice(self._transactors)
        self._become(who, "begins anew", NOBODY, self._version(ApiKey.INIT_PRODUCER_ID))

    def _init_on(self) -> None:
        """Request a bump of an epoch (KIP-360)."""
        who = self.random.choice(self._transactors)
        claimed, title = self._identity(who)
        self._become(who, f"bumps {title}", claimed, self._version(ApiKey.INIT_PRODUCER_ID))

    def _become(self, who: Writer, title: str, claimed: Producer, version: int) -> None:
        request = init_producer_id(who.transactional_id, claimed, timeout_ms=self._timeout_ms())
        answer = self.ask(f"{who.name} {title}", request, version)
        self._settle(who)
        if isinstance(answer, InitProducerIdResponse):
            who.become(answer.producer_id, answer.producer_epoch)

    def _add(self) -> None:
        who = self.random.choice(self._transactors)
        claimed, title = self._identity(who)
        parts = self.random.sample(self._parts, self.random.choice((1, 1, 2)))
        if self.happens(0.05):
            parts.append(("missing", 0))
        request = add_partitions(who.transactional_id or "", claimed, *parts)
        said = f"{who.name} adds {self._named(*parts)} as {title}"
        self.ask(said, request, self._version(ApiKey.ADD_PARTITIONS_TO_TXN))

    def _write(self) -> None:
        """Write a transactional batch, with or without an open transaction."""
        who = self.random.choice(self._transactors)
        is_transactional = self.happens(0.93)
        named = who.transactional_id if self.happens(0.95) else None
        self._produce(who, named, is_transactional)

    def _write_without_transaction(self) -> None:
        self._produce(self.random.choice(self._idempotent), None, self.happens(0.05))

    def _produce(self, who: Writer, named: str | None, is_transactional: bool) -> None:
        claimed, title = self._identity(who)
        part = self.random.choice(self._parts)
        first, records, order = self._sequence(who, claimed, part)
        data = batch(
            *(Item(value=f"{self.number}.{index}".encode()) for index in range(records)),
            at_ms=self.talk.at(self.number),
            attributes=TRANSACTIONAL if is_transactional else 0,
            producer=replace(claimed, base_sequence=first),
        )
        said = f"{who.name} writes {order} ({records} from {first}) to {self._named(part)}"
        said += f" as {title}{'' if is_transactional else ', in no transaction'}"
        said += " and names itself" if named is not None else ""
        request = produce(self.talk, (*part, data), transactional_id=named)
        answer = self.ask(said, request, self._version(ApiKey.PRODUCE))
        if isinstance(answer, ProduceResponse) and order in {"on", "zero", "a gap"}:
            [only] = answer.responses[0].partition_responses
            if only.error_code == ErrorCode.NONE:
                who.written.setdefault((claimed, part), []).append((first, records))

    def _sequence(self, who: Writer, claimed: Producer, part: Part) -> tuple[int, int, str]:
        """Choose the first sequence and the size of a batch at random, with their description."""
        records = self.random.choice((1, 1, 2, 3))
        earlier = who.written.get((claimed, part), [])
        last, size = earlier[-1] if earlier else (0, 0)
        order = self.drawn(ORDERS)
        if order == "again" and earlier:
            return last, size, order
        if order == "older" and len(earlier) > 1:
            first, count = self.random.choice(earlier[:-1])
            return first, count, order
        if order == "half of it" and size > 1:
            return last + 1, size, order
        if order == "zero":
            return 0, records, order
        if order == "a gap":
            return last + size + self.random.choice((1, 5)), records, order
        return last + size, records, "on"

    def _end(self) -> None:
        who = self.random.choice(self._transactors)
        claimed, title = self._identity(who)
        committed = self.happens(0.6)
        said = f"{who.name} {'commits' if committed else 'aborts'} as {title}"
        request = end_txn(who.transactional_id or "", claimed, committed=committed)
        answer = self.ask(said, request, self._version(ApiKey.END_TXN))
        self._settle(who)
        if isinstance(answer, EndTxnResponse):
            who.become(answer.producer_id, answer.producer_epoch)

    def _add_offsets(self) -> None:
        who = self.random.choice(self._transactors)
        claimed, title = self._identity(who)
        request = add_offsets(who.transactional_id or "", claimed, self._group.group)
        version = self._version(ApiKey.ADD_OFFSETS_TO_TXN)
        self.ask(f"{who.name} adds offsets as {title}", request, version)

    def _commit_offsets(self) -> None:
        who = self.random.choice(self._transactors)
        claimed, title = self._identity(who)
        offset = (*self._parts[0], self.number)
        request = offset_commit(self.talk, who.transactional_id or "", claimed, self._group, offset)
        version = self._version(ApiKey.TXN_OFFSET_COMMIT)
        self.ask(f"{who.name} commits offsets as {title}", request, version)

    def _delete(self) -> None:
        part = self.random.choice(self._parts)
        offset = self.random.choice((-1, 1, 2, 5, 500))
        said = f"delete {self._named(part)} up to {offset}"
        self.ask(said, delete_records((*part, offset)), self._version(ApiKey.DELETE_RECORDS))

    def _mark(self) -> None:
        """Write a marker without the coordinator, as administrators do."""
        who = self.random.choice(self._transactors)
        claimed, title = self._identity(who)
        part = self.random.choice(self._parts)
        committed = self.happens(0.3)
        said = f"a marker to {'commit' if committed else 'abort'} {who.name} as {title}"
        request = write_markers(marker(claimed, part, committed=committed))
        version = self.talk.latest(ApiKey.WRITE_TXN_MARKERS)
        self.ask(f"{said} in {self._named(part)}", request, version)

    def _see(self) -> None:
        self._see_partition(self.random.choice(self._parts))

    def _see_partition(self, part: Part) -> None:
        talk, named = self.talk, self._named(part)
        for level, title in enumerate(("its end", "it is stable up to")):
            end = list_offsets((*part, -1), isolation_level=level)
            self.ask(f"{named}: {title}", end, 2)
        first = talk.expect(ListOffsetsResponse, talk.quietly(list_offsets((*part, -2)), 2))
        offset = first.topics[0].partitions[0].offset
        everything = fetch(talk, Wanted(*part, offset=offset), reading=Reading(isolation_level=1))
        self.ask(f"{named}: what is committed", everything, talk.latest(ApiKey.FETCH))
        if talk.versions(ApiKey.DESCRIBE_PRODUCERS):
            asked = TopicRequest(name=part[0], partition_indexes=[part[1]])
            self.ask(f"{named}: producers", DescribeProducersRequest(topics=[asked]), 0)
            ids = [each.transactional_id or "" for each in self._transactors]
            self.ask("transactions", DescribeTransactionsRequest(transactional_ids=ids), 0)

    # What that takes.

    def _timeout_ms(self) -> int:
        return 60_000

    def _settle(self, who: Writer) -> None:
        """Wait for the end of a transaction; a walk ends at one that never ends.

        Its marker is refused if a batch had a newer epoch than the coordinator's.
        """
        self.is_over = not settles(self.talk, who.transactional_id or "")

    def _named(self, *parts: Part) -> str:
        return " and ".join(f"{topic[-1]}{index}" for topic, index in parts)

    def _identity(self, who: Writer) -> tuple[Producer, str]:
        """Choose an id and epoch at random, mostly the present ones."""
        now = who.now
        kind = self.drawn(IDENTITIES)
        if kind == "who it was" and len(who.identities) > 1:
            return self.random.choice(who.identities[:-1]), kind
        if kind == "its next epoch" and now != NOBODY:
            return replace(now, producer_epoch=now.producer_epoch + 1), kind
        if kind == "somebody else":
            others = [each.now for each in (*self._transactors, *self._idempotent)]
            return self.random.choice(others), kind
        return (NOBODY, kind) if kind == "nobody" else (now, "itself")

    def _version(self, api_key: ApiKey) -> int:
        """Choose a version at random: the newest that clients send more often than others."""
        newest = self.talk.latest(api_key)
        if not self._bumps:
            newest = min(newest, NEWEST_WITHOUT_FEATURE.get(api_key, newest))
        elif api_key == ApiKey.ADD_PARTITIONS_TO_TXN:
            newest = min(newest, NEWEST_WITHOUT_FEATURE[api_key])
        if api_key == ApiKey.INIT_PRODUCER_ID:
            newest = min(newest, PREPARED_FROM - 1)
        oldest = max(
            self.talk.versions(api_key)[0], OLDEST_PRODUCE if api_key == ApiKey.PRODUCE else 0
        )
        is_newest = self.happens(0.6)
        drawn = self.random.randint(oldest, newest)
        return newest if is_newest else drawn


def walk_transactions(talk: Talk, seed: int) -> None:
    """Run a walk with a seed."""
    TransactionsWalk(talk, f"walk-{seed}", seed).run()


class TimeoutsWalk(TransactionsWalk):
    """One walk with waits, so that transactions time out."""

    def __init__(self, talk: Talk, name: str, seed: int) -> None:
        """Add waiting to the possible steps."""
        super().__init__(talk, name, seed)
        self._ways[self._wait] = 5

    def _wait(self) -> None:
        self.talk.let_time_pass(WAIT_MS)
        for each in self._transactors:
            self._settle(each)
        self._see_partition(self.random.choice(self._parts))

    def _timeout_ms(self) -> int:
        return self.random.choice((SHORT_TIMEOUT_MS, 60_000))


def walk_timeouts(talk: Talk, seed: int) -> None:
    """Run a walk with a seed, on a cluster with `SOON_ABORTED`."""
    TimeoutsWalk(talk, f"timeouts-{seed}", seed).run()
