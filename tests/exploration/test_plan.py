"""Plans have what is new first, and are the same for the same seed."""

from mockbroker import API
from mockbroker.exploration.experiment import Experiment
from mockbroker.exploration.plan import ordered
from mockbroker.exploration.points import Point


def experiment(effect: str, number: int, *, needs_time: bool = False) -> Experiment:
    return Experiment(Point(API.PRODUCE, "a", None, number), effect, "", (), needs_time=needs_time)


def test_new_kinds_come_first_and_waits_last_and_a_seed_gives_the_same_order() -> None:
    found = [experiment(effect, number) for number in (1, 2) for effect in "abcdef"]
    found.insert(0, experiment("slow", 1, needs_time=True))
    plan = ordered(found, 7)
    assert [each.point.number for each in plan] == [1] * 6 + [2] * 6 + [1]
    assert plan[-1].needs_time
    assert ordered(found, 7) == plan
    assert any(ordered(found, seed) != plan for seed in range(5))
