"""The template of KIP-691, data phase and commit phase, and its reaction to one error.

    begin
    try: send, send the offsets         the data phase: whatever is raised only says "abort"
    try: commit, or go back and abort   the commit phase: what is raised here is fatal
    except: close the producer          and the application starts again

No client has the proposal's `commitTransaction()` that returns whether it committed. An error of
today's call therefore counts as the answer "no", and the transaction is aborted; an error of that
abort is fatal. Each record is flushed, so that an error affects the same call in every run.
"""

from collections.abc import Collection
from dataclasses import dataclass, field
from enum import Enum, StrEnum
from typing import Final, Protocol

from mockbroker.protocol.api_keys import ApiKey
from tests.clients.kip_691.row import Moment
from tests.clients.kip_691.scene import BATCH_SIZE, ORDERS, Scene
from tests.clients.transactors.transactor import (
    Raised,
    RefusedSetupError,
    Setup,
    Transactor,
    TransactorClient,
)

_ATTEMPTS_MAX: Final = 3
"""How often one producer may try again before it is given up."""
_STARTS_MAX: Final = 3


class Incident(Protocol):
    """What happens to the application once, and when."""

    @property
    def moment(self) -> Moment:
        """The time at which it happens."""
        ...

    @property
    def setup(self) -> Setup:
        """The configuration of producers until it has happened."""
        ...

    @property
    def topic(self) -> str | None:
        """The topic that the first attempt writes to, if not the application's."""
        ...

    @property
    def apis(self) -> Collection[ApiKey]:
        """The calls whose errors are recorded."""
        ...

    def cause(self, scene: Scene) -> None:
        """Cause it."""
        ...


class Verdict(StrEnum):
    """The kind that the client took the error for."""

    RETRIED = "retriable"
    """No call raised anything: the client tried again itself."""
    CALL_AGAIN = "retriable, by the caller"
    """The same call worked when it was made again."""
    ABORTABLE = "abortable"
    """The transaction was aborted, and the same producer committed another."""
    FATAL = "fatal"
    """The producer was of no use any more, and another one went on."""
    UNNOTICED = "unnoticed"
    """Only callbacks were told, and the transaction was committed nevertheless."""
    UNASKED = "never asked"
    """The client makes no such call."""
    REFUSED = "refused by the client"
    """The client did not make a producer with this configuration."""
    GAVE_UP = "no producer continued"
    """Other producers were of no use, either."""


class End(Enum):
    """Outcome of a transaction."""

    COMMITTED = "committed"
    ABORTED = "aborted"
    FATAL = "fatal"


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """Result of one row with one client."""

    verdict: Verdict
    answered: tuple[str, ...]
    """The errors that the row's API answered until the attempt was over, as the journal has it."""
    raised: tuple[str, ...]
    """What each call raised, until a transaction was committed again or none could be."""
    is_exactly_once: bool
    """Whether in the end each order was billed once, for readers of committed records."""


