"""Call of a broker to a transaction coordinator, on behalf of a client's call.

Both brokers are in one process, so the response is there in the same step, unless a fault delays or
loses it. Faults wrap such a call as they wrap one of a client, and events report it: its client id
is that of the sending broker, and its connection is 0. While the response is on its way, the
client's call that waits for it is a delayed response; what follows from the response is done even
if the client has gone, as in Kafka.
"""

from asyncio import TimerHandle
from collections.abc import Callable, Mapping
from typing import Final

from mockbroker.broker.api_table import routes
from mockbroker.broker.between_brokers.broker_connection import BrokerConnection, Waiting
from mockbroker.broker.call import Answer, Call
from mockbroker.broker.delayed import MILLISECONDS, DelayedResponse
from mockbroker.broker.outcomes import CloseConnection, Unanswered
from mockbroker.broker.request_path import tried
from mockbroker.events.event_types import NO_CONNECTION, Loss
from mockbroker.protocol.api_keys import ApiKey
from mockbroker.protocol.encoded import Encoded
from mockbroker.protocol.schema.message import Message
from mockbroker.state.transaction.transaction_coordinator import TransactionCoordinator

FIRST_BETWEEN_BROKERS: Final[Mapping[ApiKey, int]] = {
    ApiKey.ADD_PARTITIONS_TO_TXN: 4,
    ApiKey.DESCRIBE_TRANSACTION_STATE: 0,
}
"""The APIs that brokers call, with the first version that they use."""

REQUEST_TIMEOUT: Final = "request.timeout.ms"

Proceed = Callable[[Message | None], Answer]
"""What the sender does with the response; it gets None if there is none."""


def versions_between_brokers(api_key: ApiKey, versions: range) -> range:
    """Return those versions of an API in which brokers call it; empty if they do not."""
    first = FIRST_BETWEEN_BROKERS.get(api_key, versions.stop)
    return range(max(first, versions.start), versions.stop)


