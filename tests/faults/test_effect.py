"""The defaults that an effect may leave as they are."""

from mockbroker import API
from mockbroker.faults.effects.answer import Answer
from mockbroker.faults.effects.duplicate import Duplicate
from mockbroker.faults.effects.observe import Observe
from mockbroker.faults.trigger import EveryTime


def test_an_effect_fits_every_api_without_a_warning_by_default() -> None:
    Duplicate().check(API.PRODUCE, range(9))
    assert Duplicate().warning([API.PRODUCE]) is None
    assert Duplicate().applied == "before"
    assert Duplicate().usual_trigger is None


def test_an_effect_may_have_a_warning_and_another_trigger() -> None:
    assert "no Kafka broker answers" in str(Answer("MEMBER_ID_REQUIRED").warning([API.PRODUCE]))
    assert Observe().usual_trigger == EveryTime()
