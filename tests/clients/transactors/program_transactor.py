"""Transactor for KIP-691's template with producers in a program of their own.

The program knows these commands; `attempt` returns what the call raised, outermost first. Settings
have the names of Java's producer.

    transactor NAME SETTING=VALUE...
    attempt NAME CALL WORDS...          NAME-OF-ERROR...
    reports NAME                        NAME-OF-ERROR...
    dismiss NAME
"""

import itertools
import re
from collections.abc import Iterator

from mockbroker.protocol.errors import ErrorCode
from tests.clients.support.client_program import ClientProgram
from tests.clients.support.transactional_client import ClientError
from tests.clients.transactors.transactor import Raised, RefusedSetupError, Setup

_LOGIN = "org.apache.kafka.common.security.plain.PlainLoginModule"
_SASL = (
    "security.protocol=SASL_PLAINTEXT",
    "sasl.mechanism=PLAIN",
    f'sasl.jaas.config={_LOGIN} required username="app" password="secret";',
)
_CODE = re.compile(r"code (-?\d+)")


class ProgramTransactor:
    """Implementation of `Transactor`."""

    def __init__(self, program: ClientProgram, name: str, *, is_transactional: bool) -> None:
        self._program = program
        self._name = name
        self._is_transactional = is_transactional

    def init_transactions(self) -> Raised | None:
        return self._attempt("init_transactions")

    def begin_transaction(self) -> Raised | None:
        return self._attempt("begin_transaction")

    def send(self, topic: str, partition: int, value: str) -> Raised | None:
        return self._attempt("send", topic, str(partition), value)

    def flush(self) -> Raised | None:
        return self._attempt("flush")

    def reports(self) -> list[str]:
        return self._program.ask("reports", self._name)

    def send_offsets_to_transaction(
        self, group: str, topic: str, partition: int, offset: int
    ) -> Raised | None:
        words = (group, topic, str(partition), str(offset))
        return self._attempt("send_offsets_to_transaction", *words)

    def commit_transaction(self) -> Raised | None:
        return self._attempt("commit_transaction")

    def abort_transaction(self) -> Raised | None:
        return self._attempt("abort_transaction")

    def close(self) -> None:
        self._program.ask("dismiss", self._name)

    def _attempt(self, call: str, *words: str) -> Raised | None:
        chain = self._program.ask("attempt", self._name, call, *words)
        return Raised(" < ".join(map(_named, chain))) if chain else None


class JavaTransactor(ProgramTransactor):
    """Transactor of Java, whose producer needs no call unless it is transactional."""

    def init_transactions(self) -> Raised | None:
        return super().init_transactions() if self._is_transactional else None


class ProgramTransactors:
    """Implementation of `TransactorClient`: one program for all of them."""

    made = ProgramTransactor

    def __init__(self, program: ClientProgram) -> None:
        self._program = program
        # Explorations take numbers of five digits for parts that differ in each run.
        numbers = itertools.count(10_001)
        self._names: Iterator[str] = (f"transactor-{number}" for number in numbers)

    def transactor(
        self, bootstrap_servers: str, transactional_id: str, setup: Setup
    ) -> ProgramTransactor:
        name = next(self._names)
        settings = (
            f"bootstrap.servers={bootstrap_servers}",
            f"client.id={name}",
            f"transactional.id={transactional_id}"
            if setup.is_transactional
            else f"enable.idempotence={str(setup.acks == 'all').lower()}",
            f"acks={setup.acks}",
            f"max.block.ms={setup.call_timeout_ms}",
            f"delivery.timeout.ms={setup.delivery_timeout_ms}",
            f"request.timeout.ms={setup.request_timeout_ms}",
            f"compression.type={'gzip' if setup.compresses else 'none'}",
            "retry.backoff.ms=20",
            "reconnect.backoff.ms=10",
        )
        try:
            self._program.ask("transactor", name, *settings, *(_SASL if setup.uses_sasl else ()))
        except ClientError as error:
            raise RefusedSetupError(Raised(error.name)) from error
        return self.made(self._program, name, is_transactional=setup.is_transactional)


class JavaTransactors(ProgramTransactors):
    """Implementation of `TransactorClient` with Java's program."""

    made = JavaTransactor


def _named(error: str) -> str:
    """Return Kafka's name of an error that the client has only by its code."""
    code = _CODE.fullmatch(error)
    return error if code is None else ErrorCode(int(code[1])).name
