"""Between the verbs of `Fault` and the fields of documents: one table, read in both directions."""

from collections.abc import Mapping
from typing import Final, cast

from mockbroker.faults.conditions import Event
from mockbroker.faults.documents.toxic_document import TOXICS
from mockbroker.faults.verb import Verb

MAIN: Final[Mapping[str, str]] = {
    "answer": "error",
    "apply_then_answer": "error",
    "delay": "by",
    "throttle": "by",
    "times": "count",
    "on_call": "number",
    "with_probability": "probability",
}
"""The argument that a document writes as the verb's own value."""

SAYS: Final[Mapping[str, str | bool]] = {
    "lose_response": "after_apply",
    "drop_request": "before_apply",
    "hold": "request",
    "hold_response": "after_apply",
    "duplicate": True,
    "corrupt": True,
    "observe": True,
    "once": True,
    "every_time": True,
}
"""What stands there for a verb that has no such argument."""

_MARKERS: Final = {"abort_marker": "abort", "commit_marker": "commit", "marker": "any"}


def as_fields(verb: Verb) -> dict[str, object]:
    """Write an effect or a trigger as the fields of its document."""
    arguments = dict(verb.arguments)
    if verb.name in TOXICS:
        return {verb.name: arguments}
    main = MAIN.get(verb.name)
    value = SAYS[verb.name] if main is None else arguments.pop(main)
    until = arguments.get("until")
    if until is not None and not isinstance(until, str):
        arguments["until"] = until_fields(until)
    return {verb.name: value, **arguments}


def is_expressible(verb: Verb) -> bool:
    """Tell whether a document can say it: what waits for a predicate of Python's, it cannot."""
    until = verb.arguments.get("until")
    return until is None or isinstance(until, str) or until_fields(until) is not None


def until_fields(event: object) -> dict[str, object] | None:
    """Write what a call waits for; None for a predicate of Python's."""
    verb = cast("Event", event).verb
    if verb.name in _MARKERS:
        return {"marker": _MARKERS[verb.name], **verb.arguments}
    if verb.name == "rule":
        return dict(verb.arguments)
    if verb.name == "epoch_bump":
        return {"epoch_bump": verb.arguments["transactional_id"]}
    if verb.name == "transaction_state":
        return {"transaction_state": dict(verb.arguments)}
    return None
