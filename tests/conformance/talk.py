"""Connection of a scenario, which sends requests and records every response as a step."""

import threading
import time
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import count
from typing import Final, TypeVar
from uuid import UUID

from mockbroker.protocol.api_keys import ApiKey
from mockbroker.protocol.errors import ErrorCode
from mockbroker.protocol.messages.create_topics import CreateTopicsResponse
from mockbroker.protocol.messages.list_offsets import ListOffsetsResponse
from mockbroker.protocol.messages.metadata import (
    MetadataRequest,
    MetadataResponse,
)
from mockbroker.protocol.schema.message import Message
from tests.conformance.answers import error_codes, shown_answer
from tests.conformance.foreign import CannotBeAskedError, Foreign
from tests.conformance.patience import ATTEMPTS, UNREADY, attempts
from tests.conformance.placeholders import Placeholders
from tests.conformance.releases import Release
from tests.conformance.replica_control import ReplicaControl
from tests.conformance.steps import Pending, Step
from tests.conformance.stored import Shown
from tests.conformance.topic_setup import (
    described_request,
    end_request,
    is_settled,
    topic_request,
)
from tests.conformance.wire import Answer, Connection

MessageT = TypeVar("MessageT", bound=Message)
Address = tuple[str, int]
Condition = Callable[[Message], bool]

SILENCE_S: Final = 0.7
WAITED_FROM: Final = 0.9
"""The fraction of a wait that counts as waiting: the clock starts after the request was sent."""
MOMENT_S: Final = 0.002
UNKNOWN_ID: Final = UUID(int=77)
CONTROLLER: Final = 0
"""Placeholder for the broker that is the controller."""
STOPPED: Final = "(the script stopped)"
"""The name of the last step of a script that could not continue."""


