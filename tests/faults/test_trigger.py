"""At which calls a fault fires."""

import pytest

from mockbroker.faults.trigger import EveryTime, OnCall, Once, Times, Trigger, WithProbability
from mockbroker.state.random_source import RandomSource


def fired_calls(trigger: Trigger, calls: int, seed: int = 1) -> list[int]:
    random = RandomSource(seed)
    return [call for call in range(1, calls + 1) if trigger.fires(call, random)]


@pytest.mark.parametrize(
    ("trigger", "at", "over_after"),
    [
        (Once(), [1], 1),
        (Times(3), [1, 2, 3], 3),
        (EveryTime(), [1, 2, 3, 4, 5], None),
        (OnCall(2), [2], 2),
    ],
    ids=str,
)
def test_calls_are_counted(trigger: Trigger, at: list[int], over_after: int | None) -> None:
    assert fired_calls(trigger, 5) == at
    over = [calls for calls in range(10) if trigger.is_over(calls)]
    assert (over[0] if over else None) == over_after


def test_random_choices_use_the_seed() -> None:
    trigger = WithProbability(0.25)
    first, again, other = (
        fired_calls(trigger, 4000),
        fired_calls(trigger, 4000),
        fired_calls(trigger, 4000, 2),
    )
    assert first == again != other
    assert 850 < len(first) < 1150
    assert fired_calls(WithProbability(1), 5) == [1, 2, 3, 4, 5]
    assert not trigger.is_over(1 << 40)


@pytest.mark.parametrize("number", [0, -1])
def test_calls_are_counted_from_one(number: int) -> None:
    with pytest.raises(ValueError, match="at least once"):
        Times(number)
    with pytest.raises(ValueError, match="counted from 1"):
        OnCall(number)


@pytest.mark.parametrize("probability", [0, -0.5, 1.01])
def test_a_probability_is_above_0_and_at_most_1(probability: float) -> None:
    with pytest.raises(ValueError, match="above 0"):
        WithProbability(probability)


def test_triggers_are_printed_as_their_calls() -> None:
    triggers = (Once(), Times(2), EveryTime(), OnCall(3), WithProbability(0.5))
    assert [str(trigger) for trigger in triggers] == [
        "once()",
        "times(2)",
        "every_time()",
        "on_call(3)",
        "with_probability(0.5)",
    ]
