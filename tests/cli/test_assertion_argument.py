"""Assertions as arguments of commands."""

import click
import pytest

from mockbroker.cli.assertion_argument import AssertionType, assertions_table, parse_assertion
from mockbroker.control.assertion_table import ASSERTIONS


@pytest.mark.parametrize(
    ("text", "name", "arguments"),
    [
        ("no-loss", "assert_no_loss", {}),
        ("assert_no_loss", "assert_no_loss", {}),
        ("no-loss:topic=orders", "assert_no_loss", {"topic": "orders"}),
        (
            "no-duplicates:topic=a,key=header:id",
            "assert_no_duplicates",
            {"topic": "a", "key": "header:id"},
        ),
        ("exactly-once:expected=a,expected=b=c", "assert_exactly_once", {"expected": ["a", "b=c"]}),
        ("exactly-once:allow_open", "assert_exactly_once", {"allow_open": True}),
        ("exactly-once:allow_open=false", "assert_exactly_once", {"allow_open": False}),
        (
            "producer-epoch:transactional_id=orders-svc,producer_epoch=2",
            "assert_producer_epoch",
            {"transactional_id": "orders-svc", "producer_epoch": 2},
        ),
        ("fenced:producer_id=7", "assert_fenced", {"producer_id": 7}),
    ],
)
def test_an_argument_names_an_assertion_and_its_arguments(
    text: str, name: str, arguments: dict[str, object]
) -> None:
    assertion = parse_assertion(text)
    assert (assertion.text, assertion.row.name, assertion.arguments) == (text, name, arguments)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("exactly-onec", "there is no assertion 'exactly-onec'; did you mean 'exactly-once'?"),
        ("luck", "there is no assertion 'luck'; the assertions are exactly-once, "),
        ("no-loss:tpoic=orders", "assert_no_loss has no argument 'tpoic'; its arguments are topic"),
        ("all-faults-fired:topic=a", "has no argument 'topic'; its arguments are none"),
        ("producer-epoch", "assert_producer_epoch needs transactional_id"),
        ("fenced", "assert_fenced needs one of transactional_id, producer_id, producer_epoch"),
        ("fenced:producer_id=x", "producer_id='x' is not of type integer"),
        ("exactly-once:allow_open=maybe", "allow_open='maybe' is not of type flag"),
    ],
)
def test_an_invalid_assertion_is_refused(text: str, why: str) -> None:
    with pytest.raises(ValueError, match=why):
        parse_assertion(text)
    with pytest.raises(click.BadParameter, match=why):
        AssertionType().convert(text, None, None)


def test_a_shell_completes_the_name() -> None:
    context = click.Context(click.Command("c"))
    found = AssertionType().shell_complete(context, click.Option(["--assert"]), "no-l")
    assert [item.value for item in found] == ["no-loss"]


def test_help_has_every_assertion() -> None:
    lines = assertions_table().splitlines()
    assert len(lines) == len(ASSERTIONS)
    assert "    no-loss:topic=,expected=" in lines
    assert "    all-faults-fired" in lines
