"""A guide chooses features at random, and near plans that have reached a rare state."""

from tests.simulation.features import FEATURES, MISHAPS
from tests.simulation.guide import Guide
from tests.simulation.mishaps import MISHAPS_OF_PLANS, feature_of
from tests.simulation.plan import Plan


def test_each_mishap_is_a_feature() -> None:
    assert {feature_of(each) for each in MISHAPS_OF_PLANS} == set(MISHAPS)


def test_plans_have_many_sets_of_features() -> None:
    guide = Guide(1)
    plans = [guide.plan(seed) for seed in range(200)]
    sets = [plan.features for plan in plans if plan.features is not None]
    assert 20 < len(plans) - len(sets) < 70, "some are as the seed chooses"
    assert len(set(sets)) > 120
    for feature in FEATURES:
        assert 30 < sum(feature in each for each in sets) < 130


def test_the_same_seed_and_states_give_the_same_plans() -> None:
    one, other = Guide(7), Guide(7)
    assert [one.plan(seed) for seed in range(9)] == [other.plan(seed) for seed in range(9)]


def test_plans_are_near_one_that_has_reached_a_rare_state() -> None:
    guide = Guide(3)
    found = frozenset({"full windows", "lose a window"})
    guide.learn(Plan(seed=0, features=found), ["rare"])
    near = [
        plan.features
        for plan in (guide.plan(seed) for seed in range(100))
        if plan.features is not None and len(plan.features ^ found) == 1
    ]
    assert 30 < len(near) < 70
    assert len(set(near)) > 10, "each differs in another feature"


def test_a_bug_of_a_group_is_looked_for_with_this_group() -> None:
    guide = Guide(4)
    for seed in range(30):
        plan = guide.plan(seed, "streams")
        assert plan.sharing == "streams"
        assert plan.features is None or "streams" in plan.features
