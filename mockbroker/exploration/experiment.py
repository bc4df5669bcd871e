"""Experiments: one effect at one point, in the form of a scenario."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

from mockbroker.exploration.points import Point, SeenCall
from mockbroker.protocol.api_keys import ApiKey
from mockbroker.protocol.error_response import error_levels
from mockbroker.protocol.errors import ErrorCode
from mockbroker.protocol.response_errors import RESPONSE_ERRORS

FAULT: Final = "explored"
"""Id of the fault of an experiment."""
SECOND: Final = "-2"
"""End of the ids of the second experiment of a pair."""
_HELD: Final = {"wait_for": {"fault": FAULT, "held": 1}}
_RELEASE: Final = {"fault.release": {"fault": FAULT}}
_LATER: Final = "again"
"""Id of the fault that observes what a held request waits for."""
_CONNECTING: Final = frozenset(
    {ApiKey.API_VERSIONS, ApiKey.SASL_HANDSHAKE, ApiKey.SASL_AUTHENTICATE}
)
"""What clients send before anything else: their errors test how a client connects."""
_WRITING: Final = frozenset({ApiKey.PRODUCE, ApiKey.TXN_OFFSET_COMMIT, ApiKey.END_TXN})
"""Requests of which a second copy could be applied."""
_AFTER_APPLYING: Final = (
    ErrorCode.DUPLICATE_SEQUENCE_NUMBER,
    ErrorCode.NOT_ENOUGH_REPLICAS_AFTER_APPEND,
)
"""Errors of a Produce whose batch is in the log: clients take the first for a success."""
_OPEN: Final = "Ongoing"
LONG: Final = "15m"
"""Longer than the transaction timeout of every client, unless it sets another."""

Effect = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Experiment:
    """One effect at one point."""

    point: Point
    effect: str
    """What happens, in a few words: `the answer is lost`."""
    state: str
    """State of the point's transactional id or group in the run without faults."""
    faults: tuple[Effect, ...]
    steps: tuple[Any, ...] = ()
    needs_time: bool = False
    """True if the client has to wait for its own timeout."""
    around: str = ""
    """The rest of the situation of the point: see `SeenCall`."""
    parts: tuple["Experiment", ...] = ()
    """The experiments of a pair, in the order of their points."""

    @property
    def name(self) -> str:
        """The name, by which a later run finds it again."""
        if self.parts:
            return "; then ".join(each.name for each in self.parts)
        return f"{self.point}: {self.effect}"

    @property
    def kind(self) -> tuple[object, ...]:
        """What makes it different from others: API, situation and effect."""
        if self.parts:
            return tuple(each.kind for each in self.parts)
        return self.point.api, self.state, self.around, self.effect

    @property
    def fault_ids(self) -> list[str]:
        """Ids of the faults that have to fire."""
        return [FAULT, *([f"{FAULT}{SECOND}"] if self.parts else [])]

    def scenario(self) -> dict[str, Any]:
        """Return the scenario, without its cluster."""
        return {"name": self.name, "faults": list(self.faults), "steps": list(self.steps)}


def experiments_at(call: SeenCall, *, broker_count: int) -> Iterator[Experiment]:
    """Yield the experiments at a call, the plainest first."""
    yield from _on_the_network(call)
    yield from _errors(call)
    yield from _while_held(call, broker_count)


def _on_the_network(call: SeenCall) -> Iterator[Experiment]:
    yield _fault(call, "the answer is lost", {"lose_response": "after_apply"})
    yield _fault(call, "the request is lost", {"drop_request": "before_apply"})
    api = call.point.api
    if api in _WRITING:
        yield _fault(call, "it arrives twice", {"duplicate": True})
    silence = {"lose_response": "after_apply", "how": "silence"}
    yield _fault(call, "the answer never comes", silence, needs_time=True)
    if api in _WRITING:
        retried = call.point._replace(number=call.point.number + 1)
        yield _late(call, "it arrives after its retry", retried)
    if call.next_produce is not None:
        # The client gives the request up, and has begun again with the same epoch (KAFKA-17754).
        yield _late(call, "it arrives in the next transaction", call.next_produce)


def _errors(call: SeenCall) -> Iterator[Experiment]:
    """Yield an answer with each error that Kafka's brokers send there."""
    api = call.point.api
    if api in _CONNECTING or not error_levels(api, call.version):
        return
    for code in sorted(RESPONSE_ERRORS.get(api, ()), key=lambda each: each.name):
        if code is not ErrorCode.NONE and code not in _AFTER_APPLYING:
            yield _fault(call, f"it is answered with {code.name}", {"answer": code.name})
    if api is ApiKey.PRODUCE:
        for code in (*_AFTER_APPLYING, ErrorCode.REQUEST_TIMED_OUT):
            applied = {"apply_then_answer": code.name}
            yield _fault(call, f"it is applied, and answered with {code.name}", applied)


def _while_held(call: SeenCall, broker_count: int) -> Iterator[Experiment]:
    """Yield what may happen to the cluster after the request was sent, and before it arrives."""
    point, own = call.point, call.point.owner
    if call.transactional_id is not None:
        named = {"transactional_id": call.transactional_id}
        if broker_count > 1:
            yield _meanwhile(call, "its coordinator moves", {"move_coordinator": named})
        if call.state == _OPEN:
            yield _meanwhile(call, "its transaction times out", {"clock.advance": {"by": LONG}})
            yield _meanwhile(call, "another instance fences it", {"transaction.abort": named})
        elif call.state:
            expire = {"expire_transactional_id": named}
            yield _meanwhile(call, "its transactional id expires", expire)
    if own is not None and own[0] == "group" and "*" not in own[1] and broker_count > 1:
        moved = {"move_coordinator": {"group": own[1]}}
        yield _meanwhile(call, "its coordinator moves", moved)
    if point.api is ApiKey.PRODUCE and call.partitions:
        topic, partition = call.partitions[0]
        place = {"topic": topic, "partition": partition}
        if broker_count > 1:
            yield _meanwhile(call, "another leader is elected", {"partition.elect": place})


def _fault(call: SeenCall, text: str, effect: Effect, *, needs_time: bool = False) -> Experiment:
    faults = (_document(call.point, effect),)
    return _experiment(call, text, faults, needs_time=needs_time)


def _late(call: SeenCall, text: str, later: Point) -> Experiment:
    """Hold the request until another one arrives; the client has given it up by then."""
    observed = _document(later, {"observe": True}, _LATER)
    held = _document(call.point, {"hold": "request", "until": {"fault": _LATER, "hits": 1}})
    return _experiment(call, text, (observed, held), needs_time=True)


def _meanwhile(call: SeenCall, text: str, step: dict[str, Any]) -> Experiment:
    steps = (_HELD, step, _RELEASE)
    held = _document(call.point, {"hold": "request"})
    return _experiment(call, text, (held,), steps)


def _experiment(
    call: SeenCall,
    text: str,
    faults: tuple[Effect, ...],
    steps: tuple[Any, ...] = (),
    *,
    needs_time: bool = False,
) -> Experiment:
    return Experiment(
        call.point, text, call.state, faults, steps, needs_time=needs_time, around=call.around
    )


def _document(point: Point, effect: Effect, name: str = FAULT) -> Effect:
    return {
        "id": name,
        "match": point.match(),
        "trigger": {"on_call": point.number},
        "effect": effect,
    }
