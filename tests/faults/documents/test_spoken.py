"""The verbs of faults, as fields."""

from mockbroker import at
from mockbroker.faults.documents.rule_document import EFFECTS, TRIGGERS
from mockbroker.faults.documents.spoken import (
    MAIN,
    SAYS,
    as_fields,
    is_expressible,
    until_fields,
)
from mockbroker.faults.documents.toxic_document import TOXICS
from mockbroker.faults.verb import Verb


def test_a_verb_is_a_field_with_its_first_argument_or_with_what_it_says() -> None:
    assert as_fields(Verb("answer", {"error": "NONE", "top_level": True})) == {
        "answer": "NONE",
        "top_level": True,
    }
    assert as_fields(Verb("lose_response", {"how": "silence"})) == {
        "lose_response": "after_apply",
        "how": "silence",
    }
    assert as_fields(Verb("hold", {"until": "250ms"})) == {"hold": "request", "until": "250ms"}
    assert as_fields(Verb("hold", {"until": at.epoch_bump("a")})) == {
        "hold": "request",
        "until": {"epoch_bump": "a"},
    }


def test_every_form_has_its_value_in_one_of_the_tables() -> None:
    assert set(EFFECTS) | set(TRIGGERS) == set(MAIN) | set(SAYS) | set(TOXICS)
    assert not set(MAIN) & set(SAYS)


def test_only_a_predicate_cannot_be_said() -> None:
    assert until_fields(at.condition(lambda _cluster: True)) is None
    assert not is_expressible(Verb("hold", {"until": at.condition(lambda _cluster: True)}))
    assert is_expressible(Verb("hold", {"until": "1s"}))
    assert is_expressible(Verb("hold"))
    assert until_fields(at.marker("a", 0)) == {"marker": "any", "topic": "a", "partition": 0}
