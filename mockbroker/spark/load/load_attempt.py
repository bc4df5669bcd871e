"""One attempt of a load task: sends records by its script, and records the results.

It runs in a Spark worker, but needs only a process, the network, and a folder shared with the
driver.
"""

import os
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Final, NoReturn

from mockbroker.spark.load.load_ledger import SentRow, TransactionOutcome
from mockbroker.spark.load.load_ledger_files import write_sent
from mockbroker.spark.load.load_moments import ask
from mockbroker.spark.load.load_plan import Delivery, Plan
from mockbroker.spark.load.load_producer import (
    ClientName,
    LoadProducer,
    LoadProducerError,
    ProducerSettings,
    SendResult,
    make_producer,
)
from mockbroker.spark.load.load_script import (
    LoadRecord,
    LoadShape,
    Round,
    script_of,
)

ROUND_TRIES: Final = 5
"""Maximum number of tries of a transaction, after errors that allow an abort."""
_US: Final = 1_000_000
_KILLED: Final = 137


class LoadFailedError(Exception):
    """A load that Spark could not complete; the text is its reason in one line."""


class TaskFailedError(Exception):
    """A planned failure of a task; Spark retries the task."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LoadOptions:
    """Options of all tasks of a load."""

    bootstrap_servers: str
    topic: str
    shape: LoadShape
    plan: Plan
    delivery: Delivery
    clients: Sequence[ClientName]
    folder: Path
    """Folder of the ledger."""
    admin: str | None = None
    """Address of the HTTP API, if the plan needs it."""

    def client_of(self, task: int) -> ClientName:
        """Return the client of a task; tasks use the clients in turn."""
        return self.clients[task % len(self.clients)]

    def settings_of(self, task: int, attempt: int, *, is_second: bool = False) -> ProducerSettings:
        """Return the settings of an attempt's producer, or of the one that takes over from it."""
        client_id = f"load-{task}"
        return ProducerSettings(
            bootstrap_servers=self.bootstrap_servers,
            topic=self.topic,
            client_id=f"{client_id}-second" if is_second else client_id,
            delivery=self.delivery,
            transactional_id=self.transactional_id_of(task, attempt),
        )

    def transactional_id_of(self, task: int, attempt: int) -> str | None:
        """Return the transactional id of a task; a new one for each attempt if abandoned."""
        if self.delivery != "transactional":
            return None
        name = f"{self.topic}-load-{self.shape.seed}-{task}"
        return f"{name}-{attempt}" if self.plan.chaos.abandoned else name


