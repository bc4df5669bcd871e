"""Client in another language: a program that reads commands from stdin.

Each line is a command, each answer a line; tabs part their words. NAME is what the program calls
the producer, the member or the processor that it makes.

    open NAME BOOTSTRAP TRANSACTIONAL-ID TIMEOUT-MS
    begin NAME
    send NAME TOPIC PARTITION VALUE            once acknowledged
    repeat NAME TOPIC COUNT                    transactions of one record each, committed
    offsets NAME GROUP TOPIC PARTITION OFFSET
    commit NAME
    abort NAME
    close NAME
    read BOOTSTRAP TOPIC PARTITION ISOLATION-LEVEL LAST-VALUE

The argument `consumer` makes the members of groups those of the consumer protocol (KIP-848).

Answers: `ok` with the values read, or `error` with the name of the error and its text. A client of
the matrix has these, too; `support/matrix_client.py` says what each of them is to do:

    round-trip BOOTSTRAP TOPIC PARTITIONS RECORDS COMPRESSION    a digest for each partition
    join NAME BOOTSTRAP GROUP TOPIC INSTANCE-ID                  without an id: a dynamic member
    poll NAME                                                    PARTITION:OFFSET:VALUE...
    assignment NAME                                              PARTITION...
    commit-offsets NAME
    leave NAME
    processor NAME BOOTSTRAP TRANSACTIONAL-ID GROUP SOURCE TARGET
    process NAME commit|abort                                    PARTITION:OFFSET:VALUE...
    stop NAME
    create-topic BOOTSTRAP TOPIC PARTITIONS CONFIG=VALUE...
    topics BOOTSTRAP                                             TOPIC...
    partition-count BOOTSTRAP TOPIC                              COUNT
    topic-config BOOTSTRAP TOPIC CONFIG                          VALUE
    alter-topic-config BOOTSTRAP TOPIC CONFIG VALUE
    create-partitions BOOTSTRAP TOPIC TOTAL
    groups BOOTSTRAP                                             GROUP...
    group BOOTSTRAP GROUP                                        STATE MEMBER-COUNT
    delete-group BOOTSTRAP GROUP
    delete-records BOOTSTRAP TOPIC PARTITION BEFORE-OFFSET       LOW-WATERMARK
    delete-topic BOOTSTRAP TOPIC

Java and franz-go store a record over TLS with SASL, and read the topic:

    secure SETTINGS-FILE TOPIC VALUE                                         VALUE...     (Java)
    secure BOOTSTRAP AUTHORITY-FILE USER PASSWORD TOPIC VALUE                VALUE...     (franz-go)
"""

import itertools
import selectors
import subprocess
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from tests.clients.support.matrix_client import GroupState, Received
from tests.clients.support.records import PARTITION_COUNT, RECORD_COUNT
from tests.clients.support.transactional_client import ClientError

_ANSWER_TIMEOUT_S: Final = 40.0
_END_TIMEOUT_S: Final = 10.0


@contextmanager
def client_program(command: Sequence[str | Path], work_folder: Path) -> Generator["ClientProgram"]:
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
            yield ClientProgram(process, log)
            assert process.stdin is not None
            process.stdin.close()
            assert process.wait(_END_TIMEOUT_S) == 0, (
                f"{command[0]} ended badly: {log.read_text()[-4000:]}"
            )
        finally:
            process.kill()


