"""A rule as it is shown: its document, and what has come of it."""

from mockbroker.faults.call_facts import CallFacts
from mockbroker.faults.documents.rule_document import EffectDocument, MatchDocument, TriggerDocument
from mockbroker.faults.documents.rule_making import (
    document_of,
    is_sayable,
    match_of,
    trigger_of,
)
from mockbroker.faults.documents.strict import View
from mockbroker.faults.fault import Fault


class NearestView(View):
    """The call that came closest to a rule without being one of its calls; or the connection."""

    api: str | None
    version: int | None
    connection: int
    client_id: str | None
    miss: str
    """Which selector did not fit, and why."""


class RuleView(View):
    """One rule, and what has happened."""

    id: str
    match: MatchDocument
    trigger: TriggerDocument
    effect: EffectDocument | None
    """`null` before an effect was chosen, in Python."""
    expressible: bool
    """Whether the document says all of it: a predicate of Python's it cannot say."""
    python: str
    """The rule as Python makes it."""
    calls: int
    """How many calls it was about, or connections."""
    hits: int
    """How many of them it struck."""
    touched_bytes: int
    """How many bytes of connections it did something to."""
    held: int
    """How many it holds now."""
    released: int
    """How many it held and does not any more."""
    is_over: bool
    """Whether it can strike no more."""
    error: str | None
    """What the last call that was held was answered."""
    warning: str | None
    """What is probably not meant: an error that no Kafka broker sends there."""
    nearest: NearestView | None
    story: str
    """All of that in a sentence."""


class RulesView(View):
    """All rules in the order in which they were made: the first is the outermost."""

    rules: list[RuleView]


def rule_view(fault: Fault) -> RuleView:
    """Show a rule."""
    rule = fault.rule
    document = document_of(rule)
    return RuleView(
        id=rule.name,
        match=match_of(rule),
        trigger=trigger_of(rule),
        effect=None if document is None else document.effect,
        expressible=is_sayable(rule),
        python=str(rule),
        calls=rule.calls,
        hits=rule.hits,
        touched_bytes=rule.touched_bytes,
        held=len(rule.held),
        released=rule.released,
        is_over=rule.is_over,
        error=None if rule.last_error is None else rule.last_error.name,
        warning=rule.warning,
        nearest=_nearest(fault),
        story=fault.story(),
    )


def _nearest(fault: Fault) -> NearestView | None:
    if fault.rule.nearest is None:
        return None
    miss, facts = fault.rule.nearest
    call = facts if isinstance(facts, CallFacts) else None
    return NearestView(
        api=None if call is None else call.api.title,
        version=None if call is None else call.version,
        connection=facts.connection,
        client_id=facts.client_id,
        miss=str(miss),
    )
