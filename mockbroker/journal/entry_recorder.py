"""Backend of the recorder that stores events, from which memory and files make entries.

The cluster's loop calls it for every event, so it does as little as possible: entries are made
later, elsewhere. Data in buffers that are used again is read at once.
"""

import time
from collections.abc import Callable, Iterable, Sequence
from typing import Any, Final, Protocol, TypeAlias

from mockbroker.events.event_types import (
    AnswerGiven,
    AnswerLost,
    BatchProduced,
    CallId,
    Event,
    FaultStruck,
    RequestCame,
)
from mockbroker.journal.call_items import answer_facts, request_facts
from mockbroker.journal.client_transactions import ClientTransactions
from mockbroker.journal.record_identity import RecordIdentity
from mockbroker.journal.recorded import (
    Answered,
    Asked,
    Facts,
    IdentifiedBatch,
    Lost,
    Recorded,
    Reduced,
    Struck,
)
from mockbroker.journal.recorder import Recorder, entries_of
from mockbroker.protocol.messages.fetch import FetchRequest
from mockbroker.protocol.messages.produce import ProduceRequest
from mockbroker.protocol.messages.share_fetch import ShareFetchRequest
from mockbroker.protocol.records.batch import records_of
from mockbroker.protocol.schema.message import Message
from mockbroker.protocol.types import Uuid
from mockbroker.state.events import (
    BatchAppended,
    OffsetsCommitted,
    Owned,
    PartitionsAssigned,
    TopicCreated,
    TopicDeleted,
)
from mockbroker.state.log.log_batches import batches_of
from mockbroker.state.topic.topic import Topic

_Stored: TypeAlias = tuple[Event | Reduced | None, Struck | None]
"""The stored form of an event, if any, and the fault that fired on its call."""
_NANOSECONDS: Final = 1_000


class Store(Protocol):
    """Place for recorded events: memory, files, or a subscriber."""

    def store(self, recorded: Recorded, entries: int) -> None:
        """Store an event; `rows` is the number of its entries."""
        ...


