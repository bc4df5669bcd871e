"""What was found, as text."""

from mockbroker.control.assertions.finding import (
    SHOWN_MAX,
    WIDTH,
    ClusterAssertionError,
    Finding,
    annotations_of,
    told,
)


def test_a_failure_says_what_is_wrong_what_to_do_and_shows_it() -> None:
    findings = [
        Finding("orders-0: one", "turn it off and on", "orders", 0, 4, "BAD"),
        Finding("orders-0: two", "turn it off and on", "orders", 0, 4, "WORSE"),
        Finding("nowhere: three"),
    ]
    failure = ClusterAssertionError("all is well", findings, "<drawing>")
    assert isinstance(failure, AssertionError)
    assert str(failure) == (
        "all is well\n\n- orders-0: one\n- orders-0: two\n- nowhere: three\n\n"
        "What to do: turn it off and on\n\n<drawing>"
    )
    assert failure.claim == "all is well"
    assert failure.findings == tuple(findings)
    assert annotations_of(findings).notes == {("orders", 0, 4): "BAD"}


def test_of_many_findings_some_are_told_and_all_are_counted() -> None:
    text = told("claim", [Finding(f"finding {number}") for number in range(SHOWN_MAX + 7)])
    assert text.count("- finding") == SHOWN_MAX
    assert text.endswith("- and 7 more")


def test_long_lines_are_broken() -> None:
    text = told("claim", [Finding("word " * 60, "advice " * 60)])
    assert max(map(len, text.splitlines())) <= WIDTH