@dataclass(slots=True)
class Application:
    """The application, which bills orders, and meets the error of one row."""

    client: TransactorClient
    scene: Scene
    row: Incident
    raised: list[str] = field(default_factory=list[str])
    verdict: Verdict | None = None
    _is_struck: bool = False
    _position: int = 0
    """How many orders are billed, as far as the application knows."""
    _is_over: bool = False
    """Whether what the row does has been put right."""
    _was_asked: bool = True
    _answered: tuple[str, ...] = ()

    def run(self) -> Outcome:
        """Bill all orders, with as many producers as necessary."""
        starts = 0
        while self._position < len(ORDERS):
            starts += 1
            if starts > _STARTS_MAX:
                self._judge(Verdict.GAVE_UP)
                break
            self._live()
        assert self.verdict is not None, "it did not happen"
        return Outcome(
            verdict=self.verdict,
            answered=self._answered,
            raised=tuple(self._told()),
            is_exactly_once=self.scene.is_exactly_once(
                stores_position=self.row.setup.is_transactional
            ),
        )

    def _told(self) -> list[str]:
        """Return the raised errors, except those whose report depends on timing.

        librdkafka may or may not report records before a fatal error; Java does for a record that
        it refused and kept.
        """
        told: list[str] = []
        for each in self.raised:
            if each == "callback: TransactionAbortedException":
                continue
            if each.endswith(("[fatal]", ": _FATAL")):
                while told and told[-1].startswith("callback: "):
                    told.pop()
            told.append(each)
        return told

    def _live(self) -> None:
        """Continue with a new producer until all orders are billed, or the application gives up."""
        if not self.row.setup.is_transactional:
            self._reach(Moment.START)  # such a producer begins as soon as it is there
        try:
            producer = self.client.transactor(
                self.scene.bootstrap_servers,
                self.scene.transactional_id,
                self._later_setup() if self._is_over else self.row.setup,
            )
        except RefusedSetupError as refused:
            self._ends_well("producer", refused.raised)
            self._end_attempt()
            self._judge(Verdict.REFUSED)
            return
        try:
            if not self.row.setup.is_transactional:
                self._send_each(producer)
            elif self._start(producer):
                self._position = self.scene.position()
                self._bill(producer)
        finally:
            producer.close()

    def _later_setup(self) -> Setup:
        return Setup(is_transactional=self.row.setup.is_transactional)

    def _send_each(self, producer: Transactor) -> None:
        """Bill each order by a record of its own, until the producer is of no use any more."""
        self._ends_well("start", producer.init_transactions())
        while self._position < len(ORDERS):
            self._reach(Moment.FIRST_SEND, self._position)
            sent = producer.send(self._topic(), 0, ORDERS[self._position])
            flushed = producer.flush() if sent is None else sent
            failed = producer.reports()
            if not self._is_struck:
                if not self._ends_well("flush", flushed):
                    return
                self._position += 1
                continue
            if failed and self.verdict is None:
                self.raised += [f"callback: {name}" for name in failed]
            if self._ends_well("flush", flushed) and not failed:
                self._position += 1
                self._judge(Verdict.CALL_AGAIN if self.raised else Verdict.RETRIED)
            elif self._is_over:
                self._judge(Verdict.FATAL)
                return
            self._end_attempt()

    def _start(self, producer: Transactor) -> bool:
        self._reach(Moment.START)
        works = self._ends_well("init_transactions", producer.init_transactions())
        if not self._is_struck or self.verdict is not None:
            return works
        self._end_attempt()
        works_again = works or self._ends_well("init_transactions", producer.init_transactions())
        first = Verdict.RETRIED if works else Verdict.CALL_AGAIN
        self._judge(first if works_again else Verdict.FATAL)
        return works_again

    def _bill(self, producer: Transactor) -> None:
        aborted = 0
        while self._position < len(ORDERS):
            end = self._transaction(producer)
            aborted += end is End.ABORTED
            if not self._is_struck:
                if end is End.FATAL or aborted == _ATTEMPTS_MAX:
                    return
                continue
            if self._lasts_longer(end):
                continue
            self._end_attempt()
            if end is End.FATAL or aborted == _ATTEMPTS_MAX:
                self._judge(Verdict.FATAL)
                return
            if end is End.COMMITTED:
                told = Verdict.UNNOTICED if self.raised else Verdict.RETRIED
                self._judge(Verdict.ABORTABLE if aborted else told)

    def _lasts_longer(self, end: End) -> bool:
        """Return whether the error of the first transaction may come in the next one."""
        is_first = self._position == BATCH_SIZE and end is End.COMMITTED
        return is_first and self.row.moment is Moment.FIRST_COMMIT

    def _transaction(self, producer: Transactor) -> End:
        should_commit = self._data_phase(producer, self._position)
        if should_commit and self._ends_well("commit_transaction", producer.commit_transaction()):
            self._position += BATCH_SIZE
            return End.COMMITTED
        aborts = self._ends_well("abort_transaction", producer.abort_transaction())
        self._note_reports(producer)
        if not aborts:
            return End.FATAL
        self._position = self.scene.position()
        return End.ABORTED

    def _data_phase(self, producer: Transactor, position: int) -> bool:
        scene = self.scene
        self._reach(Moment.BEGIN, position)
        if not self._ends_well("begin_transaction", producer.begin_transaction()):
            return False
        for number, moment in enumerate((Moment.FIRST_SEND, Moment.SECOND_SEND), position):
            self._reach(moment, position)
            sent = producer.send(self._topic(), 0, ORDERS[number])
            if not self._ends_well("send", sent):
                return False
            flushed = producer.flush()
            self._note_reports(producer)
            if not self._ends_well("flush", flushed):
                return False
        self._reach(Moment.OFFSETS, position)
        offset = position + BATCH_SIZE
        added = producer.send_offsets_to_transaction(scene.group, scene.source, 0, offset)
        if not self._ends_well("send_offsets_to_transaction", added):
            return False
        self._reach(Moment.COMMIT if position else Moment.FIRST_COMMIT, position)
        return True

    def _topic(self) -> str:
        """Return the topic of the records; the row may choose one that causes its error."""
        is_attempt = self._is_struck and self.verdict is None and not self._is_over
        return (self.row.topic if is_attempt else None) or self.scene.topic

    def _reach(self, moment: Moment, position: int = 0) -> None:
        """Cause the error of the row at its moment: once, after a successful transaction."""
        is_early = moment in {Moment.START, Moment.FIRST_COMMIT}
        is_time = is_early or position >= BATCH_SIZE
        if moment is self.row.moment and is_time and not self._is_struck:
            self._is_struck = True
            self.row.cause(self.scene)
            self.scene.come_to_rest()

    def _ends_well(self, call: str, raised: Raised | None) -> bool:
        if raised is not None and self.verdict is None:
            self.raised.append(f"{call}: {raised}")
        return raised is None

    def _note_reports(self, producer: Transactor) -> None:
        """Record the errors in callbacks, though the template does not use them."""
        told = producer.reports()
        if self.verdict is None:
            self.raised += sorted({f"callback: {name}" for name in told} - set(self.raised))

    def _end_attempt(self) -> None:
        if not self._is_over:
            self._is_over = True
            self._was_asked = self.scene.end_attempt()
            self._answered = self.scene.answered(self.row.apis)

    def _judge(self, verdict: Verdict) -> None:
        if self.verdict is None:
            self.verdict = verdict if self._was_asked else Verdict.UNASKED
