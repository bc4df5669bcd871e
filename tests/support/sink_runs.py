"""Seeded runs of a query into the sink, under faults of tasks, drivers, requests and brokers.

A run is a query of some batches: driver and tasks do what Spark lets them do, in its order, and a
driver that has died or failed starts again from the checkpoint. What strikes is drawn from the
seed. Nothing needs Spark, so that a run takes a fraction of a second.
"""

from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import contextmanager
from random import Random
from typing import Any, Final, NamedTuple

from mockbroker.spark.format_errors import KafkaEosError, cluster_of
from mockbroker.spark.sink import worker_ids
from mockbroker.spark.sink.batch_commit import TaskMessage, claim_of, commit_batch
from mockbroker.spark.sink.control_records import BatchIdentity
from mockbroker.spark.sink.sink_options import SinkOptions
from mockbroker.spark.sink.takeover import Claim, give_up, take_over
from mockbroker.spark.sink.task_writing import TaskCopy, write_rows
from mockbroker.wire.client import WireError
from mockbroker.wire.cluster import WireCluster
from tests.support.sinks import rows
from tests.support.turns import Turns
from tests.support.wire_faults import DiedError, Program, WireFaults

BATCHES: Final = 3
STARTS_MAX: Final = 8
"""Number of starts after which nothing fails any more."""
ATTEMPTS: Final = 3
"""Number of attempts of a task, as in `local[2,3]`."""
_ROWS_AT_ONCE: Final = 2
_REQUESTS_OF_A_DRIVER: Final = 60
_REQUESTS_OF_A_TASK: Final = 14


class TaskFailedError(Exception):
    """The failure of a task's own code."""


class CannotFinishError(AssertionError):
    """A query that does not end although nothing fails any more."""


class Target(NamedTuple):
    """Where a run writes: a cluster, with names of the run's own."""

    bootstrap_servers: str
    topic: str
    prefix: str
    control_topic: str


def options_of(target: Target) -> dict[str, str]:
    """Return the options of the sink, with a request for each two rows."""
    return {
        "kafka.bootstrap.servers": target.bootstrap_servers,
        "topic": target.topic,
        "transactionalIdPrefix": target.prefix,
        "controlTopic": target.control_topic,
        "timeoutMs": "20000",
        "kafka.max.request.size": "4100",
    }


class Disturbances:
    """What may happen to the brokers of a run; by default nothing."""

    def between_requests(self, faults: WireFaults, random: Random) -> None:
        """Move coordinators or leaders."""

    def between_steps(self, faults: WireFaults, random: Random) -> None:
        """Let open transactions expire; no batch is decided and not yet ended."""

    def end(self) -> None:
        """Let all brokers run."""


