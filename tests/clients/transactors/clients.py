"""Clients of the tables, each started at its first use."""

import asyncio
import sys
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Final

from tests.clients.support.client_program import ClientProgram, client_program
from tests.clients.support.go import program
from tests.clients.support.java import java_command, programs
from tests.clients.support.node import package
from tests.clients.support.older_python import VERSION as OLDER_CONFLUENT_VERSION
from tests.clients.support.older_python import older_confluent_command
from tests.clients.support.versions import in_go_module, in_package_lock, locked
from tests.clients.transactors.aiokafka_transactor import AiokafkaTransactors
from tests.clients.transactors.confluent_transactor import ConfluentTransactors
from tests.clients.transactors.program_transactor import JavaTransactors, ProgramTransactors
from tests.clients.transactors.transactor import TransactorClient

JAVA: Final = {"Java 4.4.0": "4.4.0", "Java 2.4.1": "2.4.1"}
CONFLUENT: Final = f"confluent-kafka {locked('confluent-kafka')}"
OLDER_CONFLUENT: Final = f"confluent-kafka {OLDER_CONFLUENT_VERSION}"
AIOKAFKA: Final = f"aiokafka {locked('aiokafka')}"
KAFKA_PYTHON: Final = f"kafka-python {locked('kafka-python')}"
FRANZ_GO: Final = f"franz-go {in_go_module('franz-go', 'github.com/twmb/franz-go')}"
SARAMA: Final = f"sarama {in_go_module('sarama', 'github.com/IBM/sarama')}"
KAFKAJS: Final = f"kafkajs {in_package_lock('kafkajs')}"

TITLES_OF_KIP_691: Final = (*JAVA, CONFLUENT, AIOKAFKA)
"""The columns of the table of errors."""
TITLES: Final = (
    *JAVA,
    CONFLUENT,
    OLDER_CONFLUENT,
    AIOKAFKA,
    KAFKA_PYTHON,
    FRANZ_GO,
    SARAMA,
    KAFKAJS,
)
"""All clients."""
MARKERS: Final[dict[str, tuple[str, ...]]] = {
    **dict.fromkeys(JAVA, ("java",)),
    OLDER_CONFLUENT: ("python310",),
    FRANZ_GO: ("go",),
    SARAMA: ("go",),
    KAFKAJS: ("node",),
}
"""The markers of tests that use a client."""


def _python_command(client: str) -> list[str]:
    return [sys.executable, "-m", "tests.clients.transactors.serve", client]


_COMMANDS: Final[dict[str, Callable[[], Sequence[str | Path]]]] = {
    OLDER_CONFLUENT: older_confluent_command,
    CONFLUENT: lambda: _python_command("confluent-kafka"),
    KAFKA_PYTHON: lambda: _python_command("kafka-python"),
    FRANZ_GO: lambda: [program("franz-go")],
    SARAMA: lambda: [program("sarama")],
    KAFKAJS: lambda: ["node", package("kafkajs") / "transactions.js"],
}
"""The programs that are not Java's."""


class Clients:
    """The clients by title; each is one program for all rows."""

    def __init__(self, running: ExitStack, work_folder: Path, *, apart: bool = False) -> None:
        """Stop the clients with `running`; programs write their logs into the folder.

        librdkafka may not return from a call. `apart` runs it in a program, which sees that.
        """
        self._apart = apart
        self._running = running
        self._work_folder = work_folder
        self._started: dict[str, TransactorClient] = {}

    def __getitem__(self, title: str) -> TransactorClient:
        """Return a client, and start it if necessary."""
        if title not in self._started:
            self._started[title] = self._start(title)
        return self._started[title]

    def _start(self, title: str) -> TransactorClient:
        if title == CONFLUENT and not self._apart:
            return ConfluentTransactors()
        if title == AIOKAFKA:
            return AiokafkaTransactors(self._running.enter_context(asyncio.Runner()))
        if title in JAVA:
            command = java_command(programs(f"clients-{JAVA[title]}"), "Client")
            return JavaTransactors(self._program(title, command))
        return ProgramTransactors(self._program(title, _COMMANDS[title]()))

    def _program(self, title: str, command: Sequence[str | Path]) -> ClientProgram:
        folder = self._work_folder / title.replace(" ", "-")
        folder.mkdir()
        return self._running.enter_context(client_program(command, folder))
