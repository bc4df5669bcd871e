"""Rules as JSON: what is refused, and with which path."""

import msgspec
import pytest

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
from mockbroker.faults.documents.strict import Document
from mockbroker.faults.selectors import NAMES


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ('{"match": {"topc": "orders"}, "effect": {"observe": true}}', r"`topc` - at `\$.match`"),
        ('{"efect": {}}', "`efect`"),
        ('{"match": {}}', "missing required field `effect`"),
        ('{"effect": {}}', r"exactly one of answer, .* found none - at `\$.effect`"),
        ('{"effect": {"answer": "A", "delay": 1}}', "found answer, delay"),
        ('{"effect": {"delay": "1s", "how": "silence"}}', "`how` does not go with `delay`"),
        ('{"effect": {"lose_response": "before_apply"}}', r"at `\$.effect.lose_response`"),
        ('{"effect": {"observe": true}, "trigger": {}}', r"found none - at `\$.trigger`"),
        ('{"effect": {"hold": "request", "until": {}}}', r"found none - at `\$.effect.until`"),
        (
            '{"effect": {"hold": "request", "until": {"marker": "abort", "topic": "orders"}}}',
            "`topic` and `partition`",
        ),
        (
            '{"effect": {"hold": "request", "until": {"epoch_bump": "x", "hits": 2}}}',
            "`hits` does not go with `epoch_bump`",
        ),
    ],
)
def test_what_is_no_rule_is_refused_with_its_path(text: str, why: str) -> None:
    with pytest.raises(msgspec.ValidationError, match=why):
        msgspec.json.decode(text, type=RuleDocument)


def test_a_rule_is_what_the_words_say() -> None:
    rule = msgspec.json.decode(
        '{"match": {"api": ["Produce"], "partition": 0}, "effect": {"answer": 6}}',
        type=RuleDocument,
    )
    assert rule.match.api == ["Produce"]
    assert rule.match.partition == 0
    assert rule.effect.answer == 6
    assert rule.trigger is None


def test_every_selector_of_faults_is_one_of_documents() -> None:
    assert set(MatchDocument.__struct_fields__) == set(NAMES)


@pytest.mark.parametrize(
    ("document", "forms"),
    [(TriggerDocument, TRIGGERS), (UntilDocument, EVENTS), (EffectDocument, EFFECTS)],
)
def test_every_field_is_a_form_or_goes_with_one(
    document: type[Document], forms: dict[str, frozenset[str]]
) -> None:
    assert set(document.__struct_fields__) == {
        *forms,
        *(name for s in forms.values() for name in s),
    }