class SinkRun:
    """One query, from its first start to its last batch."""

    def __init__(self, seed: int, target: Target, disturbances: Disturbances) -> None:
        """Draw the rows of its batches."""
        self._random: Final = Random(seed)
        self._target: Final = target
        self._disturbances: Final = disturbances
        self.faults: Final = WireFaults(self._random)
        self.faults.before_request = self._before_request
        self._checkpoint = 0
        self._starts = 0
        self._late_copies: list[Turns] = []
        self._is_replaced = False
        self._batches: Final = [
            [100 * batch + number for number in range(self._random.randint(1, 16))]
            for batch in range(BATCHES)
        ]
        self.ids: Final = [number for batch in self._batches for number in batch]

    def run(self) -> None:
        """Run the query to its end.

        Raises:
            CannotFinishError: it does not end.

        """
        with self.faults.installed():
            self._to_the_end()
            self.faults.is_calm = True
            self._disturbances.end()
            self._let_late_copies_go_on()
            self.faults.deliver_late()

    def _to_the_end(self) -> None:
        why = ""
        for _ in range(2 * STARTS_MAX):
            if self._checkpoint == BATCHES:
                return
            self._starts += 1
            self.faults.is_calm = self._starts > STARTS_MAX
            if self.faults.is_calm:
                self._disturbances.end()
            try:
                self._start()
            except DiedError:
                why = "the driver died"
            except (KafkaEosError, TaskFailedError) as error:
                why = str(error)
                self.faults.tell(f"the query fails: {why}")
        if self._checkpoint < BATCHES:
            raise CannotFinishError(f"the query does not end: {why}")

    def _before_request(self) -> None:
        with self.faults.calm():
            self._disturbances.between_requests(self.faults, self._random)

    def _happens(self, share: float) -> bool:
        return not self.faults.is_calm and self._random.random() < share

    def _program(self, name: str, requests: int, share: float) -> Program:
        program = Program(name)
        if self._happens(share):
            program.dies_at = self._random.randint(1, requests)
            program.is_answered = self._random.random() < 0.5
        return program

    # One start

    def _start(self) -> None:
        """Run batches until all are done, or until the driver dies or fails."""
        name = f"driver {self._starts}"
        if self._happens(0.4):
            worker_ids._ids.clear()  # noqa: SLF001 - other worker processes
            self.faults.tell(f"{name} has new workers")
        options = SinkOptions.of(options_of(self._target), is_stream=True)
        driver = self._program(name, _REQUESTS_OF_A_DRIVER, 0.4)
        if driver.dies_at is not None and not self._is_replaced and self._random.random() < 0.2:
            driver.pause = self._replace
        while self._checkpoint < BATCHES:
            batch = self._checkpoint
            self.faults.tell(f"{name} begins batch {batch}")
            self._batch(driver, options, batch)
            if self._checkpoint > batch:
                return  # another driver has done it meanwhile
            self._between_steps()
            if self._happens(0.1):
                self.faults.tell(f"{name} dies before the checkpoint")
                raise DiedError
            self._checkpoint = batch + 1

    def _replace(self) -> None:
        """Let another driver run the query to its end."""
        self._is_replaced = True
        with self.faults.calm():
            self._to_the_end()

    def _between_steps(self) -> None:
        if self.faults.is_calm:
            return
        with self.faults.calm():
            self._disturbances.between_steps(self.faults, self._random)
        if self._happens(0.3):
            self.faults.deliver_late()
        if self._happens(0.3):
            self._let_late_copies_go_on()

    def _batch(self, driver: Program, options: SinkOptions, batch: int) -> None:
        identity = BatchIdentity("query", str(batch))
        messages: list[TaskMessage] = []
        try:
            with self._client(driver, options) as cluster:
                claim = take_over(cluster, options)
            messages = self._tasks(options, claim, identity)
            self._between_steps()
            with self._client(driver, options) as cluster:
                commit_batch(cluster, options, messages)
        except (KafkaEosError, TaskFailedError) as error:
            self.faults.tell(f"{driver.name} aborts: {error}")
            try:
                with self._client(driver, options) as cluster:
                    give_up(cluster, options, claim_of(messages))
            except KafkaEosError as second:
                self.faults.tell(f"{driver.name} cannot abort: {second}")
            raise

    @contextmanager
    def _client(self, program: Program, options: SinkOptions) -> Generator[WireCluster]:
        with self.faults.running(program), cluster_of(options, KafkaEosError) as cluster:
            yield cluster

    # Tasks

    def _parts(self, batch: int) -> list[list[int]]:
        """Distribute the rows of a batch to tasks, at each start to others."""
        parts: list[list[int]] = [[] for _ in range(self._random.randint(1, 4))]
        for number in self._batches[batch]:
            self._random.choice(parts).append(number)
        return parts

    def _tasks(
        self, options: SinkOptions, claim: Claim, identity: BatchIdentity
    ) -> list[TaskMessage]:
        messages: list[TaskMessage] = []
        for task, ids in enumerate(self._parts(int(identity.batch))):
            if self._happens(0.15):
                self._speculate(options, claim, TaskCopy(identity, task, ATTEMPTS), ids)
            messages.append(self._attempts(options, claim, TaskCopy(identity, task, 0), ids))
            if self._happens(0.15):
                self._speculate(options, claim, TaskCopy(identity, task, ATTEMPTS + 1), ids)
        self._random.shuffle(messages)
        return messages

    def _attempts(
        self, options: SinkOptions, claim: Claim, copy: TaskCopy, ids: Sequence[int]
    ) -> TaskMessage:
        for attempt in range(ATTEMPTS):
            mine = copy._replace(attempt=attempt)
            name = f"task {mine.task}, attempt {attempt}"
            program = self._program(name, _REQUESTS_OF_A_TASK, 0.1)
            fails_after = self._random.randint(0, len(ids)) if self._happens(0.1) else None
            try:
                return self._written(program, options, claim, mine, self._rows(ids, fails_after))
            except DiedError:
                worker_ids._ids.clear()  # noqa: SLF001 - the next attempt has another process
            except (KafkaEosError, TaskFailedError, WireError) as error:
                self.faults.tell(f"{name} fails: {error}")
        raise TaskFailedError(f"task {copy.task} failed {ATTEMPTS} times")

    def _written(
        self,
        program: Program,
        options: SinkOptions,
        claim: Claim,
        copy: TaskCopy,
        batches: Iterator[Any],
    ) -> TaskMessage:
        with self._client(program, options) as cluster:
            return write_rows(cluster, options, claim, copy, batches)

    def _rows(self, ids: Sequence[int], fails_after: int | None = None) -> Iterator[Any]:
        for first in range(0, len(ids), _ROWS_AT_ONCE):
            if fails_after is not None and first >= fails_after:
                raise TaskFailedError("the task's own code fails")
            yield rows(ids[first : first + _ROWS_AT_ONCE])
        if fails_after is not None:
            raise TaskFailedError("the task's own code fails")

    # Copies of tasks whose results nobody uses

    def _speculate(
        self, options: SinkOptions, claim: Claim, copy: TaskCopy, ids: Sequence[int]
    ) -> None:
        """Run a copy now, or let it write its last rows after other steps."""
        name = f"copy of task {copy.task} of batch {copy.identity.batch}"

        def work(wait: Callable[[], None]) -> None:
            try:
                self._written(Program(name), options, claim, copy, self._waiting_rows(ids, wait))
            except (KafkaEosError, WireError) as error:
                self.faults.tell(f"{name} fails: {error}")
            else:
                self.faults.tell(f"{name} has written all its rows")

        copied = Turns(work)
        if self._random.random() < 0.7:
            copied.go_on()
            self.faults.tell(f"{name} has written a half of its rows")
        if self._random.random() < 0.5:
            copied.go_on()
        else:
            self._late_copies.append(copied)

    def _waiting_rows(self, ids: Sequence[int], wait: Callable[[], None]) -> Iterator[Any]:
        middle = len(ids) // 2
        yield from self._rows(ids[:middle])
        wait()
        yield from self._rows(ids[middle:])

    def _let_late_copies_go_on(self) -> None:
        late, self._late_copies = self._late_copies, []
        for each in late:
            each.finish()
