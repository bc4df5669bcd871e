"""The form for faults in a real browser: what it makes is what its Python makes."""

import json
import shlex
from typing import Any, Final

import pytest
from confluent_kafka import Producer
from playwright.sync_api import Browser, expect

from mockbroker import Cluster
from tests.support.browser import Looker, looking
from tests.support.http import Http

pytestmark = [pytest.mark.browser, pytest.mark.slow]

COUNTERS: Final = {"calls", "hits", "held", "released", "touched_bytes"}


def shown(cluster: Cluster, name: str) -> dict[str, Any]:
    return {k: v for k, v in Http(cluster).get(f"/faults/{name}").items() if k not in COUNTERS}


def check(looker: Looker, cluster: Cluster, button: str, values: dict[str, str]) -> str:
    """Make a fault by the form; its Python must make the same."""
    code = looker.run(button, {"id": "made", **values})
    by_form = shown(cluster, "made")
    cluster.faults[-1].remove()
    exec(code, {"cluster": cluster})
    assert shown(cluster, "made") == by_form, code
    cluster.faults[-1].remove()
    return code


def test_a_fault_is_made_by_the_form_as_by_its_python(looker: Looker, cluster: Cluster) -> None:
    looker.open("faults").live()
    base = 'cluster.fault("Produce", name="made")'
    answer = {
        "effect": "answer",
        "answer-answer": "NOT_LEADER_OR_FOLLOWER",
        "trigger": "on_call",
        "on_call-on_call": "2",
        "match-topic": "orders",
        "match-partition": "1",
    }
    code = check(looker, cluster, "Add a fault", answer)
    where = 'cluster.fault("Produce", topic="orders", partition=1, name="made")'
    assert code == f'{where}.answer("NOT_LEADER_OR_FOLLOWER").on_call(2)'
    silent = {"effect": "lose_response", "lose_response-how": "silence", "trigger": "every_time"}
    code = check(looker, cluster, "Add a fault", silent)
    assert code == f'{base}.lose_response(how="silence").every_time()'
    rare = {"effect": "delay", "delay-delay": "20ms", "trigger": "with_probability"}
    rare["with_probability-with_probability"] = "0.25"
    code = check(looker, cluster, "Add a fault", rare)
    assert code == f'{base}.delay("20ms").with_probability(0.25)'


UNTIL: Final[dict[str, tuple[dict[str, str], str]]] = {
    "": ({"hold-block_connection": "false"}, "block_connection=False"),
    "time": ({"hold-until-time": "2s"}, 'until="2s"'),
    "marker": (
        {"marker-marker": "abort", "marker-topic": "orders", "marker-partition": "0"},
        'until=at.abort_marker("orders", 0)',
    ),
    "fault": (
        {"fault-fault": "lost-ack", "fault-held": "2"},
        'until=at.fault(next(each for each in cluster.faults if each.name == "lost-ack"), held=2)',
    ),
    "records": (
        {"records-records": "5", "records-topic": "orders", "records-partition": "1"},
        'until=at.records("orders", 5, partition=1)',
    ),
    "log_end_offset": (
        {
            "log_end_offset-log_end_offset": "9",
            "log_end_offset-topic": "orders",
            "log_end_offset-partition": "0",
        },
        'until=at.log_end_offset("orders", 0, 9)',
    ),
    "epoch_bump": ({"epoch_bump-epoch_bump": "billing"}, 'until=at.epoch_bump("billing")'),
    "transaction_state": (
        {
            "transaction_state-transactional_id": "billing",
            "transaction_state-state": "CompleteAbort",
        },
        'until=at.transaction_state("billing", "CompleteAbort")',
    ),
}


def test_a_hold_ends_with_each_event(looker: Looker, cluster: Cluster) -> None:
    looker.open("faults").live()
    dialog = looker.command("Add a fault")
    looker.fill(dialog, {"id": "made", "effect": "hold"})
    for kind, (fields, argument) in UNTIL.items():
        named = {
            name if name.startswith("hold-") else f"hold-until-{name}": value
            for name, value in fields.items()
        }
        looker.fill(dialog, {"hold-until": kind, **named})
        code, line = dialog.locator("pre").all_inner_texts()
        words = shlex.split(line.replace("\\\n", ""))
        by_curl = Http(cluster).post("/faults", json.loads(words[words.index("-d") + 1]))
        cluster.faults[-1].remove()
        exec(code, {"cluster": cluster})
        assert Http(cluster).get("/faults/made") == by_curl, code
        cluster.faults[-1].remove()
        made = code.removeprefix("from mockbroker import at\n\n")
        assert made == f'cluster.fault("Produce", name="made").hold({argument}).once()'
        looker.fill(dialog, {"hold-block_connection": "true"})
    options = dialog.locator("[name='hold-until'] option")
    offered = options.evaluate_all("all => all.map(each => each.value)")
    assert offered == list(UNTIL)


def test_a_network_fault_is_made_by_the_form_as_by_its_python(
    looker: Looker, cluster: Cluster
) -> None:
    looker.open("faults").live()
    values = {
        "effect": "latency",
        "latency-latency": "200ms",
        "latency-jitter": "50ms",
        "latency-stream": "upstream",
        "match-client_id": "till-*",
    }
    code = check(looker, cluster, "Add a network fault", values)
    assert code == (
        'cluster.fault(client_id="till-*", name="made")'
        '.latency("200ms", jitter="50ms", stream="upstream").every_time()'
    )
    values = {"effect": "bandwidth", "bandwidth-rate_kb_s": "10", "trigger": "times"}
    code = check(looker, cluster, "Add a network fault", {**values, "times-times": "2"})
    assert code == 'cluster.fault(name="made").bandwidth(10).times(2)'
    dialog = looker.command("Add a network fault")
    names = dialog.locator("[name^='match-']").evaluate_all("all => all.map(each => each.name)")
    assert "match-client_id" in names
    assert "match-topic" not in names
    looker.keep("network-fault-form")
    assert looker.violations() == []


def test_the_form_offers_only_what_the_api_can_carry(looker: Looker) -> None:
    looker.open("faults?api=Heartbeat").live()
    dialog = looker.command("Add a fault")
    assert dialog.locator("[name='match-group']").count() == 1
    assert dialog.locator("[name='match-topic']").count() == 0
    effects = dialog.locator("[name='effect'] option").all_inner_texts()
    assert "answer" in effects
    assert not {"corrupt", "latency"} & set(effects)
    errors = dialog.locator("[name='answer-answer'] option").all_inner_texts()
    assert "UNKNOWN_MEMBER_ID" in errors
    looker.keep("fault-form")
    assert looker.violations() == []


def test_a_held_call_is_released_by_its_button(browser: Browser) -> None:
    with (
        Cluster(topics={"orders": 1}, admin_port=0) as cluster,
        looking(browser, cluster) as looker,
    ):
        fault = cluster.fault("Produce", name="slow").hold()
        producer = Producer(cluster.client_config("confluent"))
        producer.produce("orders", b"late")
        producer.poll(0)
        fault.wait_held()
        looker.open("faults").live()
        row = looker.row("faults", "slow")
        expect(row).to_contain_text("holds 1")
        assert not cluster.records("orders")
        code = looker.run("Release")
        assert code.endswith('if each.name == "slow")\nfault.release()')
        expect(looker.page.locator("#toasts")).to_contain_text("Released: 1.")
        assert producer.flush(10) == 0
        assert [each.value for each in cluster.records("orders")] == [b"late"]
        expect(row).not_to_contain_text("holds 1")
