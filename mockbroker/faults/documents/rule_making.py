"""From a rule's document to the `Fault` that Python makes of the same words, and back."""

from collections.abc import Callable, Mapping
from difflib import get_close_matches
from typing import Any, Final

import msgspec

from mockbroker import at
from mockbroker.control.cluster_handle import ClusterHandle
from mockbroker.faults.conditions import Event
from mockbroker.faults.documents.api_names import api_of
from mockbroker.faults.documents.rule_document import (
    EFFECTS,
    EVENTS,
    TRIGGERS,
    EffectDocument,
    MatchDocument,
    RuleDocument,
    TriggerDocument,
    UntilDocument,
)
from mockbroker.faults.documents.spoken import MAIN, as_fields, is_expressible
from mockbroker.faults.documents.strict import require_one
from mockbroker.faults.documents.toxic_document import TOXICS
from mockbroker.faults.fault import Fault
from mockbroker.faults.rule import Rule
from mockbroker.faults.verb import Verb
from mockbroker.protocol.api_keys import ApiKey

_MARKERS: Final[Mapping[str, Callable[..., Event]]] = {
    "abort": at.abort_marker,
    "commit": at.commit_marker,
    "any": at.marker,
}


class RuleMistakeError(ValueError):
    """A rule that cannot be, though its document is well formed: where, and why."""

    def __init__(self, path: str, why: str) -> None:
        """Name the field by its JSON path."""
        super().__init__(f"{path}: {why}")
        self.path = path
        self.why = why


def make_fault(cluster: ClusterHandle, document: RuleDocument) -> Fault:
    """Make the fault that a document describes, by the calls that Python makes, and at once.

    Raises:
        RuleMistakeError: it cannot be; then there is none.
        RuntimeError: the cluster is not running.

    """
    return cluster.look(lambda _state, _now_ms: _made(cluster, document))


def _made(cluster: ClusterHandle, document: RuleDocument) -> Fault:
    selectors = _selectors(document.match)
    effect, arguments = _effect(cluster, document.effect)
    try:
        fault = cluster.fault(selectors.pop("api", None), name=document.id, **selectors)
    except ValueError as error:
        raise RuleMistakeError("$.id", str(error)) from None
    try:
        _said("$.effect", lambda: getattr(fault, effect)(**arguments))
        _pull(fault, document.trigger)
    except RuleMistakeError:
        fault.remove()
        raise
    return fault


def document_of(rule: Rule) -> RuleDocument | None:
    """Write a rule as its document; None before it has an effect.

    A predicate of Python's is left out: see `is_sayable`.
    """
    verb = _verb_of(rule)
    if verb is None:
        return None
    return RuleDocument(
        id=rule.name,
        match=match_of(rule),
        trigger=trigger_of(rule),
        effect=msgspec.convert(as_fields(verb), EffectDocument),
    )


def match_of(rule: Rule) -> MatchDocument:
    """Write a rule's selectors."""
    wanted = {name: _written(value) for name, value in rule.selectors.wanted.items()}
    return msgspec.convert(wanted, MatchDocument)


def trigger_of(rule: Rule) -> TriggerDocument:
    """Write a rule's trigger."""
    return msgspec.convert(as_fields(rule.trigger.verb), TriggerDocument)


def is_sayable(rule: Rule) -> bool:
    """Tell whether the document says all of a rule: it has no predicate of Python's."""
    if rule.selectors.has_predicate:
        return False
    verb = _verb_of(rule)
    return verb is None or is_expressible(verb)


def _verb_of(rule: Rule) -> Verb | None:
    does = rule.effect or rule.toxic
    return None if does is None else does.verb


def _written(value: object) -> object:
    if isinstance(value, ApiKey):
        return value.title
    if isinstance(value, list | tuple | set | frozenset):
        return sorted(_written(each) for each in value)  # type: ignore[type-var]
    return value


# From documents


def _selectors(match: MatchDocument) -> dict[str, Any]:
    wanted = {name: getattr(match, name) for name in match.__struct_fields__}
    wanted = {name: value for name, value in wanted.items() if value is not None}
    if match.api is not None:
        names = [match.api] if isinstance(match.api, str) else match.api
        found = [_api(name) for name in names]
        wanted["api"] = found[0] if isinstance(match.api, str) else found
    return wanted


def _api(name: str) -> ApiKey:
    try:
        return api_of(name)
    except ValueError as error:
        raise RuleMistakeError("$.match.api", str(error)) from None


def _effect(cluster: ClusterHandle, effect: EffectDocument) -> tuple[str, dict[str, Any]]:
    """Give the method of `Fault` that an effect calls, and its arguments."""
    verb = require_one(effect, EFFECTS)
    if verb in TOXICS:
        return verb, msgspec.structs.asdict(getattr(effect, verb))
    arguments = {name: getattr(effect, name) for name in EFFECTS[verb]}
    if isinstance(effect.until, UntilDocument):
        arguments["until"] = _event(cluster, effect.until)
    if verb in MAIN:
        arguments[MAIN[verb]] = getattr(effect, verb)
    return verb, arguments


def _pull(fault: Fault, trigger: TriggerDocument | None) -> None:
    if trigger is None:
        return
    verb = require_one(trigger, TRIGGERS)
    arguments = {MAIN[verb]: getattr(trigger, verb)} if verb in MAIN else {}
    _said("$.trigger", lambda: getattr(fault, verb)(**arguments))


def _event(cluster: ClusterHandle, until: UntilDocument) -> Event:
    kind = require_one(until, EVENTS)
    if kind == "marker":
        assert until.marker is not None, until
        make: Callable[..., Event] = _MARKERS[until.marker]
        return make(until.topic, until.partition, producer_id=until.producer_id)
    if kind == "rule":
        return at.rule(_rule(cluster, str(until.rule)), until.hits)
    if kind == "epoch_bump":
        return at.epoch_bump(str(until.epoch_bump))
    assert until.transaction_state is not None, until
    state = until.transaction_state
    return at.transaction_state(state.transactional_id, state.state)


def _rule(cluster: ClusterHandle, name: str) -> Fault:
    found = [fault for fault in cluster.faults if fault.rule.name == name]
    if not found:
        names = [fault.rule.name for fault in cluster.faults]
        near = get_close_matches(name, names, n=1)
        hint = f"; did you mean {near[0]!r}?" if near else ""
        raise RuleMistakeError("$.effect.until.rule", f"there is no rule {name!r}{hint}")
    return found[0]


def _said(path: str, make: Callable[[], object]) -> None:
    try:
        make()
    except ValueError as error:
        raise RuleMistakeError(path, str(error)) from None
