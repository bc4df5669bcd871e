"""A transactional client in another language: a program that is told what to do on stdin.

Each line is a command, each answer a line; tabs part their words. NAME stands for a producer.

    open NAME BOOTSTRAP TRANSACTIONAL-ID TIMEOUT-MS
    begin NAME
    send NAME TOPIC PARTITION VALUE            once acknowledged
    offsets NAME GROUP TOPIC PARTITION OFFSET
    commit NAME
    abort NAME
    close NAME
    read BOOTSTRAP TOPIC PARTITION ISOLATION-LEVEL LAST-VALUE

Answers: `ok` with the values read, or `error` with the name of the error and its text.
"""

import itertools
import selectors
import subprocess
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from tests.clients.support.transactional_client import ClientError

_ANSWER_TIMEOUT_S: Final = 40.0
_END_TIMEOUT_S: Final = 10.0


@contextmanager
def transaction_program(
    command: Sequence[str | Path], work_folder: Path
) -> Generator["TransactionProgram"]:
    """Start the program; it ends when its stdin does."""
    log = work_folder / "stderr.log"
    with (
        log.open("wb") as stderr,
        subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=stderr,
            encoding="utf-8",
        ) as process,
    ):
        try:
            yield TransactionProgram(process, log)
            assert process.stdin is not None
            process.stdin.close()
            assert process.wait(_END_TIMEOUT_S) == 0, (
                f"{command[0]} ended badly: {log.read_text()[-4000:]}"
            )
        finally:
            process.kill()


class TransactionProgram:
    """A TransactionalClient."""

    def __init__(self, process: subprocess.Popen[str], log: Path) -> None:
        self._process = process
        self._log = log
        self._producer_names = (f"producer-{number}" for number in itertools.count(1))

    def open(
        self, bootstrap_servers: str, transactional_id: str, timeout_ms: int
    ) -> "ProgramProducer":
        """Return a producer that is ready to begin."""
        name = next(self._producer_names)
        self.ask("open", name, bootstrap_servers, transactional_id, str(timeout_ms))
        return ProgramProducer(self, name)

    def read(
        self, bootstrap_servers: str, topic: str, partition: int, isolation_level: str, last: str
    ) -> list[str]:
        """Return the values up to and including the last."""
        return self.ask("read", bootstrap_servers, topic, str(partition), isolation_level, last)

    def ask(self, *words: str) -> list[str]:
        """Give a command and return the values of its answer.

        Raises: ClientError when the answer is an error.
        """
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write("\t".join(words) + "\n")
        self._process.stdin.flush()
        with selectors.DefaultSelector() as selector:
            selector.register(self._process.stdout, selectors.EVENT_READ)
            ready = selector.select(_ANSWER_TIMEOUT_S)
        answer = self._process.stdout.readline() if ready else ""
        assert answer, (
            f"no answer to {words} in {_ANSWER_TIMEOUT_S} s: {self._log.read_text()[-4000:]}"
        )
        outcome, *values = answer.removesuffix("\n").split("\t")
        if outcome == "error":
            raise ClientError(*values)
        assert outcome == "ok", answer
        return values


class ProgramProducer:
    """A TransactionalProducer."""

    def __init__(self, program: TransactionProgram, name: str) -> None:
        self._program = program
        self._name = name

    def begin(self) -> None:
        """Begin a transaction."""
        self._program.ask("begin", self._name)

    def send(self, topic: str, partition: int, value: str) -> None:
        """Send a record."""
        self._program.ask("send", self._name, topic, str(partition), value)

    def send_offsets(self, group: str, topic: str, partition: int, offset: int) -> None:
        """Add a group's offset."""
        self._program.ask("offsets", self._name, group, topic, str(partition), str(offset))

    def commit(self) -> None:
        """Commit."""
        self._program.ask("commit", self._name)

    def abort(self) -> None:
        """Abort."""
        self._program.ask("abort", self._name)

    def close(self) -> None:
        """Close the producer."""
        self._program.ask("close", self._name)
