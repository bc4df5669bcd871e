"""Failures as text."""

from mockbroker.audit.finding import Finding, Severity
from mockbroker.control.assertions.failure import (
    SHOWN_MAX,
    WIDTH,
    ClusterAssertionError,
    failure_text,
)


def found(text: str, advice: str = "") -> Finding:
    return Finding("NOT_EXPECTED", Severity.ERROR, text, advice)


def test_a_failure_has_its_findings_its_advice_and_a_timeline() -> None:
    findings = [
        found("orders-0: one", "turn it off and on"),
        found("orders-0: two", "turn it off and on"),
        found("nowhere: three"),
    ]
    failure = ClusterAssertionError("all is well", findings, "<drawing>")
    assert isinstance(failure, AssertionError)
    assert str(failure) == (
        "all is well\n\n- orders-0: one\n- orders-0: two\n- nowhere: three\n\n"
        "What to do: turn it off and on\n\n<drawing>"
    )
    assert failure.claim == "all is well"
    assert failure.findings == tuple(findings)


def test_only_some_of_many_findings_are_printed_and_the_rest_is_counted() -> None:
    text = failure_text("claim", [found(f"finding {number}") for number in range(SHOWN_MAX + 7)])
    assert text.count("- finding") == SHOWN_MAX
    assert text.endswith("- and 7 more")


def test_long_lines_are_broken() -> None:
    text = failure_text("claim", [found("word " * 60, "advice " * 60)])
    assert max(map(len, text.splitlines())) <= WIDTH
