"""A rule as JSON, YAML and TOML have it: which calls, at which of them, what happens.

    {"id": "lost-ack", "match": {"api": "Produce", "topic": "orders"},
     "trigger": {"on_call": 1}, "effect": {"lose_response": "after_apply"}}

The words are those of `Fault`, and each effect that has nothing else to say says whether the broker
has applied the request.
"""

from collections.abc import Mapping
from typing import Final, Literal, TypeAlias

import msgspec

from mockbroker.faults.documents.strict import Document, require_one
from mockbroker.faults.documents.toxic_document import (
    TOXICS,
    BandwidthDocument,
    Duration,
    LatencyDocument,
    LimitDataDocument,
    ResetPeerDocument,
    SlicerDocument,
    SlowCloseDocument,
    TimeoutDocument,
)

Texts: TypeAlias = str | list[str] | None
"""One text, or any of several; texts may hold the wildcards `*` and `?`."""
Numbers: TypeAlias = int | list[int] | None
"""One number, or any of several."""

_ALONE: Final[frozenset[str]] = frozenset()


class MatchDocument(Document):
    """The calls that a rule is about: everything named has to fit, what is not named fits any."""

    api: Texts = None
    version: Numbers = None
    topic: Texts = None
    partition: Numbers = None
    transactional_id: Texts = None
    producer_id: Numbers = None
    producer_epoch: Numbers = None
    base_sequence: Numbers = None
    group: Texts = None
    client_id: Texts = None
    broker: Numbers = None
    connection: Numbers = None


class TriggerDocument(Document):
    """At which of those calls the rule strikes; exactly one of these."""

    once: bool = False
    times: int | None = None
    on_call: int | None = None
    every_time: bool = False
    with_probability: float | None = None

    def __post_init__(self) -> None:
        """Check that it says one thing."""
        require_one(self, TRIGGERS)


class TransactionStateDocument(Document):
    """A transactional id in a state, by Kafka's name, such as `CompleteAbort`."""

    transactional_id: str
    state: str


class UntilDocument(Document):
    """What a held call waits for; exactly one of marker, rule, epoch_bump, transaction_state."""

    marker: Literal["abort", "commit", "any"] | None = None
    topic: str | None = None
    partition: int | None = None
    producer_id: int | None = None
    rule: str | None = None
    hits: int = 1
    epoch_bump: str | None = None
    transaction_state: TransactionStateDocument | None = None

    def __post_init__(self) -> None:
        """Check that it waits for one thing."""
        if require_one(self, EVENTS) == "marker" and (self.topic is None or self.partition is None):
            raise ValueError("a marker is waited for in one partition: `topic` and `partition`")


class EffectDocument(Document):
    """What happens; exactly one of Fault's verbs, and what goes with it."""

    answer: str | int | None = None
    apply_then_answer: str | int | None = None
    top_level: bool = False
    lose_response: Literal["after_apply"] | None = None
    drop_request: Literal["before_apply"] | None = None
    how: Literal["disconnect", "silence"] = "disconnect"
    hold: Literal["request"] | None = None
    hold_response: Literal["after_apply"] | None = None
    until: UntilDocument | Duration | None = None
    block_connection: bool = True
    delay: Duration | None = None
    throttle: Duration | None = None
    duplicate: bool = False
    corrupt: bool = False
    observe: bool = False
    latency: LatencyDocument | None = None
    bandwidth: BandwidthDocument | None = None
    slow_close: SlowCloseDocument | None = None
    timeout: TimeoutDocument | None = None
    reset_peer: ResetPeerDocument | None = None
    slicer: SlicerDocument | None = None
    limit_data: LimitDataDocument | None = None

    def __post_init__(self) -> None:
        """Check that it is one effect."""
        require_one(self, EFFECTS)


class RuleDocument(Document, kw_only=True):
    """A whole rule; without a trigger it strikes once, and a toxic every connection."""

    id: str | None = None
    match: MatchDocument = msgspec.field(default_factory=MatchDocument)
    trigger: TriggerDocument | None = None
    effect: EffectDocument


TRIGGERS: Final[Mapping[str, frozenset[str]]] = dict.fromkeys(
    ("once", "times", "on_call", "every_time", "with_probability"), _ALONE
)
"""The triggers; nothing goes with them."""

EVENTS: Final[Mapping[str, frozenset[str]]] = {
    "marker": frozenset({"topic", "partition", "producer_id"}),
    "rule": frozenset({"hits"}),
    "epoch_bump": _ALONE,
    "transaction_state": _ALONE,
}
"""The events, and what goes with each."""

EFFECTS: Final[Mapping[str, frozenset[str]]] = {
    "answer": frozenset({"top_level"}),
    "apply_then_answer": frozenset({"top_level"}),
    "lose_response": frozenset({"how"}),
    "drop_request": frozenset({"how"}),
    "hold": frozenset({"until", "block_connection"}),
    "hold_response": frozenset({"until"}),
    "delay": _ALONE,
    "throttle": _ALONE,
    "duplicate": _ALONE,
    "corrupt": _ALONE,
    "observe": _ALONE,
    **dict.fromkeys(TOXICS, _ALONE),
}
"""The effects, and what goes with each."""
