"""The journal's ear: it numbers what happens, and gives it to whoever keeps it.

It is called on the cluster's loop for everything that happens, so it does as little as it can: the
entries are made later, elsewhere. What lies in buffers that are used again is read at once.
"""

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final, Protocol, TypeAlias

from mockbroker.events.event_types import (
    AnswerGiven,
    AnswerLost,
    CallId,
    Event,
    FaultStruck,
    RequestCame,
)
from mockbroker.journal.call_items import answer_facts, request_facts
from mockbroker.journal.heard import Answered, Asked, Facts, Heard, Kept, Lost, Struck, entries_of
from mockbroker.protocol.messages.fetch import FetchRequest
from mockbroker.protocol.messages.produce import ProduceRequest
from mockbroker.protocol.schema.message import Message
from mockbroker.protocol.types import Uuid
from mockbroker.state.events import TopicCreated
from mockbroker.state.topic.topic import Topic

if TYPE_CHECKING:
    from mockbroker.broker.service import Service

Reduced: TypeAlias = tuple[Event | Kept | None, Struck | None]
"""What is kept, if anything, and the fault that its call has met."""
_NANOSECONDS: Final = 1_000


class Keeper(Protocol):
    """Keeps what was heard."""

    def keep(self, heard: Heard, entries: int) -> None:
        """Keep something that makes so many entries."""
        ...


class Recorder:
    """Listens to one cluster."""

    def __init__(self, service: "Service") -> None:
        """Begin to listen."""
        self.keepers: Final[list[Keeper]] = []
        self.seq = 0
        """How many entries there have been."""
        self.topic_names: Final[dict[Uuid, str]] = {}
        """All topics that have been seen."""
        self.know_topics(service.cluster.topics)
        self._open: Final[dict[int, RequestCame | Asked]] = {}
        """The calls that are not over, by their numbers."""
        self._struck: Final[dict[int, Struck]] = {}
        self._reductions: Final[Mapping[type, Callable[[Any], Reduced]]] = {
            AnswerGiven: self._answer,
            AnswerLost: self._lost,
            FaultStruck: self._fault,
            RequestCame: self._request,
            TopicCreated: self._topic,
        }
        self.stop: Final = service.subscribe(self.hear)
        assert service.event_bus is not None
        self.event_bus: Final = service.event_bus

    def know_topics(self, topics: Iterable[Topic]) -> None:
        """Know topics that were there before anybody listened."""
        self.topic_names.update((topic.topic_id, topic.name) for topic in topics)

    def hear(self, event: Event) -> None:
        """Number what has happened, and give it to all that keep it."""
        reduction = self._reductions.get(type(event))
        kept, struck = (event, None) if reduction is None else reduction(event)
        if kept is None:
            return
        entries = entries_of(kept)
        event_bus = self.event_bus
        heard = Heard(
            self.seq + 1,
            time.time_ns() // _NANOSECONDS,
            event_bus.service.now_ms,
            event_bus.serving,
            struck,
            kept,
        )
        self.seq += entries
        for keeper in self.keepers:
            keeper.keep(heard, entries)

    def _request(self, came: RequestCame) -> Reduced:
        call, request = came
        if not isinstance(request, ProduceRequest):
            self._open[call.number] = came
            return came, None
        items = request_facts(request, call.version, self.topic_names.get)
        asked = self._open[call.number] = Asked(call, items)
        return asked, None

    def _items(self, call: CallId) -> Sequence[Facts]:
        """Return what was asked in a call that is over now."""
        came = self._open.pop(call.number, None)
        if isinstance(came, RequestCame):
            return request_facts(came.request, call.version, self.topic_names.get)
        return () if came is None else came.items

    def _answer(self, given: AnswerGiven) -> Reduced:
        call, request, response = given
        struck = self._struck.pop(call.number, None)
        is_kept = not isinstance(request, ProduceRequest | FetchRequest)
        if is_kept or not isinstance(response, Message):
            self._open.pop(call.number, None)
            return None if response is None else given, struck
        items = answer_facts(response, self._items(call), call.version, self.topic_names.get)
        return Answered(call, items), struck

    def _lost(self, lost: AnswerLost) -> Reduced:
        call = lost.call
        struck = self._struck.pop(call.number, None)
        return Lost(call, self._items(call), lost.how, lost.reason), struck

    def _fault(self, struck: FaultStruck) -> Reduced:
        number = struck.call.number
        now = Struck(struck.rule, struck.effect, struck.applied)
        before = self._struck.get(number)
        self._struck[number] = now if before is None else _both(before, now)
        return struck, None

    def _topic(self, created: TopicCreated) -> Reduced:
        self.topic_names[created.topic_id] = created.topic
        return created, None


def _both(outer: Struck, inner: Struck) -> Struck:
    """Name two faults that struck one call: it is applied if neither keeps it from that."""
    applied = {outer.applied, inner.applied}
    return Struck(
        f"{outer.rule}, {inner.rule}",
        f"{outer.effect}, {inner.effect}",
        next(each for each in ("never", "after", "before") if each in applied),
    )
