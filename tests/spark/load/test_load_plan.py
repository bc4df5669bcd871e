"""Named plans and their expected findings."""

import pytest

from mockbroker.audit.rules.rule_table import RULES
from mockbroker.spark.load.load_plan import (
    PLANS,
    AdminCall,
    ClientChaos,
    Plan,
    retries_of,
)


@pytest.mark.parametrize("name", PLANS)
def test_a_plan_expects_existing_rules(name: str) -> None:
    plan = PLANS[name]
    assert plan.expected
    for rules in plan.expected.values():
        assert rules <= set(RULES)
    assert plan.about.endswith(".")


def test_transaction_plans_need_transactions() -> None:
    for plan in PLANS.values():
        if plan.chaos.aborted or plan.chaos.taken_over or plan.chaos.abandoned:
            assert set(plan.expected) == {"transactional"}


def test_a_plan_reports_its_requirements() -> None:
    clean = Plan(about="", expected={"plain": frozenset()})
    assert not clean.needs_mockbroker
    assert not clean.needs_retries
    moment = AdminCall(after="load", path="flush", document={})
    assert Plan(about="", expected={}, moments=(moment,)).needs_mockbroker
    assert Plan(about="", expected={}, rules=({"id": "a"},)).needs_mockbroker
    assert Plan(about="", expected={}, chaos=ClientChaos(dying=0.1)).needs_retries
    assert Plan(about="", expected={}, chaos=ClientChaos(failing=0.1)).needs_retries


@pytest.mark.parametrize(
    ("master", "retries"),
    [("local", 1), ("local[2]", 1), ("local[*]", 1), ("local[2,3]", 3), ("spark://a:1", None)],
)
def test_the_master_sets_the_number_of_tries(master: str, retries: int | None) -> None:
    assert retries_of(master) == retries
