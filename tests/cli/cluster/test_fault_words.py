"""Faults as words of a command line."""

from typing import Any

import click
import pytest

from mockbroker.cli.cluster.fault_words import (
    document_of,
    effect_forms,
    fault_options,
    until_of,
)
from mockbroker.faults.kinds import effects
from mockbroker.faults.selectors import NAMES
from mockbroker.faults.trigger import Trigger


def parsed(*words: str) -> dict[str, Any]:
    command = click.Command(
        "add", params=[*fault_options(), click.Argument(["words"], nargs=-1)], callback=lambda: None
    )
    values = command.make_context("add", list(words)).params
    return document_of(values.pop("words"), values)


@pytest.mark.parametrize(
    ("line", "document"),
    [
        ("lose-response", {"effect": {"lose_response": "after_apply"}}),
        (
            "drop-request --how silence",
            {"effect": {"drop_request": "before_apply", "how": "silence"}},
        ),
        ("duplicate --once", {"trigger": {"once": True}, "effect": {"duplicate": True}}),
        ("answer 6 --times 3", {"trigger": {"times": 3}, "effect": {"answer": 6}}),
        (
            "--api Produce --topic orders --on-call 2 answer NOT_LEADER_OR_FOLLOWER --top-level",
            {
                "match": {"api": "Produce", "topic": "orders"},
                "trigger": {"on_call": 2},
                "effect": {"answer": "NOT_LEADER_OR_FOLLOWER", "top_level": True},
            },
        ),
        (
            "--topic a --topic b --partition 0 --partition 1 delay 250ms --every-time",
            {
                "match": {"topic": ["a", "b"], "partition": [0, 1]},
                "trigger": {"every_time": True},
                "effect": {"delay": "250ms"},
            },
        ),
        (
            "--transactional-id t hold --until abort-marker:orders:0 --no-block-connection",
            {
                "match": {"transactional_id": "t"},
                "effect": {
                    "hold": "request",
                    "until": {"marker": "abort", "topic": "orders", "partition": 0},
                    "block_connection": False,
                },
            },
        ),
        (
            "--client-id app latency 100ms jitter=10ms",
            {
                "match": {"client_id": "app"},
                "effect": {"latency": {"latency": "100ms", "jitter": "10ms"}},
            },
        ),
        ("limit-data limit-bytes=100", {"effect": {"limit_data": {"limit_bytes": 100}}}),
        (
            "reset-peer --every-time",
            {"trigger": {"every_time": True}, "effect": {"reset_peer": {}}},
        ),
        (
            "--api AddPartitionsToTxn --between-brokers hold-response",
            {
                "match": {"api": "AddPartitionsToTxn", "between_brokers": True},
                "effect": {"hold_response": "after_apply"},
            },
        ),
        (
            "observe --with-probability 0.25",
            {"trigger": {"with_probability": 0.25}, "effect": {"observe": True}},
        ),
    ],
)
def test_arguments_become_a_fault_document(line: str, document: dict[str, Any]) -> None:
    assert parsed(*line.split()) == document


def test_every_field_of_a_fault_document_has_an_option() -> None:
    names = {option.name for option in fault_options()}
    assert names == {*NAMES, *Trigger.KINDS, "top_level", "how", "until", "block_connection"}
    assert {name.split()[0].replace("-", "_") for name in effect_forms()} == set(effects())


@pytest.mark.parametrize(
    ("text", "until"),
    [
        ("250ms", "250ms"),
        ("250", 250),
        ("commit-marker:a:b:1", {"marker": "commit", "topic": "a:b", "partition": 1}),
        ("marker:orders:0", {"marker": "any", "topic": "orders", "partition": 0}),
        ("fault:lost-ack", {"fault": "lost-ack"}),
        ("rule:lost-ack", {"fault": "lost-ack"}),
        ("fault:lost-ack:2", {"fault": "lost-ack", "hits": 2}),
        ("epoch-bump:orders:svc", {"epoch_bump": "orders:svc"}),
        (
            "transaction-state:orders:svc:CompleteAbort",
            {"transaction_state": {"transactional_id": "orders:svc", "state": "CompleteAbort"}},
        ),
    ],
)
def test_a_hold_ends_after_a_duration_or_at_an_event(text: str, until: object) -> None:
    assert until_of(text) == until


@pytest.mark.parametrize("text", ["abort-marker:orders", "abort-marker:orders:x", "tea:time"])
def test_an_unknown_event_is_refused(text: str) -> None:
    with pytest.raises(click.UsageError, match="there are 250ms, abort-marker"):
        until_of(text)


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("", "give an effect: answer VALUE, apply-then-answer VALUE, "),
        ("error NOT_COORDINATOR", "there is no effect 'error'; did you mean 'answer'?"),
        ("drop-requst", "there is no effect 'drop-requst'; did you mean 'drop-request'?"),
        ("explode", "there is no effect 'explode': answer VALUE"),
        ("answer", "answer takes one value, and 0 are given"),
        ("slicer 10 20", "slicer takes AVERAGE_SIZE [size-variation=...]"),
        ("lose-response now", "lose-response takes no value; 'now' is given"),
    ],
)
def test_an_invalid_effect_is_refused(line: str, why: str) -> None:
    with pytest.raises(click.UsageError) as refused:
        parsed(*line.split())
    assert why in refused.value.message