class ClientProgram:
    """A TransactionalClient; a MatrixClient where the program has all the words."""

    def __init__(self, process: subprocess.Popen[str], log: Path) -> None:
        self._process = process
        self._log = log
        self._names = (f"name-{number}" for number in itertools.count(1))

    def open(
        self, bootstrap_servers: str, transactional_id: str, timeout_ms: int
    ) -> "ProgramProducer":
        """Return a producer that is ready to begin."""
        name = next(self._names)
        self.ask("open", name, bootstrap_servers, transactional_id, str(timeout_ms))
        return ProgramProducer(self, name)

    def read(
        self, bootstrap_servers: str, topic: str, partition: int, isolation_level: str, last: str
    ) -> list[str]:
        """Return the values up to and including the last."""
        return self.ask("read", bootstrap_servers, topic, str(partition), isolation_level, last)

    def round_trip(self, bootstrap_servers: str, topic: str, compression: str) -> list[str]:
        """Return a digest for each partition."""
        counts = (str(PARTITION_COUNT), str(RECORD_COUNT))
        return self.ask("round-trip", bootstrap_servers, topic, *counts, compression)

    def join(
        self, bootstrap_servers: str, group: str, topic: str, instance_id: str | None = None
    ) -> "ProgramMember":
        """Return a member of the group."""
        name = next(self._names)
        self.ask("join", name, bootstrap_servers, group, topic, instance_id or "")
        return ProgramMember(self, name)

    def processor(
        self,
        bootstrap_servers: str,
        *,
        transactional_id: str,
        group: str,
        source: str,
        target: str,
    ) -> "ProgramProcessor":
        """Return a processor."""
        name = next(self._names)
        self.ask("processor", name, bootstrap_servers, transactional_id, group, source, target)
        return ProgramProcessor(self, name)

    def admin(self, bootstrap_servers: str) -> "ProgramAdmin":
        """Return the administration of these brokers."""
        return ProgramAdmin(self, bootstrap_servers)

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

    def __init__(self, program: ClientProgram, name: str) -> None:
        self._program = program
        self._name = name

    def begin(self) -> None:
        """Begin a transaction."""
        self._program.ask("begin", self._name)

    def send(self, topic: str, partition: int, value: str) -> None:
        """Send a record."""
        self._program.ask("send", self._name, topic, str(partition), value)

    def repeat(self, topic: str, count: int) -> None:
        """Commit transactions of one record each, back to back."""
        self._program.ask("repeat", self._name, topic, str(count))

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


class ProgramMember:
    """A GroupMember."""

    def __init__(self, program: ClientProgram, name: str) -> None:
        self._program = program
        self._name = name

    def poll(self) -> list[Received]:
        """Return what has come."""
        return _received(self._program.ask("poll", self._name))

    def assignment(self) -> list[int]:
        """Return the partitions."""
        return sorted(map(int, self._program.ask("assignment", self._name)))

    def commit(self) -> None:
        """Commit what has been polled."""
        self._program.ask("commit-offsets", self._name)

    def close(self) -> None:
        """Close the consumer."""
        self._program.ask("leave", self._name)


class ProgramProcessor:
    """A Processor."""

    def __init__(self, program: ClientProgram, name: str) -> None:
        self._program = program
        self._name = name

    def process(self, *, commit: bool) -> list[Received]:
        """Return what one transaction, if any, processed."""
        end = "commit" if commit else "abort"
        return _received(self._program.ask("process", self._name, end))

    def close(self) -> None:
        """Close consumer and producer."""
        self._program.ask("stop", self._name)


class ProgramAdmin:
    """An Admin."""

    def __init__(self, program: ClientProgram, bootstrap_servers: str) -> None:
        self._program = program
        self._bootstrap_servers = bootstrap_servers

    def create_topic(self, topic: str, partitions: int, configs: Mapping[str, str]) -> None:
        """Create a topic."""
        words = [f"{name}={value}" for name, value in configs.items()]
        self._ask("create-topic", topic, str(partitions), *words)

    def topics(self) -> list[str]:
        """Return the names of all topics."""
        return self._ask("topics")

    def partition_count(self, topic: str) -> int:
        """Return how many partitions a topic has."""
        return int(*self._ask("partition-count", topic))

    def topic_config(self, topic: str, name: str) -> str:
        """Return the value of a config."""
        (value,) = self._ask("topic-config", topic, name)
        return value

    def alter_topic_config(self, topic: str, name: str, value: str) -> None:
        """Set a config."""
        self._ask("alter-topic-config", topic, name, value)

    def create_partitions(self, topic: str, total: int) -> None:
        """Add partitions."""
        self._ask("create-partitions", topic, str(total))

    def groups(self) -> list[str]:
        """Return the names of all groups."""
        return self._ask("groups")

    def group_state(self, group: str) -> GroupState:
        """Describe a group."""
        state, member_count = self._ask("group", group)
        return GroupState(state, int(member_count))

    def delete_group(self, group: str) -> None:
        """Delete a group."""
        self._ask("delete-group", group)

    def delete_records(self, topic: str, partition: int, before_offset: int) -> int:
        """Delete records; return the low watermark."""
        return int(*self._ask("delete-records", topic, str(partition), str(before_offset)))

    def delete_topic(self, topic: str) -> None:
        """Delete a topic."""
        self._ask("delete-topic", topic)

    def _ask(self, command: str, *words: str) -> list[str]:
        return self._program.ask(command, self._bootstrap_servers, *words)


def _received(values: list[str]) -> list[Received]:
    parts = (value.split(":", maxsplit=2) for value in values)
    return [Received(int(partition), int(offset), value) for partition, offset, value in parts]
