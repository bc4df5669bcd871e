"""Program with transactors of a Python client, which may need an older Python than the tests.

    python -m tests.clients.transactors.serve CLIENT

`program_transactor` has the commands. The program knows nothing of mockbroker.
"""

import importlib
import sys
import threading
from collections.abc import Callable
from typing import Any

from tests.clients.transactors.transactor import Raised, RefusedSetupError, Setup

_CLIENTS = {
    "confluent-kafka": ("confluent_transactor", "ConfluentTransactors"),
    "kafka-python": ("kafka_python_transactor", "KafkaPythonTransactors"),
}


class Program:
    """The transactors of one client, by name."""

    def __init__(self, client: str) -> None:
        module, name = _CLIENTS[client]
        found = importlib.import_module(f"tests.clients.transactors.{module}")
        self._client = getattr(found, name)()
        self._transactors: dict[str, tuple[Any, Setup]] = {}

    def answer(self, command: str, words: list[str]) -> list[str]:
        """Execute a command, and return the words of its answer."""
        name = words[0]
        if command == "transactor":
            settings = dict(word.split("=", 1) for word in words[1:])
            return self._make(name, settings)
        if command == "dismiss":
            if name in self._transactors:
                producer, _ = self._transactors.pop(name)
                threading.Thread(target=producer.close, daemon=True).start()
            return ["ok"]
        if name not in self._transactors:
            # A run that took too long goes on with a producer that it has dismissed.
            return ["error", f"{name} is gone", ""]
        producer, setup = self._transactors[name]
        if command == "reports":
            return ["ok", *producer.reports()]
        raised = _in_time(lambda: _call(producer, words[1], words[2:]), setup)
        return ["ok"] if raised is None else ["ok", str(raised)]

    def _make(self, name: str, settings: dict[str, str]) -> list[str]:
        setup = Setup(
            call_timeout_ms=int(settings["max.block.ms"]),
            delivery_timeout_ms=int(settings["delivery.timeout.ms"]),
            request_timeout_ms=int(settings["request.timeout.ms"]),
            compresses=settings["compression.type"] == "gzip",
            is_transactional="transactional.id" in settings,
            acks=settings["acks"],
        )
        try:
            producer = self._client.transactor(
                settings["bootstrap.servers"], settings.get("transactional.id", ""), setup
            )
        except RefusedSetupError as refused:
            return ["error", refused.raised.name, ""]
        self._transactors[name] = (producer, setup)
        return ["ok"]


def _call(producer: Any, call: str, words: list[str]) -> "Raised | None":
    made = [int(word) if word.isdigit() else word for word in words]
    raised: Raised | None = getattr(producer, call)(*made)
    return raised


def _in_time(call: "Callable[[], Raised | None]", setup: Setup) -> "Raised | None":
    """Return what a call raised, or that it does not come back."""
    raised: list[Raised | None] = []
    thread = threading.Thread(target=lambda: raised.append(call()), daemon=True)
    thread.start()
    thread.join(setup.call_timeout_ms * 1.5 / 1000)
    return raised[0] if raised else Raised("no end")


def main() -> None:
    """Answer the lines of stdin."""
    program = Program(sys.argv[1])
    for line in sys.stdin:
        command, *words = line.rstrip("\n").split("\t")
        sys.stdout.write("\t".join(program.answer(command, words)) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
