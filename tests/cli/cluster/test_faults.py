"""`mockbroker faults`."""

import json
from pathlib import Path

import pytest

from mockbroker.protocol.errors import ErrorCode
from tests.support.admin_cli import AdminCli

pytestmark = pytest.mark.slow

FAULT = {
    "id": "lost-ack",
    "match": {"api": "Produce", "topic": "orders"},
    "trigger": {"on_call": 1},
    "effect": {"lose_response": "after_apply"},
}
REFUSE = ("faults", "add", "--id", "refuse", "--api", "AddPartitionsToTxn", "answer")


def test_a_fault_made_from_arguments_fires(cli: AdminCli) -> None:
    assert cli.text("faults") == "there are no faults\n"
    assert cli.text(*REFUSE, "CONCURRENT_TRANSACTIONS") == (
        "refuse: fault(api=AddPartitionsToTxn).answer('CONCURRENT_TRANSACTIONS').once()\n"
    )
    with cli.producer() as producer:
        assert producer.add_partition("orders") is ErrorCode.CONCURRENT_TRANSACTIONS
        assert producer.add_partition("orders") is ErrorCode.NONE
    titles, row = cli.text("faults").splitlines()
    assert titles.split() == ["FAULT", "CALLS", "HITS", "HELD", "RELEASED", "WHAT"]
    assert row.split()[:5] == ["refuse", "1", "1", "0", "0"]
    assert cli.document("faults", "show", "refuse")["hits"] == 1
    assert "fired once" in cli.text("faults", "wait", "refuse")


def test_a_fault_comes_from_a_file_or_from_standard_input(cli: AdminCli, tmp_path: Path) -> None:
    file = tmp_path / "rule.json"
    file.write_text(json.dumps(FAULT), "utf-8")
    (made,) = cli.document("faults", "add", "-f", str(file))["faults"]
    assert made["id"] == "lost-ack"
    assert made["effect"] == FAULT["effect"]
    others = [{**FAULT, "id": "second"}, {**FAULT, "id": "third"}]
    for said in (others, {"faults": others}, {"rules": others}):
        document = cli.document("faults", "add", "-f", "-", text_in=json.dumps(said))
        assert [each["id"] for each in document["faults"]] == ["second", "third"]
        cli.text("faults", "rm", "second", "third")


def test_a_wait_without_a_hit_times_out_and_names_the_closest_call(cli: AdminCli) -> None:
    cli.text(
        "faults", "add", "--id", "watch", "--api", "EndTxn", "--transactional-id", "x", "observe"
    )
    with cli.producer() as producer:
        producer.add_partition("orders")
        producer.commit()
    why = cli.refusal("faults", "wait", "watch", "--timeout", "50ms", code=4)
    assert "no hits=1 within 50 ms: " in why
    assert "closest call: EndTxn" in why


def test_a_connection_is_slowed_down(cli: AdminCli) -> None:
    words = ("--id", "slow", "--client-id", "app", "latency", "100ms", "jitter=10ms")
    (made,) = cli.document("faults", "add", *words)["faults"]
    assert made["effect"]["latency"]["jitter"] in {10, "10ms"}
    assert "jiter" in cli.refusal("faults", "add", "latency", "100ms", "jiter=10ms")


def test_held_calls_are_released(cli: AdminCli) -> None:
    cli.text("faults", "add", "--id", "late", "--api", "InitProducerId", "hold")
    assert cli.text("faults", "release", "late") == "0 released\n"
    assert cli.document("faults", "wait", "late", "--released", "0")["held"] == 0


def test_faults_are_removed(cli: AdminCli) -> None:
    for name in ("a", "b", "c"):
        cli.text("faults", "add", "--id", name, "--topic", "orders", "observe")
    assert cli.text("faults", "rm", "a", "b") == "a is removed\nb is removed\n"
    assert "'a'" in cli.refusal("faults", "rm", "a")
    assert cli.text("faults", "clear") == "there are no faults any more\n"
    assert cli.document("faults")["faults"] == []


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (["answer", "NO_SUCH_ERROR", "--api", "Produce"], "'NO_SUCH_ERROR' is not an error code"),
        (["--api", "Produse", "observe"], "Produse"),
        (["delay", "250ms", "--top-level"], "`top_level` does not go with `delay`"),
        (["hold", "--until", "tea:time"], "--until=tea:time: there are 250ms, "),
        (["observe", "--once", "--times", "2"], "expected exactly one of once, times"),
        (["explode"], "there is no effect 'explode'"),
        (["-f", "-", "observe"], "name the fault either by --file or"),
        (["-f", "-"], "<stdin>: Expecting value"),
    ],
)
def test_invalid_faults_are_refused(unchanged: AdminCli, words: list[str], why: str) -> None:
    assert why in unchanged.refusal("faults", "add", *words)
    assert unchanged.document("faults")["faults"] == []


def test_an_error_that_no_broker_sends_is_accepted_with_a_warning(cli: AdminCli) -> None:
    words = ("--id", "odd", "--api", "Heartbeat", "answer", "MESSAGE_TOO_LARGE")
    made = cli.run("faults", "add", *words)
    assert (made.exit_code, made.stdout[:5]) == (0, "odd: ")
    assert made.stderr.startswith("mockbroker: ")
    assert "MESSAGE_TOO_LARGE" in made.stderr


def test_an_id_is_given_once(cli: AdminCli) -> None:
    cli.text(*REFUSE, "CONCURRENT_TRANSACTIONS")
    assert "a fault 'refuse' already exists" in cli.refusal(*REFUSE, "CONCURRENT_TRANSACTIONS")
