"""Clients of the measurement, each started at its first use."""

import asyncio
import json
from contextlib import ExitStack
from pathlib import Path
from typing import Final

from tests.clients.python.aiokafka_client import AiokafkaClient
from tests.clients.python.confluent_client import ConfluentClient
from tests.clients.python.kafka_python_client import KafkaPythonClient
from tests.clients.support.client_program import client_program
from tests.clients.support.go import program
from tests.clients.support.java import java_command, programs
from tests.clients.support.node import package
from tests.clients.support.programs import CLIENTS_FOLDER
from tests.clients.support.transactional_client import TransactionalClient
from tests.clients.support.versions import in_go_module, locked

_PACKAGE: Final = CLIENTS_FOLDER / "node" / "kafkajs" / "package.json"

JAVA: Final = {"Java 2.4.1": "2.4.1", "Java 4.4.0": "4.4.0"}
CONFLUENT: Final = f"confluent-kafka {locked('confluent-kafka')}"
AIOKAFKA: Final = f"aiokafka {locked('aiokafka')}"
KAFKA_PYTHON: Final = f"kafka-python {locked('kafka-python')}"
FRANZ_GO: Final = f"franz-go {in_go_module('franz-go', 'github.com/twmb/franz-go')}"
SARAMA: Final = f"sarama {in_go_module('sarama', 'github.com/IBM/sarama')}"
KAFKAJS: Final = f"kafkajs {json.loads(_PACKAGE.read_text('utf-8'))['dependencies']['kafkajs']}"
TITLES: Final = (*JAVA, CONFLUENT, AIOKAFKA, KAFKA_PYTHON, FRANZ_GO, SARAMA, KAFKAJS)
"""The rows of the table."""


class Clients:
    """The clients by title; those in other languages are one program each."""

    def __init__(self, running: ExitStack, work_folder: Path) -> None:
        """Stop the clients with `running`; programs write their logs into the folder."""
        self._running = running
        self._work_folder = work_folder
        self._started: dict[str, TransactionalClient] = {}

    def __getitem__(self, title: str) -> TransactionalClient:
        """Return a client, and start it if necessary."""
        if title not in self._started:
            self._started[title] = self._start(title)
        return self._started[title]

    def _start(self, title: str) -> TransactionalClient:
        if title == CONFLUENT:
            return ConfluentClient()
        if title == AIOKAFKA:
            return AiokafkaClient(self._running.enter_context(asyncio.Runner()))
        if title == KAFKA_PYTHON:
            return KafkaPythonClient()
        folder = self._work_folder / title
        folder.mkdir()
        return self._running.enter_context(client_program(_command(title), folder))


def _command(title: str) -> list[str | Path]:
    if title in JAVA:
        return [*java_command(programs(f"clients-{JAVA[title]}"), "Client")]
    if title == KAFKAJS:
        return ["node", package("kafkajs") / "transactions.js"]
    return [program(title.partition(" ")[0])]