class Talk:
    """Connection to one cluster, real Kafka or mockbroker; scripts do not see a difference."""

    def __init__(
        self,
        addresses: Sequence[Address],
        release: Release,
        *,
        pause: Callable[[], None] | None,
        let_time_pass: Callable[[int], None] | None = None,
        restart: Callable[[int], None] | None = None,
        replicas: ReplicaControl | None = None,
        listeners: Mapping[str, Sequence[Address]] | None = None,
        foreign: Foreign | None = None,
    ) -> None:
        """Connect to the brokers at these addresses, in the order of their ids.

        Connections `LISTENER` and `LISTENER/anything` go to a listener. `pause` waits until a
        change is known; without it, that is at once. `let_time_pass` is in milliseconds. `replicas`
        control single brokers; `foreign` is for a broker that the script does not own.
        """
        self.release = release
        self.steps: list[Step] = []
        self.start_ms = int(time.time() * 1000)
        self.names = Placeholders(addresses, self.start_ms, listeners or {})
        self.roles: dict[int, str] = {CONTROLLER: "the controller"}
        """What brokers are called that are not the same in every run."""
        self.home = 1
        """The broker that is asked unless a step names another one."""
        self.witness: int | None = None  # who is asked for the controller; home if None
        self.is_real: Final = pause is not None
        self.brokers: Final = range(1, len(addresses) + 1)
        """The ids of the brokers."""
        self._addresses = addresses
        self._listeners: Final = dict(listeners or {})
        self._pause = pause
        self._let_time_pass = let_time_pass
        self._restart = restart
        self.replicas: Final = replicas
        self._foreign: Final = foreign or Foreign()
        self._connections: dict[tuple[int, str], Connection] = {}
        self._topic_ids: dict[str, UUID] = {}

    def ask(
        self,
        name: str,
        request: Message,
        version: int,
        *,
        broker: int = 1,
        connection: str = "main",
        waits_ms: int | None = None,
    ) -> Answer:
        """Send a request, and record the response; with `waits_ms`, also if it took that long."""
        pending = self.begin(
            name, request, version, broker=broker, connection=connection, waits_ms=waits_ms
        )
        return self.finish(pending)

    def begin(
        self,
        name: str,
        request: Message,
        version: int,
        *,
        broker: int = 1,
        connection: str = "main",
        waits_ms: int | None = None,
    ) -> Pending:
        """Send a request, whose response `finish` reads."""
        assert request.API is not None
        broker = self.home if broker == 1 else broker
        asked = f"{request.API.title} v{version}"
        if broker != 1 or broker in self.roles:
            asked += f" of {self.roles.get(broker, f'broker {broker}')}"
        key = (broker or self.controller(), connection)
        sent_at_s = time.monotonic()
        sent = self.connection(*key).send(request, version)
        return Pending(name, asked, sent, key, waits_ms, sent_at_s)

    def finish(self, pending: Pending, *, patience_s: float | None = None) -> Answer:
        """Read the response to a request, and record it as a step."""
        answer = self.receive(pending, patience_s)
        self.record(pending, answer)
        return answer

    def receive(self, pending: Pending, patience_s: float | None = None) -> Answer:
        """Read the response to a request, without recording a step."""
        patience_s = self._foreign.patience_s if patience_s is None else patience_s
        answer = self._connections[pending.connection].receive(pending.sent, patience_s)
        if not isinstance(answer, Message):
            self._connections.pop(pending.connection).close()
        return answer

    def record(self, pending: Pending, answer: Answer) -> None:
        """Record a response as a step."""
        took_ms = (time.monotonic() - pending.sent_at_s) * 1000
        shown = shown_answer(answer, pending.sent.answer_version, self.names)
        if pending.waits_ms is not None:
            assert isinstance(shown, dict), (pending, shown)
            shown["(waited)"] = took_ms >= WAITED_FROM * pending.waits_ms
        step = Step(
            name=pending.name, asked=pending.asked, answer=shown, request=pending.sent.request
        )
        self.steps.append(step)
        self._foreign.after_step(len(self.steps))

    def expect(self, kind: type[MessageT], answer: Answer) -> MessageT:
        """Check the type of a response, and return it."""
        assert isinstance(answer, kind), answer
        return answer

    def send_only(self, request: Message, version: int, *, broker: int = 1) -> None:
        """Send a request without a response; the connection's next response proves its arrival."""
        self.connection(broker, "main").send(request, version)

    def ask_raw(
        self,
        name: str,
        api_key: int,
        version: int,
        body: bytes = b"",
        *,
        header_version: int = 1,
        answer_version: int | None = None,
        patience_s: float | None = None,
    ) -> Answer:
        """Send a body of bytes with a header of any key and version."""
        connection = self.connection(1, "main")
        sent = connection.send_frame(
            api_key, version, body, header_version=header_version, answer_version=answer_version
        )
        asked = f"API {api_key} v{version}, {len(body)} bytes"
        pending = Pending(name, asked, sent, (1, "main"))
        return self.finish(pending, patience_s=patience_s)

    def until(
        self, name: str, request: Message, version: int, condition: Condition, *, broker: int = 1
    ) -> Answer:
        """Repeat a request until the response satisfies a condition, and record that one."""
        for _ in self._attempts():
            answer = self.quietly(request, version, broker=broker)
            if isinstance(answer, Message) and condition(answer):
                break
        return self.ask(name, request, version, broker=broker)

    def quietly(self, request: Message, version: int, *, broker: int | None = None) -> Answer:
        """Send a request without recording a step."""
        key = (self.home if broker is None else broker, "main")
        connection = self.connection(*key)
        served = self._foreign.served_version(request, version)
        answer = connection.receive(connection.send(request, served), self._foreign.patience_s)
        if not isinstance(answer, Message):
            self._connections.pop(key).close()
        return answer

    def quietly_at_once(self, requests: Sequence[Message], version: int) -> list[Answer]:
        """Send many requests without waiting in between, and return all responses."""
        connection = self.connection(1, "main")
        with connection.at_once():
            sent = [connection.send(request, version) for request in requests]
        return [connection.receive(each, self._foreign.patience_s) for each in sent]

    def ask_patiently(
        self,
        name: str,
        request: Message,
        version: int,
        *,
        broker: int = 1,
        unready: frozenset[ErrorCode] = UNREADY,
    ) -> Answer:
        """Repeat a request while Kafka is busy, and record the last response only."""
        last = attempts(request, version, self.release)
        for attempt in count():
            pending = self.begin(name, request, version, broker=broker)
            answer = self.receive(pending)
            is_busy = isinstance(answer, Message) and not unready.isdisjoint(error_codes(answer))
            if not is_busy or attempt == last:
                self.record(pending, answer)
                return answer
            self.wait_a_moment()
        raise AssertionError

    def until_quietly(
        self,
        request: Message,
        version: int,
        condition: Condition,
        *,
        broker: int | None = None,
    ) -> None:
        """Repeat a request until a condition holds, without recording a step."""
        answer: Answer | None = None
        for _ in range(ATTEMPTS):
            answer = self.quietly(request, version, broker=broker)
            if isinstance(answer, Message) and condition(answer):
                return
            self.wait_a_moment()
        raise AssertionError(f"still {answer}")

    def inner(self, text: str) -> str:
        """Return a text from bytes of the broker with the script's names."""
        translator = self._foreign.translator
        return text if translator is None else translator.inner(text)

    def needs_own_cluster(self, why: str) -> None:
        """End the script on a broker that it does not own.

        Raises:
            CannotBeAskedError: others may use the broker.

        """
        if self._foreign.translator is not None:
            raise CannotBeAskedError(why)

    def partitions_of(self, topic: str) -> int:
        """Return the number of partitions of a topic."""
        answer = self.expect(MetadataResponse, self.quietly(described_request(topic), 1))
        return len(answer.topics[0].partitions)

    def listener_address(self, name: str) -> Address:
        """Return the address of the first broker's listener of a name."""
        return self._listeners[name][0]

    def note(self, name: str, asked: str, answer: Shown) -> None:
        """Record a step with a result of several requests."""
        self.steps.append(Step(name=name, asked=asked, answer=answer))
        self._foreign.after_step(len(self.steps))

    def let_time_pass(self, duration_ms: int) -> None:
        """Advance the brokers' clocks."""
        assert self._let_time_pass is not None, "there is no such clock here"
        self._let_time_pass(duration_ms)

    def restart(self, broker: int) -> None:
        """Restart a broker, which ends its connections."""
        if self._restart is None:
            raise CannotBeAskedError("restarts a broker")
        self._restart(broker)
        self.disconnect(broker)

    def disconnect(self, broker: int) -> None:
        """Close the connections to a broker that goes."""
        for key in [each for each in self._connections if each[0] == broker]:
            self._connections.pop(key).close()

    def wait_a_moment(self, moments: int = 1) -> None:
        """Wait for background work of real Kafka; mockbroker does it at once."""
        pause = self._pause or (lambda: threading.Event().wait(MOMENT_S))
        for _ in range(moments):
            pause()

    def give_up(self, failure: AssertionError) -> None:
        """Record that the script could not continue."""
        self.steps.append(Step(name=STOPPED, asked="", answer=str(failure).partition("\n")[0]))

    def versions(self, api_key: ApiKey) -> range:
        """Return the versions of an API that this release advertises."""
        return self.release.versions.get(api_key, range(0))

    def latest(self, api_key: ApiKey, at_most: int = 99) -> int:
        """Return the newest version of an API that this release has, up to a limit."""
        return min(self.versions(api_key)[-1], at_most)

    def at(self, offset_ms: int) -> int:
        """Return a time for the scenario, an hour ago."""
        return self.names.base_ms + offset_ms

    def id_of(self, name: str) -> UUID:
        """Return the id of a topic that `topic` created; an unused id for any other topic."""
        return self._topic_ids.get(name, UNKNOWN_ID)

    def topic(
        self,
        name: str,
        *,
        partitions: int = 1,
        configs: Mapping[str, str] | None = None,
        assignments: Sequence[Sequence[int]] | None = None,
    ) -> UUID:
        """Create a topic, wait until its leaders serve, and return its id, or zero."""
        replicas = assignments or [[1]] * partitions
        request = topic_request(name, replicas, configs or {})
        made = CreateTopicsResponse()
        for _ in self._attempts():
            made = self.expect(
                CreateTopicsResponse,
                self.quietly(request, self.latest(ApiKey.CREATE_TOPICS), broker=self.controller()),
            )
            # The topic of that name of the last scenario may still be on its way out.
            if made.topics[0].error_code != ErrorCode.TOPIC_ALREADY_EXISTS:
                break
        assert made.topics[0].error_code == ErrorCode.NONE, made
        topic_id = made.topics[0].topic_id
        self.names.learn_topic(name, topic_id)
        self._topic_ids[name] = topic_id
        self.settle(name, [brokers[0] for brokers in replicas])
        return topic_id

    def settle(self, name: str, leaders: Sequence[int]) -> None:
        """Wait until every broker knows the topic, and its leaders respond."""
        request = described_request(name)
        version = self.latest(ApiKey.METADATA, 9)
        for broker in self.brokers:
            for _ in self._attempts():
                answer = self.quietly(request, version, broker=broker)
                if is_settled(self.expect(MetadataResponse, answer).topics[0], len(leaders)):
                    break
        for index, leader in enumerate(leaders):
            self._await_leader(name, index, leader)

    def _await_leader(self, name: str, index: int, leader: int) -> None:
        request = end_request(name, index)
        for _ in self._attempts():
            answer = self.expect(ListOffsetsResponse, self.quietly(request, 1, broker=leader))
            if answer.topics[0].partitions[0].error_code == ErrorCode.NONE:
                return

    def controller(self) -> int:
        """Return the controller's broker: with ZooKeeper, only it creates topics."""
        if len(self._addresses) == 1:
            return 1
        answer = self.quietly(MetadataRequest(topics=[]), 1, broker=self.witness)
        return self.expect(MetadataResponse, answer).controller_id

    def _attempts(self) -> Iterator[int]:
        yield 0
        if self._pause is not None:
            for attempt in range(1, ATTEMPTS):
                self._pause()
                yield attempt

    def connection(self, broker: int, name: str) -> Connection:
        """Return the connection of a name to a broker, which is made at its first use."""
        self._foreign.check_time()
        if (broker, name) not in self._connections:
            addresses = self._listeners.get(name.partition("/")[0], self._addresses)
            translator = self._foreign.translator
            self._connections[broker, name] = Connection(addresses[broker - 1], translator)
        return self._connections[broker, name]

    @contextmanager
    def closing(self) -> Generator["Talk"]:
        """Close the connections at the end."""
        try:
            yield self
        finally:
            for connection in self._connections.values():
                connection.close()