class BrokerCall:
    """One call of a broker to another, on behalf of a client's call."""

    __slots__ = (
        "_answer",
        "_asked",
        "_call",
        "_connection",
        "_is_over",
        "_mistake",
        "_proceed",
        "_request",
        "_timer",
    )

    def __init__(self, call: Call, asked: Call, request: Message, proceed: Proceed) -> None:
        """Prepare `asked`; the client's `call` is answered with what `proceed` returns."""
        self._call: Final = call
        self._asked: Final = asked
        self._request: Final = request
        self._proceed: Final = proceed
        self._connection: BrokerConnection | None = None
        self._is_over = False
        self._answer: Answer = None
        self._mistake: Exception | None = None
        self._timer: TimerHandle | None = None

    def send(self, transactional_id: str) -> Answer:
        """Send the request, and answer the client's call: now, or when the response arrives."""
        asked = self._asked
        between = (self._call.broker_id, asked.broker_id, asked.api_key)
        connection = self._call.service.broker_connections.setdefault(between, BrokerConnection())
        self._connection = connection
        if connection.is_busy:
            connection.wait(transactional_id, Waiting(self._send_late, self._give_up))
            return self._later()
        response = self._ask()
        return self._later() if isinstance(response, _InFlight) else self._proceed(response)

    def _send_late(self) -> None:
        """Send a request that had to wait."""
        self._asked.now_ms = self._call.service.read_clock()
        response = self._ask()
        if not isinstance(response, _InFlight):
            self._finish(response)

    def _give_up(self) -> None:
        """Proceed without a response, because the request was never sent."""
        self._finish(None)

    def _ask(self) -> "Message | _InFlight | None":
        """Pass the request to the other broker; None means that the connection is lost."""
        asked, request, service = self._asked, self._request, self._call.service
        if service.event_bus is not None:
            service.event_bus.request_came(request, asked)
        handle = routes()[asked.api_key].handle
        if service.faults is not None:
            handle = service.faults.around(handle)
        try:
            response = tried(lambda: handle(request, asked), request, asked)
        except CloseConnection:
            return None
        if isinstance(response, DelayedResponse):
            service.purgatory.delay(response, self._arrive)
        elif not isinstance(response, Unanswered):
            return self._reported(response)
        else:
            self._report_loss(response)
            if response.hang_up:
                return None
        timeout_ms = asked.cluster.configs.broker_integer(REQUEST_TIMEOUT, self._call.broker_id)
        self._timer = service.loop.call_later(timeout_ms / MILLISECONDS, self._finish, None)
        self._take_connection()
        return _InFlight()

    def _take_connection(self) -> None:
        assert self._connection is not None
        self._connection.is_busy = True
        self._call.service.broker_calls_in_flight += 1

    def _arrive(self, late: "Message | Encoded | DelayedResponse | Unanswered") -> None:
        """Take a response that was in flight."""
        if isinstance(late, DelayedResponse):
            self._call.service.purgatory.delay(late, self._arrive)
        elif self._is_over:  # the sender has closed the connection after its timeout
            self._report_loss(Unanswered(hang_up=True, reason="request_timed_out"))
        elif isinstance(late, Unanswered):
            self._report_loss(late)
            if late.hang_up:
                self._finish(None)
        else:
            self._finish(self._reported(late))

    def _finish(self, response: Message | None) -> None:
        """Do what follows from the response, or from its absence."""
        call, service = self._call, self._call.service
        self._is_over = True
        call.now_ms = service.read_clock()
        event_bus = service.event_bus
        try:
            if event_bus is None:
                self._answer = self._proceed(response)
            else:
                self._answer = event_bus.while_serving(call, lambda: self._proceed(response))
        except CloseConnection as over:
            self._answer = Unanswered(hang_up=True, reason=over.reason)
        except Exception as mistake:  # noqa: BLE001 - answers the client's call, in `_result`
            self._mistake = mistake
        else:
            if self._answer is None:  # acks=0
                self._answer = Unanswered(hang_up=False)
        service.run_pending_soon()
        service.purgatory.touch(self)
        if self._timer is not None:  # it was in flight
            self._timer.cancel()
            service.broker_calls_in_flight -= 1
            assert self._connection is not None
            self._connection.become_free()

    def _later(self) -> DelayedResponse:
        return DelayedResponse((self,), None, lambda _is_last: self._result())

    def _result(self) -> Answer:
        if self._mistake is not None:
            raise self._mistake
        return self._answer

    def _reported(self, response: Message | Encoded | None) -> Message:
        assert isinstance(response, Message), response
        if self._call.service.event_bus is not None:
            self._call.service.event_bus.answer_given(response, self._request, self._asked)
        return response

    def _report_loss(self, lost: Unanswered) -> None:
        event_bus = self._call.service.event_bus
        if event_bus is not None:
            how: Loss = "hang_up" if lost.hang_up else "silence"
            event_bus.answer_lost(self._asked, how, lost.reason)


class _InFlight:
    """Placeholder for a response that is not there yet."""


def call_coordinator(
    call: Call,
    coordinator: TransactionCoordinator,
    request: Message,
    proceed: Proceed,
    *,
    transactional_id: str,
    version: int,
    sender: str,
) -> Answer:
    """Send a request about a transaction from the broker of a client's call to the coordinator's.

    The client's call is answered with what `proceed` returns. `sender` is the part of the broker
    that asks, as its client id names it.
    """
    assert request.API is not None
    asked = Call(
        call.service,
        broker_id=coordinator.broker_id,
        connection_id=NO_CONNECTION,
        api_key=request.API,
        api_version=version,
        correlation_id=0,
        client_id=f"{sender}-client-{call.broker_id}",
        from_broker=call.broker_id,
    )
    asked.cluster = call.cluster
    return BrokerCall(call, asked, request, proceed).send(transactional_id)
