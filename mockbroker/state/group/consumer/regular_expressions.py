"""Regular expressions of subscriptions, which the coordinator resolves (KIP-848).

Rules:

1. An expression is checked when its first member subscribes. It is resolved right after that
   heartbeat, for all members that have it; what it matches begins an epoch of the group.
   With an authorizer, it matches what the client of that heartbeat may describe.
2. A heartbeat has all expressions resolved again when a topic was created, or after the refresh
   interval; at most once in ten seconds.
3. An expression that no member has any more is forgotten.
"""

from collections import Counter
from collections.abc import Collection, Mapping
from typing import Final, NamedTuple

from mockbroker.protocol.errors import ApiError, ErrorCode
from mockbroker.state.expression.regular_expression import RegularExpression
from mockbroker.state.group.classic.group_answers import TopicFilter
from mockbroker.state.group.consumer.consumer_group import ConsumerGroup
from mockbroker.state.group.consumer.consumer_group_member import ConsumerGroupMember
from mockbroker.state.group.modern.modern_records import (
    GroupEpoch,
    GroupEpochRecord,
    ModernRecord,
    RegularExpressionRecord,
    ResolvedRegularExpression,
)
from mockbroker.state.group.modern.topic_metadata import TopicMetadata

BATCHING_MS: Final = 10_000
_REASONS: Final[Mapping[str, str]] = {
    "an unexpected )": "regexp/syntax: internal error",
    "an invalid escape ''": "trailing backslash at end of expression",
    "an invalid escape": "invalid escape sequence",
    "an empty range": "invalid character class range",
    "an unknown": "invalid character class range",
    "a missing )": "missing closing )",
    "a missing ]": "missing closing ]",
    "nothing to repeat": "missing argument to repetition operator",
    "a repetition of a repetition": "invalid nested repetition operator",
    "an invalid repetition count": "invalid repeat count",
    "a group that RE2 does not support": "invalid or unsupported Perl syntax",
}
"""Descriptions of Kafka's matcher (RE2/J), by the beginnings of ours."""


class ExpressionUpdate(NamedTuple):
    """What a heartbeat changes in the expressions of its group."""

    has_changed: bool = False
    """True if the member has another expression."""
    is_resolved: bool = False
    """True if that begins an epoch at once, because the topics are known already."""
    records: tuple[ModernRecord, ...] = ()
    unresolved: frozenset[str] = frozenset()
    """The expressions that have to be resolved after the heartbeat."""


def update_expressions(
    group: ConsumerGroup,
    member: ConsumerGroupMember,
    updated: ConsumerGroupMember,
    *,
    now_ms: int,
    refresh_interval_ms: int,
    topics: TopicMetadata,
) -> ExpressionUpdate:
    """Return what changes when a member becomes `updated`.

    Raises:
        ApiError: INVALID_REGULAR_EXPRESSION.

    """
    old, new = _expression_of(member), _expression_of(updated)
    subscribers = Counter(filter(None, map(_expression_of, group.members.values())))
    change = ExpressionUpdate()
    is_new = False
    if member.metadata.subscribed_topic_regex != updated.metadata.subscribed_topic_regex:
        is_new = bool(new) and not subscribers[new]
        if is_new:
            check_expression(new)
        change = ExpressionUpdate(
            has_changed=True,
            is_resolved=new in group.regular_expressions if new else bool(old),
            records=(RegularExpressionRecord(group.kind, group.group_id, old, None),)
            if old and subscribers[old] == 1
            else (),
        )
    if not is_new and not subscribers:
        return change
    known = next(iter(group.regular_expressions.values()), None)
    if known is not None and now_ms <= known.timestamp_ms + BATCHING_MS:
        return change
    subscribers -= Counter([old] if old else [])
    subscribers += Counter([new] if new else [])
    is_due = (
        is_new
        or len(subscribers) != len(group.regular_expressions)
        or known is None
        or known.version < topics.last_created
        or now_ms > known.timestamp_ms + refresh_interval_ms
    )
    return change._replace(unresolved=frozenset(subscribers) if is_due else frozenset())


def resolve_expressions(
    group: ConsumerGroup,
    expressions: Collection[str],
    topics: TopicMetadata,
    now_ms: int,
    may_describe: TopicFilter | None = None,
) -> list[ModernRecord]:
    """Return the records of the topics that match, and of a new epoch if they are others."""
    subscribed = {_expression_of(member) for member in group.members.values()}
    records: list[ModernRecord] = []
    resolved: dict[str, ResolvedRegularExpression] = dict(group.regular_expressions)
    for expression in sorted(set(expressions) & subscribed):
        found = frozenset(filter(may_describe, _matching(expression, topics.names())))
        resolved[expression] = ResolvedRegularExpression(found, topics.revision, now_ms)
        records.append(
            RegularExpressionRecord(group.kind, group.group_id, expression, resolved[expression])
        )
    names: set[str] = set()
    for member in group.members.values():
        names |= member.metadata.subscribed_topic_names
        matched = resolved.get(_expression_of(member))
        names |= frozenset() if matched is None else matched.topics
    metadata_hash = topics.hash_of(names)
    known = group.regular_expressions
    has_changed = metadata_hash != group.metadata_hash or any(
        each.topics != (known[expression].topics if expression in known else frozenset())
        for expression, each in resolved.items()
    )
    if records and has_changed:
        value = GroupEpoch(group.group_epoch + 1, metadata_hash)
        records.append(GroupEpochRecord(group.kind, group.group_id, value))
    return records


def check_expression(expression: str) -> None:
    """Check the syntax of an expression, which is that of RE2.

    Raises:
        ApiError: INVALID_REGULAR_EXPRESSION.

    """
    try:
        _matching(expression, ())
    except ApiError as refusal:
        own = refusal.why.removeprefix(f"{expression!r}: ")
        why = next((each for start, each in _REASONS.items() if own.startswith(start)), own)
        raise ApiError(
            ErrorCode.INVALID_REGULAR_EXPRESSION,
            f"SubscribedTopicRegex `{expression}` is not a valid regular expression: {why}.",
        ) from refusal


def _matching(expression: str, names: Collection[str]) -> list[str]:
    matches = RegularExpression(expression).matches
    return [name for name in names if matches(name)]


def _expression_of(member: ConsumerGroupMember) -> str:
    return member.metadata.subscribed_topic_regex or ""