class EntryRecorder:
    """Stores the events of one cluster for entries, numbered from 1."""

    def __init__(
        self, recorder: Recorder, topics: Iterable[Topic], identity: RecordIdentity | None = None
    ) -> None:
        """Attach to a recorder; `topics` exist already, and `identity` identifies records."""
        self.stores: Final[list[Store]] = []
        self._recorder: Final = recorder
        self._first: Final = recorder.seq
        """The number of the last event."""
        self.topic_names: Final[dict[Uuid, str]] = {}
        """All topics ever created."""
        self._deleted: Final[set[Uuid]] = set()
        self.know_topics(topics)
        self._open: Final[dict[int, RequestCame | Asked]] = {}
        """The calls in progress, by number."""
        self._struck: Final[dict[int, Struck]] = {}
        self._reductions: Final[dict[type, Callable[[Any], _Stored]]] = {
            AnswerGiven: self._answer,
            AnswerLost: self._lost,
            FaultStruck: self._fault,
            RequestCame: self._request,
            TopicCreated: self._topic,
            TopicDeleted: self._no_topic,
            PartitionsAssigned: self._assigned,
            OffsetsCommitted: self._committed,
        }
        self._transactions: Final = ClientTransactions(self.topic_names.get)
        if identity is not None:
            self._identity: Final = identity
            self._reductions.update({BatchAppended: self._appended, BatchProduced: self._appended})
        recorder.attach(self.on_event)
        self._bus: Final = recorder.bus
        self._bus.broker_call_followers += 1

    def stop(self) -> None:
        """Stop storing."""
        self._bus.broker_call_followers -= 1
        self._recorder.detach(self.on_event)

    def know_topics(self, topics: Iterable[Topic]) -> None:
        """Add topics that were created before the recording."""
        for topic in topics:
            self._know(topic.topic_id, topic.name)

    def _know(self, topic_id: Uuid, name: str) -> None:
        self.topic_names[topic_id] = name
        self._deleted.discard(topic_id)

    def on_event(self, event: Event, number: int) -> None:
        """Store an event."""
        reduction = self._reductions.get(type(event))
        stored, struck = (event, None) if reduction is None else reduction(event)
        if stored is None:
            return
        bus = self._bus
        recorded = Recorded(
            number - self._first,
            time.time_ns() // _NANOSECONDS,
            bus.service.now_ms,
            bus.serving,
            struck,
            stored,
        )
        entries = entries_of(event)
        for store in self.stores:
            store.store(recorded, entries)

    def _request(self, came: RequestCame) -> _Stored:
        call, request = came
        self._transactions.asked(call, request, self._recorder.seq - self._first)
        if not isinstance(request, ProduceRequest):
            self._open[call.number] = came
            return came, None
        items = request_facts(request, call.version, self.topic_names.get)
        asked = self._open[call.number] = Asked(call, items)
        return asked, None

    def _items(self, call: CallId) -> Sequence[Facts]:
        """Return the requested items of a call that has ended."""
        came = self._open.pop(call.number, None)
        if isinstance(came, RequestCame):
            return request_facts(came.request, call.version, self.topic_names.get)
        return () if came is None else came.items

    def _answer(self, given: AnswerGiven) -> _Stored:
        call, request, response = given
        struck = self._struck.pop(call.number, None)
        is_whole = not isinstance(request, ProduceRequest | FetchRequest | ShareFetchRequest)
        if is_whole or not isinstance(response, Message):
            self._open.pop(call.number, None)
            return None if response is None else given, struck
        items = answer_facts(response, self._items(call), call.version, self.topic_names.get)
        if isinstance(request, FetchRequest) and any("last_offset" in each for each in items):
            self._transactions.read(call)
        return Answered(call, items), struck

    def _committed(self, commit: OffsetsCommitted) -> _Stored:
        """Name the client that commits: a group may know a restarted static member by another id.

        In a transaction, it is the producer that sends the offsets.
        """
        call = self._bus.serving
        if call is not None and commit.client_id is not None and not commit.is_pending:
            commit = commit._replace(client_id=call.client_id)
        return self._transactions.committed(commit, call), None

    def _lost(self, lost: AnswerLost) -> _Stored:
        call = lost.call
        struck = self._struck.pop(call.number, None)
        return Lost(call, self._items(call), lost.how, lost.reason), struck

    def _fault(self, struck: FaultStruck) -> _Stored:
        number = struck.call.number
        now = Struck(struck.rule, struck.effect, struck.applied)
        before = self._struck.get(number)
        self._struck[number] = now if before is None else _both(before, now)
        return struck, None

    def _appended(self, event: BatchAppended | BatchProduced) -> _Stored:
        """Read the batch in its log, where it is valid, however its request came and was held."""
        if isinstance(event, BatchAppended) and event.is_duplicate:
            return event, None
        service, begin = self._bus.service, event.base_offset
        cluster = service.cluster_of(event.log.leader_id)
        topic = cluster.topics.get(event.log.topic)
        partition = None if topic is None else topic.partition(event.log.partition)
        if topic is None or partition is None or topic.is_internal:
            return event, None
        log = cluster.log_of(partition, service.now_ms)
        record_ids = [
            self._identity.of(record)
            for batch in batches_of(log, begin, begin + 1)
            for record in records_of(batch)
        ]
        return IdentifiedBatch(event, record_ids), None

    def _topic(self, created: TopicCreated) -> _Stored:
        self._know(created.topic_id, created.topic)
        return created, None

    def _no_topic(self, deleted: TopicDeleted) -> _Stored:
        self._deleted.add(deleted.topic_id)
        return deleted, None

    def _assigned(self, assigned: PartitionsAssigned) -> _Stored:
        """Leave out partitions of deleted topics: others may have the same names now."""
        members = (
            each._replace(partitions=self._existing(each.partitions)) for each in assigned.members
        )
        return assigned._replace(members=tuple(members)), None

    def _existing(self, partitions: Owned) -> Owned:
        if isinstance(partitions, bytes):
            return partitions
        return tuple(each for each in partitions if each[0] not in self._deleted)


def _both(outer: Struck, inner: Struck) -> Struck:
    """Join two faults that fired on one call: it is applied if neither prevents that."""
    applied = {outer.applied, inner.applied}
    return Struck(
        f"{outer.rule}, {inner.rule}",
        f"{outer.effect}, {inner.effect}",
        next(each for each in ("never", "after", "before") if each in applied),
    )
