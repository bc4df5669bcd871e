"""Effects: what may become of a call's request, its answer, and the cluster meanwhile."""

from collections.abc import Iterator
from typing import Any, Final

from mockbroker.exploration.experiment import FAULT, LONG, Effect, Experiment
from mockbroker.exploration.points import Point, SeenCall
from mockbroker.protocol.api_keys import ApiKey
from mockbroker.protocol.error_response import error_levels
from mockbroker.protocol.errors import ErrorCode
from mockbroker.protocol.response_errors import RESPONSE_ERRORS

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
_RIGHTS: Final = {
    ApiKey.PRODUCE: ("write", "topic"),
    ApiKey.FETCH: ("read", "topic"),
    ApiKey.OFFSET_COMMIT: ("read", "group"),
    ApiKey.TXN_OFFSET_COMMIT: ("read", "group"),
    ApiKey.ADD_PARTITIONS_TO_TXN: ("write", "transactional_id"),
    ApiKey.END_TXN: ("write", "transactional_id"),
}
"""The operation that a request needs a right to, and on what."""
_IN_A_SESSION: Final = frozenset(
    {ApiKey.HEARTBEAT, ApiKey.OFFSET_COMMIT, ApiKey.TXN_OFFSET_COMMIT, ApiKey.SYNC_GROUP}
)
_OF_A_MEMBER: Final = _IN_A_SESSION | {ApiKey.CONSUMER_GROUP_HEARTBEAT}
_WITHOUT_MEMBERS: Final = frozenset({"", "Empty", "Dead"})
"""States of a group that cannot rebalance."""
REVOKED: Final = "its right is revoked"
SLOW: Final = "300ms"
"""Longer than a poll of most loops, and shorter than every timeout."""
SESSION: Final = "50s"
"""Longer than the session of a member, and shorter than the transaction timeout, by default."""
PRODUCER_ID_EXPIRY: Final = "25h"
"""Longer than `producer.id.expiration.ms`."""


def experiments_at(
    call: SeenCall, *, broker_count: int, has_authorizer: bool = False
) -> Iterator[Experiment]:
    """Yield the experiments at a call, the plainest first."""
    yield from _on_the_network(call)
    yield from _errors(call)
    yield from _revocations(call, has_authorizer=has_authorizer)
    yield from _while_held(call, broker_count)
    if call.point.api is ApiKey.PRODUCE and call.partitions:
        yield from _while_a_batch_is_held(call, broker_count)
        yield from _lost_in_a_log(call)
    if call.point.api is ApiKey.END_TXN and call.transactional_id is not None and broker_count > 1:
        yield from _between_the_steps(call, {"transactional_id": call.transactional_id})


def _on_the_network(call: SeenCall) -> Iterator[Experiment]:
    yield _fault(call, "the answer is lost", {"lose_response": "after_apply"})
    yield _fault(call, "the request is lost", {"drop_request": "before_apply"})
    api = call.point.api
    if api in _WRITING:
        yield _fault(call, "it arrives twice", {"duplicate": True})
    silence = {"lose_response": "after_apply", "how": "silence"}
    yield _fault(call, "the answer never comes", silence, needs_time=True)
    yield _fault(call, "the answer is slow", {"delay": SLOW}, needs_time=True)
    nothing = {"drop_request": "before_apply", "how": "silence"}
    yield _fault(call, "the request never arrives", nothing, needs_time=True)
    if api in _WRITING:
        retried = call.point._replace(number=call.point.number + 1)
        yield _late(call, "it arrives after its retry", retried)
    if api is ApiKey.PRODUCE and call.transactional_id is not None and call.partitions:
        abort = {"marker": "abort", **_place(call)}
        held = _document(call.point, {"hold": "request", "until": abort})
        yield _experiment(call, "it arrives after an abort", (held,), needs_time=True)
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
    can_move = broker_count > 1 and call.has_coordinator
    if call.transactional_id is not None:
        named = {"transactional_id": call.transactional_id}
        if can_move:
            yield _meanwhile(call, "its coordinator moves", {"move_coordinator": named})
        if call.state == _OPEN:
            yield _meanwhile(call, "its transaction times out", {"clock.advance": {"by": LONG}})
            yield _meanwhile(call, "another instance fences it", {"transaction.abort": named})
        elif call.state:
            expire = {"expire_transactional_id": named}
            yield _meanwhile(call, "its transactional id expires", expire)
    own = call.point.owner
    if own is not None and own[0] == "group" and "*" not in own[1] and can_move:
        moved = {"move_coordinator": {"group": own[1]}}
        yield _meanwhile(call, "its coordinator moves", moved)
    if call.point.api in _IN_A_SESSION:
        expired = {"clock.advance": {"by": SESSION, "keep_sessions": False}}
        yield _meanwhile(call, "the sessions of all members end", expired)
    has_members = call.group_state not in _WITHOUT_MEMBERS
    if call.group is not None and has_members and call.point.api in _OF_A_MEMBER:
        rebalance = {"group.rebalance": {"group": call.group}}
        yield _meanwhile(call, "its group rebalances", rebalance)


