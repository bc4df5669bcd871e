"""What the brokers do, each thing once: brokers in one state do the same with the same request.

Most states of the world differ in what producers know and what is in the network. The brokers'
part of them, a moment, is the same in many, and keeps what came of each thing that happened in it.
"""

import re
from collections.abc import Callable
from hashlib import blake2b
from typing import Final, NamedTuple

from mockbroker.protocol.errors import ApiError
from mockbroker.state.topic.topic import TRANSACTION_STATE
from tests.model.checker.brokers import STEPS, Brokers
from tests.model.checker.mementos import Graph, Memento
from tests.model.checker.promises import (
    Broken,
    Fate,
    Reading,
    broken_by_logs,
    last_transitions,
    text_of,
)
from tests.model.checker.values import PARTITIONS, Answer, Case, Message

MOMENTS_KEPT: Final = 20_000
"""The number of moments that are known again: each has ten kilobytes."""
_TIME: Final = re.compile(r"1\d{6}(?!\d)")
"""A time in a text: there are no other numbers of seven digits."""


class Event(NamedTuple):
    """What happens to the brokers."""

    name: str
    """The method that does it."""
    arguments: tuple[object, ...] = ()


class Moment:
    """A state of the brokers."""

    __slots__ = (
        "broken",
        "digest",
        "fates",
        "has_enough_replicas",
        "has_records",
        "memento",
        "outcomes",
        "settled",
        "stable_offsets",
        "steps",
        "works",
    )

    def __init__(self, brokers: Brokers, digest: bytes, broken: Broken | None) -> None:
        """Remember the state that the brokers have now."""
        self.digest: Final = digest
        self.broken: Final = broken
        self.memento: Memento | None = None
        self.fates: tuple[Fate, ...] = ()
        self.stable_offsets: Final = brokers.stable_offsets()
        self.works: Final = range(len(brokers.cluster.pending))
        self.steps: Final = tuple(filter(brokers.has_step, brokers.transactional_ids))
        self.has_enough_replicas: Final = brokers.has_enough_replicas
        self.has_records: Final = tuple(
            index for index in range(PARTITIONS) if brokers.log(index).log_end_offset
        )
        self.outcomes: Final[dict[object, Outcome]] = {}
        self.settled: Moment | None = None


class Outcome(NamedTuple):
    """What came of something that happened to the brokers."""

    moment: Moment
    went: str = ""
    answer: Answer | None = None
    revoked: frozenset[tuple[int, int]] = frozenset()
    """Partitions and producer ids whose verification does not count any more."""


class Moments:
    """The moments of a case that were met, the last ones of many."""

    def __init__(self, case: Case) -> None:
        """Begin with the first."""
        self.brokers: Final = Brokers(case)
        self._graph: Final = Graph(self.brokers)
        self._is_saved = False
        """True if nothing has happened to the brokers since their state was saved."""
        self._fates: Final[dict[tuple[Fate, ...], tuple[Fate, ...]]] = {}
        """Each sequence of fates once, to save memory."""
        self._by_digest: Final[dict[bytes, Moment]] = {}
        self.taken = 0
        """Counts what happened to the brokers."""
        self.first: Final = self._moment((0,) * PARTITIONS)

    def handled(self, moment: Moment, message: Message) -> Outcome:
        """Let a request arrive."""
        # Brokers do not see whose it is.
        request = message._replace(sender=0, serial=0, is_late=False)
        return moment.outcomes.get(request) or self._happened(
            moment, request, lambda: self._handle(request)
        )

    def after(self, moment: Moment, event: Event) -> Outcome:
        """Let something else happen."""
        return moment.outcomes.get(event) or self._happened(
            moment, event, lambda: (getattr(self.brokers, event.name)(*event.arguments), None)
        )

    def settled(self, moment: Moment) -> Moment:
        """Let everything happen that brokers do by themselves, and open transactions time out."""
        if moment.settled is None:
            self._bring_back(moment)
            self.brokers.settle()
            reading = Reading(self.brokers, moment.stable_offsets, is_settled=True)
            moment.settled = self._new_moment(reading)
        return moment.settled

    def _handle(self, message: Message) -> tuple[str, Answer]:
        try:
            answer = self.brokers.handle(message)
        except ApiError as error:
            answer = Answer(error.code)
        code = "verified" if answer.is_on_its_way else answer.code.name
        return f"{message.request.api} {code}", answer

    def _happened(
        self, moment: Moment, what: object, happen: Callable[[], tuple[str, Answer | None]]
    ) -> Outcome:
        self.taken += 1
        brokers = self.brokers
        self._bring_back(moment)
        before = brokers.guards()
        went, answer = happen()
        brokers.drop_held_work()
        after = brokers.guards()
        revoked = frozenset(key for key, guard in before.items() if after.get(key) is not guard)
        outcome = Outcome(self._moment(moment.stable_offsets), went, answer, revoked)
        moment.outcomes[what] = outcome
        return outcome

    def _bring_back(self, moment: Moment) -> None:
        assert moment.memento is not None, "nothing happens after a promise is broken"
        self._graph.bring_back(moment.memento, is_unchanged=self._is_saved)
        self._is_saved = False

    def _moment(self, stable_before: tuple[int, ...]) -> Moment:
        """Return the moment that this is, the first of its kind."""
        digest = digest_of(self.brokers)
        moment = self._by_digest.get(digest)
        if moment is None or went_back(stable_before, moment.stable_offsets):
            moment = self._new_moment(Reading(self.brokers, stable_before), digest)
            if moment.broken is None:
                moment.memento = self._graph.save()
                self._is_saved = True
                self._keep(moment)
        return moment

    def _keep(self, moment: Moment) -> None:
        """Know a moment again, until many others were met: it is a new one then."""
        if len(self._by_digest) == MOMENTS_KEPT:
            oldest = self._by_digest.pop(next(iter(self._by_digest)))
            # What came of it would keep others.
            oldest.outcomes.clear()
        self._by_digest[moment.digest] = moment

    def _new_moment(self, reading: Reading, digest: bytes = b"") -> Moment:
        moment = Moment(self.brokers, digest, broken_by_logs(reading))
        fates = tuple(reading.decided())
        moment.fates = self._fates.setdefault(fates, fates)
        return moment


def went_back(before: tuple[int, ...], now: tuple[int, ...]) -> bool:
    """Return whether a stable offset is lower than it was."""
    return any(later < earlier for earlier, later in zip(before, now, strict=True))


def digest_of(brokers: Brokers) -> bytes:
    """Return what tells a state of brokers from every other: two with it have the same future.

    Times are left out. All that brokers do with them here is to abort what has timed out.
    """
    cluster = brokers.cluster
    home = brokers.partition(TRANSACTION_STATE, 0)
    timers = [
        f"{step} {transactional_id}" in cluster.timers
        for step in STEPS
        for transactional_id in brokers.transactional_ids
    ]
    text = "\n".join(
        [
            *(work.name for work in cluster.pending),
            f"{timers} {brokers.timed_out()} {home.leader_id} {home.in_sync_replicas}",
            *cluster.producer_ids.as_text(),
            str(sorted(last_transitions(brokers.log(0, TRANSACTION_STATE)).items())),
            *(str(cluster.transaction_coordinator(each).as_text()) for each in cluster.brokers),
            *(text_of(brokers.log(index)) for index in range(PARTITIONS)),
        ]
    )
    return blake2b(_TIME.sub("", text).encode(), digest_size=16).digest()
