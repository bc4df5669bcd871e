"""Clients of the table, each started at its first use."""

import asyncio
from contextlib import ExitStack
from pathlib import Path
from typing import Final

from tests.clients.support.client_program import client_program
from tests.clients.support.java import java_command, programs
from tests.clients.support.versions import locked
from tests.clients.transactors.aiokafka_transactor import AiokafkaTransactors
from tests.clients.transactors.confluent_transactor import ConfluentTransactors
from tests.clients.transactors.java_transactor import JavaTransactors
from tests.clients.transactors.transactor import TransactorClient

JAVA: Final = {"Java 4.4.0": "4.4.0", "Java 2.4.1": "2.4.1"}
CONFLUENT: Final = f"confluent-kafka {locked('confluent-kafka')}"
AIOKAFKA: Final = f"aiokafka {locked('aiokafka')}"
TITLES: Final = (*JAVA, CONFLUENT, AIOKAFKA)
"""The columns of the table."""


class Clients:
    """The clients by title; each is one program for all rows."""

    def __init__(self, running: ExitStack, work_folder: Path) -> None:
        """Stop the clients with `running`; programs write their logs into the folder."""
        self._running = running
        self._work_folder = work_folder
        self._started: dict[str, TransactorClient] = {}

    def __getitem__(self, title: str) -> TransactorClient:
        """Return a client, and start it if necessary."""
        if title not in self._started:
            self._started[title] = self._start(title)
        return self._started[title]

    def _start(self, title: str) -> TransactorClient:
        if title == CONFLUENT:
            return ConfluentTransactors()
        if title == AIOKAFKA:
            return AiokafkaTransactors(self._running.enter_context(asyncio.Runner()))
        version = JAVA[title]
        folder = self._work_folder / version
        folder.mkdir()
        command = java_command(programs(f"clients-{version}"), "Client")
        return JavaTransactors(self._running.enter_context(client_program(command, folder)))