def _while_a_batch_is_held(call: SeenCall, broker_count: int) -> Iterator[Experiment]:
    place = _place(call)
    if broker_count > 1:
        yield _meanwhile(call, "another leader is elected", {"partition.elect": place})
    if call.has_producer_id:
        without = {"partition.elect": {**place, "producer_state": "none"}}
        yield _meanwhile(call, "a leader without producer state is elected", without)
    if call.has_producer_id and call.transactional_id is None:
        expire = {"clock.advance": {"by": PRODUCER_ID_EXPIRY}}
        yield _meanwhile(call, "its producer id expires", expire)


def _lost_in_a_log(call: SeenCall) -> Iterator[Experiment]:
    """Yield the loss of a batch that the leader has, and others have not."""
    lose = {"partition.lose_tail": _place(call)}
    if call.acks == 1:
        # It was acknowledged, and may be lost all the same.
        observed = _document(call.point, {"observe": True})
        waits: Effect = {"wait_for": {"fault": FAULT, "hits": 1}}
        yield _experiment(call, "its acknowledged batch is lost", (observed,), (waits, lose))
    elif call.acks != 0:
        # No answer was sent, and the retry has to wait until the new leader is there.
        lost = _document(call.point, {"lose_response": "after_apply"})
        retry = call.point._replace(number=call.point.number + 1)
        held = _document(retry, {"hold": "request"}, _LATER)
        waits = {"wait_for": {"fault": _LATER, "held": 1}}
        steps: tuple[Effect, ...] = (waits, lose, {"fault.release": {"fault": _LATER}})
        yield _experiment(call, "its batch and the answer are lost", (lost, held), steps)


def _between_the_steps(call: SeenCall, named: dict[str, Any]) -> Iterator[Experiment]:
    """Yield a move of the coordinator when the end was prepared, and when a marker was written."""
    held = _document(call.point, {"hold": "request"})
    hold, step = {"transaction.hold_ending": named}, {"transaction.step": named}
    move, go_on = {"move_coordinator": named}, {"transaction.release": named}
    markers: tuple[tuple[str, tuple[Effect, ...]], ...] = (
        ("its coordinator moves when the end is prepared", ()),
        ("its coordinator moves after the first marker", (step,)),
    )
    for text, between in markers:
        yield _experiment(call, text, (held,), (_HELD, hold, _RELEASE, *between, move, go_on))


def _revocations(call: SeenCall, *, has_authorizer: bool) -> Iterator[Experiment]:
    """Yield the loss of a right before this call: by an ACL, or as an answer to all later calls."""
    api = call.point.api
    if api not in _RIGHTS:
        return
    operation, kind = _RIGHTS[api]
    if has_authorizer:
        topic = call.partitions[0][0] if call.partitions else None
        names = {"topic": topic, "group": call.group, "transactional_id": call.transactional_id}
        if name := names[kind]:
            # What else a client does there stays allowed: without another ACL nothing would be.
            allow = {"acls.allow": {"operation": "all", kind: name}}
            deny = {"acls.deny": {"operation": operation, kind: name}}
            yield _meanwhile(call, REVOKED, allow, deny)
    elif error_levels(api, call.version):
        refused = ErrorCode[f"{kind.upper()}_AUTHORIZATION_FAILED"]
        yield _answered_from_now_on(call, refused)


def _answered_from_now_on(call: SeenCall, error: ErrorCode) -> Experiment:
    """Answer this call and all later ones of its API with an error."""
    first = _document(call.point, {"answer": error.name})
    later = {
        "id": _LATER,
        "match": call.point.match(),
        "trigger": {"every_time": True},
        "effect": {"answer": error.name},
    }
    steps = ({"wait_for": {"fault": FAULT, "hits": 1}}, {"fault": later})
    return _experiment(call, REVOKED, (first,), steps)


def _place(call: SeenCall) -> dict[str, Any]:
    topic, partition = call.partitions[0]
    return {"topic": topic, "partition": partition}


def _fault(call: SeenCall, text: str, effect: Effect, *, needs_time: bool = False) -> Experiment:
    faults = (_document(call.point, effect),)
    return _experiment(call, text, faults, needs_time=needs_time)


def _late(call: SeenCall, text: str, later: Point) -> Experiment:
    """Hold the request until another one arrives; the client has given it up by then."""
    observed = _document(later, {"observe": True}, _LATER)
    held = _document(call.point, {"hold": "request", "until": {"fault": _LATER, "hits": 1}})
    return _experiment(call, text, (observed, held), needs_time=True)


def _meanwhile(call: SeenCall, text: str, *done: dict[str, Any]) -> Experiment:
    steps = (_HELD, *done, _RELEASE)
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