@dataclass(slots=True, kw_only=True)
class LoadAttempt:
    """An attempt of a task, and the records sent so far."""

    options: LoadOptions
    task: int
    number: int
    die: Callable[[int], NoReturn] = os._exit  # as kill -9 does: no cleanup
    rows: list[SentRow] = field(default_factory=list[SentRow])
    transaction: int = -1

    def run(self) -> None:
        """Send the records of the script; the ledger is written even after a failure.

        Raises:
            LoadProducerError: a client cannot continue.
            TaskFailedError: the plan says so.

        """
        try:
            self._run()
        finally:
            write_sent(self.options.folder, self.task, self.number, self.rows)

    def _run(self) -> None:
        options = self.options
        script = script_of(options.plan, options.shape, self.task, self.number)
        producer = self._producer()
        try:
            if self._has_one_transaction:
                self._begin(producer)
            for each in script:
                producer = self._round(producer, each)
                self._ask_for_moments(each)
            if self._has_one_transaction:
                self._end(producer.commit, "committed")
        finally:
            producer.drop()

    @property
    def _has_one_transaction(self) -> bool:
        return self.options.delivery == "transactional" and self.options.plan.scope == "task"

    @property
    def _has_transactions(self) -> bool:
        return self.options.delivery == "transactional" and self.options.plan.scope == "round"

    def _producer(self, *, is_second: bool = False) -> LoadProducer:
        settings = self.options.settings_of(self.task, self.number, is_second=is_second)
        return make_producer(self.options.client_of(self.task), settings)

    def _ask_for_moments(self, each: Round) -> None:
        if each.moved_partition is None:
            return
        for moment in self.options.plan.moments:
            is_first = each.numbers.start == 0
            if moment.after == "some rounds" or (moment.after == "first round" and is_first):
                ask(
                    self.options.admin,
                    moment,
                    topic=self.options.topic,
                    partition=each.moved_partition,
                )

    # Rounds

    def _round(self, producer: LoadProducer, each: Round) -> LoadProducer:
        """Run a round, and return the producer that continues."""
        if each.turn in {"failed", "died"}:
            self._break_off(producer, each)
        if each.turn == "taken over":
            return self._taken_over(producer, each)
        if not self._has_transactions:
            self._send_all(producer, each.numbers)
        elif each.turn == "aborted":
            self._begin(producer)
            self._send_all(producer, each.numbers)
            self._end(producer.abort, "aborted")
        else:
            self._commit_round(producer, each)
        return producer

    def _commit_round(self, producer: LoadProducer, each: Round) -> None:
        """Send a round in a transaction, like an application: after an abort it starts again.

        Raises:
            LoadProducerError: it cannot be aborted, or it still fails after some tries.

        """
        for left in reversed(range(ROUND_TRIES)):
            self._begin(producer)
            try:
                self._send_all(producer, each.numbers)
                self._end(producer.commit, "committed")
            except LoadProducerError as error:
                if error.kind != "abort" or not left:
                    raise
                self._end(producer.abort, "aborted")
            else:
                return

    def _break_off(self, producer: LoadProducer, each: Round) -> NoReturn:
        """End the attempt after half a round, and leave its transaction open."""
        if self._has_transactions:
            self._begin(producer)
        self._send_all(producer, each.numbers[: (len(each.numbers) + 1) // 2])
        if each.turn == "died":
            write_sent(self.options.folder, self.task, self.number, self.rows)
            self.die(_KILLED)
        raise TaskFailedError(f"task {self.task} fails in attempt {self.number}, as planned")

    def _taken_over(self, zombie: LoadProducer, each: Round) -> LoadProducer:
        """Let a second producer take over during a transaction, while the first one continues.

        Raises:
            LoadProducerError: the second producer fails.

        """
        half = (len(each.numbers) + 1) // 2
        self._begin(zombie)
        self._send_all(zombie, each.numbers[:half])
        second = self._producer(is_second=True)
        self._mark("aborted")  # the successor has started, which aborted its open transaction
        try:
            self._send_regardless(zombie, each.numbers[half:])
            zombie.flush()
            zombie.commit()
        except LoadProducerError:
            self._mark("aborted")
        else:
            self._mark("committed")  # the client reports success: the audit checks that
        zombie.drop()
        self._commit_round(second, each)
        return second

    # Transactions

    def _begin(self, producer: LoadProducer) -> None:
        producer.begin()
        self.transaction += 1

    def _end(self, end: Callable[[], None], outcome: TransactionOutcome) -> None:
        self._mark("unknown")
        end()
        self._mark(outcome)

    def _mark(self, outcome: TransactionOutcome) -> None:
        """Record the outcome of the last rows' transaction."""
        for row in reversed(self.rows):
            if row.transaction != self.transaction:
                return
            row.transaction_outcome = outcome

    # Records

    def _send_all(self, producer: LoadProducer, numbers: range) -> None:
        """Send records, and wait for their results.

        Raises:
            LoadProducerError: a record is not stored, or its result is unknown.

        """
        begin = len(self.rows)
        self._send(producer, numbers)
        producer.flush()
        lost = [row for row in self.rows[begin:] if row.outcome != "acked"]
        if lost:
            why = f"{len(lost)} of {len(numbers)} records are not stored: {lost[0].error}"
            raise LoadProducerError(why, kind="abort" if self._has_transactions else "fatal")

    def _send(self, producer: LoadProducer, numbers: range) -> None:
        for record in self.options.shape.records_of(self.task, numbers):
            self._hand_over(producer, record)

    def _send_regardless(self, zombie: LoadProducer, numbers: range) -> None:
        """Send every record, even if the client knows that it was fenced."""
        for record in self.options.shape.records_of(self.task, numbers):
            try:
                self._hand_over(zombie, record)
            except LoadProducerError as error:
                self.rows[-1].outcome, self.rows[-1].error = "failed", str(error)

    def _hand_over(self, producer: LoadProducer, record: LoadRecord) -> None:
        row = self.row_of(record)
        self.rows.append(row)
        producer.send(record, partial(_set_result, row))

    def row_of(self, record: LoadRecord) -> SentRow:
        """Create the ledger row of a record that is about to be sent."""
        options = self.options
        is_transactional = options.delivery == "transactional"
        return SentRow(
            task=self.task,
            attempt=self.number,
            client=options.client_of(self.task),
            transactional_id=options.transactional_id_of(self.task, self.number),
            transaction=self.transaction if is_transactional else None,
            record_id=record.record_id,
            topic=options.topic,
            partition=record.partition,
            sent_us=int(time.time() * _US),
            transaction_outcome="unknown" if is_transactional else "none",
        )


def _set_result(row: SentRow, result: SendResult) -> None:
    row.outcome, row.offset, row.error = result.outcome, result.offset, result.error
