"""Client without sockets: its requests go to the handlers of the brokers, past faults and ACLs.

The subscribers of events see its requests and responses as those of any client.
"""

from collections.abc import Callable
from concurrent.futures import Future
from typing import Final, TypeVar

from mockbroker.broker.api_table import routes
from mockbroker.broker.call import Answer, Call
from mockbroker.broker.delayed import DelayedResponse
from mockbroker.broker.outcomes import Unanswered
from mockbroker.broker.request_path import tried
from mockbroker.broker.service import Service
from mockbroker.control.cluster_control import ClusterControl
from mockbroker.protocol.api_keys import ApiKey
from mockbroker.protocol.encoded import Encoded
from mockbroker.protocol.errors import ApiError, ErrorCode
from mockbroker.protocol.messages.find_coordinator import (
    FindCoordinatorRequest,
    FindCoordinatorResponse,
)
from mockbroker.protocol.schema.message import Message
from mockbroker.server.event_loop import is_running_on

T = TypeVar("T")
ResponseT = TypeVar("ResponseT", bound=Message)

CLIENT_ID: Final = "mockbroker-append"
_TRANSACTION: Final = 1
_NEWEST_FIND_COORDINATOR: Final = 3
"""The last version that asks about one key."""
_RETRIES: Final = 2
_TRANSIENT: Final = frozenset(
    {
        ErrorCode.COORDINATOR_NOT_AVAILABLE,
        ErrorCode.COORDINATOR_LOAD_IN_PROGRESS,
        ErrorCode.CONCURRENT_TRANSACTIONS,
    }
)
"""Errors that are over when the cluster has done its pending work."""
_PATIENCE_S: Final = 40.0
"""Above all timeouts of a request between brokers."""


class HandlerClient:
    """Client of one cluster, with one connection number in events."""

    def __init__(self, control: ClusterControl) -> None:
        """Take the cluster's control."""
        self.control: Final = control
        self._service: Service | None = None
        self._connection_id = 0
        self._correlation_id = 0

    def coordinator_of(self, transactional_id: str) -> int:
        """Return the broker that coordinates a transactional id, as FindCoordinator finds it.

        Raises:
            ApiError: COORDINATOR_NOT_AVAILABLE.

        """
        request = FindCoordinatorRequest(key=transactional_id, key_type=_TRANSACTION)
        broker_id = self.control.read(lambda cluster, _now_ms: cluster.controller_id)
        found = while_transient(
            lambda: self.ask(request, _NEWEST_FIND_COORDINATOR, FindCoordinatorResponse, broker_id),
            lambda answer: answer.error_code,
        )
        check(found.error_code, f"the transactional id {transactional_id!r} has no coordinator")
        return found.node_id

    def ask(
        self, request: Message, newest: int, kind: type[ResponseT], broker_id: int
    ) -> ResponseT:
        """Send a request to a broker, in its newest version up to `newest`; return the response.

        Raises:
            RuntimeError: the cluster does not run; or the response waits for another one, and the
                caller is the cluster's own loop.
            TimeoutError: the response does not come.

        """
        answer = self.control.change_service(
            lambda service: self._handled(service, request, newest, broker_id)
        )
        if isinstance(answer, Future):
            if is_running_on(self.control.loop):
                raise RuntimeError(
                    "the response waits for another one, and this call would block its own event "
                    "loop: call it from another thread, as with `cluster.aio.run`"
                )
            answer = answer.result(_PATIENCE_S)
        assert isinstance(answer, kind), answer
        return answer

    def _handled(
        self, service: Service, request: Message, newest: int, broker_id: int
    ) -> "Message | Future[Message]":
        call = self._call(service, request, newest, broker_id)
        if service.event_bus is not None:
            service.event_bus.request_came(request, call)
        handle = routes()[call.api_key].handle
        answer: Answer = tried(lambda: handle(request, call), request, call)
        if not isinstance(answer, DelayedResponse):
            return _reported(answer, request, call)
        later: Future[Message] = Future()
        _wait(answer, request, call, later)
        return later

    def _call(self, service: Service, request: Message, newest: int, broker_id: int) -> Call:
        if service is not self._service:  # the first request, or the first after a reset
            self._service = service
            self._connection_id = next(service.connection_ids)
            self._correlation_id = 0
        self._correlation_id += 1
        assert request.API is not None
        api_key = ApiKey(request.API)
        versions = service.cluster.options.api_versions[api_key]
        return Call(
            service,
            broker_id=broker_id,
            connection_id=self._connection_id,
            api_key=api_key,
            api_version=min(newest, versions.stop - 1),
            correlation_id=self._correlation_id,
            client_id=CLIENT_ID,
        )


def check(code: int, why: str) -> None:
    """Raise the error of a response, if there is one.

    Raises:
        ApiError: the code is not NONE.

    """
    if code != ErrorCode.NONE:
        raise ApiError(ErrorCode(code), why)


def while_transient(ask: Callable[[], T], code_of: Callable[[T], int]) -> T:
    """Send a request again while its error may be over by now; return the last response."""
    answer = ask()
    for _ in range(_RETRIES):
        if code_of(answer) not in _TRANSIENT:
            break
        answer = ask()
    return answer


def _wait(delayed: DelayedResponse, request: Message, call: Call, later: "Future[Message]") -> None:
    """Wait for a delayed response, and for those that replace it."""
    attempt = delayed.attempt

    def again(is_last: bool) -> Answer:
        return tried(lambda: attempt(is_last), request, call)

    delayed.attempt = again

    def finish(answer: "Message | Encoded | DelayedResponse | Unanswered") -> None:
        if isinstance(answer, DelayedResponse):
            _wait(answer, request, call, later)
        else:
            later.set_result(_reported(answer, request, call))

    call.service.purgatory.delay(delayed, finish)


def _reported(answer: Answer, request: Message, call: Call) -> Message:
    assert isinstance(answer, Message), answer
    if call.service.event_bus is not None:
        call.service.event_bus.answer_given(answer, request, call)
    return answer
