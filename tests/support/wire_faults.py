"""Faults of a client: requests and answers that are lost or late, and programs that die.

They strike on the client's side, so that they are the same for every broker.
"""

from collections import deque
from collections.abc import Callable, Generator
from contextlib import contextmanager, suppress
from random import Random
from threading import local
from typing import Any, Final, NamedTuple, NoReturn

import pytest

from mockbroker.protocol.messages.init_producer_id import InitProducerIdRequest
from mockbroker.protocol.schema.message import Message
from mockbroker.wire import WireClient

LOST: Final = 0.03
"""Share of requests that are lost, and of answers."""
LATE: Final = 0.5
"""Share of lost requests that arrive later."""
_send = WireClient.send
_receive = WireClient.receive


class DiedError(BaseException):
    """End of a program without any clean-up."""


class _LateRequest(NamedTuple):
    address: str
    request: Message
    version: int


class Program:
    """A program that sends requests: a driver, or a copy of a task."""

    def __init__(self, name: str) -> None:
        """Name it."""
        self.name: Final = name
        self.request_count = 0
        self.is_dead = False
        self.dies_at: int | None = None
        """Number of the request at which it dies, from 1."""
        self.is_answered = False
        """True if the broker gets that request."""
        self.pause: Callable[[], None] | None = None
        """What happens before that request, instead of the death."""


class WireFaults:
    """Faults of all programs of a run, drawn from one generator; `story` is what happened."""

    def __init__(self, random: Random) -> None:
        """Begin with no program."""
        self._random: Final = random
        self._here: Final = local()
        self._fates: dict[int, deque[Callable[[], None] | None]] = {}
        self._late: list[_LateRequest] = []
        self.before_request: Callable[[], None] = lambda: None
        """What else may happen before a request."""
        self.is_calm = False
        """True if nothing is lost any more."""
        self.story: Final[list[str]] = []
        self.transactional_ids: Final[list[str]] = []
        """Those in requests, in order."""

    @contextmanager
    def installed(self) -> Generator[None]:
        """Let all connections of this process have faults."""
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(WireClient, "send", self._sender())
            patch.setattr(WireClient, "receive", self._receiver())
            yield

    @contextmanager
    def running(self, program: Program) -> Generator[None]:
        """Let a program send the requests of the block."""
        before, self._here.program = self._program, program
        try:
            yield
        finally:
            self._here.program = before

    @contextmanager
    def calm(self) -> Generator[None]:
        """Let no program of this run send the requests of the block."""
        before, self._here.program = self._program, None
        try:
            yield
        finally:
            self._here.program = before

    @property
    def _program(self) -> Program | None:
        """Program of this thread."""
        program: Program | None = getattr(self._here, "program", None)
        return program

    def tell(self, text: str) -> None:
        """Add a line to the story."""
        self.story.append(text)

    def deliver_late(self) -> None:
        """Let lost requests arrive."""
        late, self._late = self._late, []
        for each in late:
            self.tell(f"{type(each.request).__name__} arrives late")
            with self.calm(), suppress(OSError), WireClient(each.address) as client:
                _send(client, each.request, each.version)
                client._receive_exactly(4)  # noqa: SLF001 - any answer

    def _sender(self) -> Callable[[WireClient, Message, int], None]:
        def send(client: WireClient, request: Message, version: int) -> None:
            fate = self._fate(client, request, version)
            _send(client, request, version)
            self._fates.setdefault(id(client), deque()).append(fate)

        return send

    def _receiver(self) -> Callable[..., Any]:
        def receive(client: WireClient, version: int, kind: type[Any]) -> Any:
            fates = self._fates.get(id(client))
            fate = fates.popleft() if fates else None
            answer = _receive(client, version, kind)
            if fate is not None:
                client.close()
                fate()
            return answer

        return receive

    def _fate(
        self, client: WireClient, request: Message, version: int
    ) -> Callable[[], None] | None:
        """Return what happens instead of the answer; raise if the request is not sent."""
        program = self._program
        if not client._sent:  # noqa: SLF001 - a new connection; an id may be used again
            self._fates.pop(id(client), None)
        if program is None:
            return None
        if program.is_dead:
            raise DiedError
        program.request_count += 1
        self._note_id(request)
        name = f"{program.name}: {type(request).__name__} ({program.request_count})"
        if program.request_count == program.dies_at:
            return self._end_of(program, name)
        return None if self.is_calm else self._drawn(client, request, version, name)

    def _end_of(self, program: Program, name: str) -> Callable[[], None] | None:
        if program.pause is not None:
            self.tell(f"{name} waits")
            program.pause()
            self.tell(f"{name} goes on")
            return None
        if program.is_answered:
            return lambda: self._die(program, f"{name} is its last")
        return self._die(program, f"{name} is not sent any more")

    def _drawn(
        self, client: WireClient, request: Message, version: int, name: str
    ) -> Callable[[], None] | None:
        self.before_request()
        if self._random.random() < LOST:
            if self._random.random() < LATE:
                self._late.append(_LateRequest(client.address, request, version))
            self.tell(f"{name} is lost")
            client.close()
            raise ConnectionResetError(f"{name} is lost")
        if self._random.random() < LOST:
            return lambda: self._lose(name)
        return None

    def _note_id(self, request: Message) -> None:
        if isinstance(request, InitProducerIdRequest) and request.transactional_id is not None:
            self.transactional_ids.append(request.transactional_id)

    def _die(self, program: Program, why: str) -> NoReturn:
        program.is_dead = True
        self.tell(f"{why}: dies")
        raise DiedError

    def _lose(self, name: str) -> NoReturn:
        self.tell(f"{name}: the answer is lost")
        raise ConnectionResetError(f"{name}: the answer is lost")
