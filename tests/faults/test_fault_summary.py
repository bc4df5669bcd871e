"""Summaries of faults for people."""

from mockbroker.faults.effects.hold import Hold
from mockbroker.faults.fault_summary import fields_of, html_table, line_of, standing
from mockbroker.faults.selectors import Selectors
from mockbroker.faults.trigger import Once
from tests.support.faults import VERSION, Plan, produce_to


def test_a_fault_has_no_effect_is_active_over_or_removed() -> None:
    plan = Plan()
    assert standing(plan.plan.add(Selectors({}))) == "no effect"
    fault = plan.fault(Hold(), Once(), api="Produce", topic="orders")
    assert standing(fault) == "active"
    plan.brokers.connect().send(produce_to(0), VERSION)
    assert standing(fault) == "over"
    assert line_of(fault) == (
        "fault-2: fault(api=Produce, topic='orders').hold().once(), over, 1 calls, 1 hits, 1 held"
    )
    plan.plan.remove(fault)
    assert standing(fault) == "removed"


def test_the_fields_of_a_fault_are_named() -> None:
    fault = Plan().fault(Hold("2s"), Once(), api=["Produce", "Fetch"])
    assert fields_of(fault) == {
        "name": "fault-1",
        "selectors": "api=[Produce, Fetch]",
        "effect": "hold(until='2s')",
        "trigger": "once()",
        "state": "active",
        "calls": 0,
        "hits": 0,
        "held": 0,
    }


def test_a_table_for_a_notebook_is_escaped() -> None:
    html = html_table([Plan().plan.add(Selectors({"topic": "<b>&"}), "<script>")])
    assert "<td>&lt;script&gt;</td><td>topic=&#x27;&lt;b&gt;&amp;&#x27;</td>" in html
    assert "<script>" not in html
    assert html.count("<th>") == html.count("<td>")
