"""Reports of a comparison."""

from dataclasses import replace

from mockbroker.diff.comparison import ComparedConversation, Comparison
from mockbroker.diff.outcomes import StepOutcome, StepStatus
from mockbroker.diff.report import (
    FIELDS_MAX,
    LONGEST,
    command,
    compared_with,
    difference_lines,
    document,
    markdown,
    reason_lines,
    summary,
    table,
)
from mockbroker.diff.selection import NotAsked
from tests.conformance.compare import Difference
from tests.conformance.releases import RELEASES

COMMAND = "mockbroker diff --against h:1 --kafka 4.4"
SAME = StepOutcome(
    scenario="reads", number=1, step="first", asked="Fetch v4", api="Fetch", status=StepStatus.SAME
)
DIFFERENT = replace(
    SAME,
    number=2,
    step="second",
    status=StepStatus.DIFFERS,
    differences=[Difference(step="second", field="a.b", kafka=1, ours="x" * 300)],
    request={"topic": "t"},
    expected={"a": {"b": 1}},
    given={"a": {"b": 2}},
)
LISTED = replace(DIFFERENT, number=3, status=StepStatus.LISTED)
REFUSED = replace(
    DIFFERENT, number=4, api="Produce", status=StepStatus.REFUSED, why="closes the connection"
)


def comparison(*outcomes: StepOutcome, is_walk: bool = False) -> Comparison:
    return Comparison(
        against="h:1",
        release=RELEASES[0],
        is_walk=is_walk,
        asked=[ComparedConversation(scenario="reads", outcomes=outcomes, stop="why it stopped")],
        not_asked=[NotAsked(scenario=f"s{n}", reason="needs 3 brokers") for n in range(6)],
        notes=["a note"],
        left_over=["1 topics"],
    )


ALL = comparison(SAME, DIFFERENT, LISTED, REFUSED)


def test_steps_are_counted_by_api() -> None:
    heading, fetch, produce = table(ALL)
    assert heading[:5] == ["API", "same", "listed", "differs", "refused"]
    assert fetch[:5] == ["Fetch", "1", "1", "1", "-"]
    assert produce[:5] == ["Produce", "-", "-", "-", "1"]


def test_the_summary_counts_conversations() -> None:
    assert summary(ALL) == "1 conversations of 4 steps: 0 same, 1 differ; 6 not asked"
    assert summary(comparison(SAME)).endswith("1 steps: 1 same, 0 differ; 6 not asked")


def test_a_walk_says_that_it_is_not_compared_with_kafka() -> None:
    assert compared_with(ALL) == "recordings of Kafka 4.4.0"
    assert compared_with(comparison(is_walk=True)) == "mockbroker as Kafka 4.4, not real Kafka"


def test_a_command_repeats_a_step() -> None:
    assert command(DIFFERENT, COMMAND) == f"{COMMAND} --scenario reads --step 2"
    walk = f"{COMMAND} --walk log --seed 3"
    assert command(DIFFERENT, walk) == f"{walk} --step 2"


def test_a_difference_has_its_fields_and_its_command() -> None:
    heading, field, repeat = difference_lines(DIFFERENT, COMMAND)
    assert heading == "reads, step 2: second (Fetch v4): differs"
    assert field.startswith('  a.b: expected 1, given "xxx')
    assert len(field) < LONGEST + 50
    assert repeat == f"  {COMMAND}"
    assert next(difference_lines(REFUSED, "")).endswith("refused (closes the connection)")


def test_many_fields_are_counted() -> None:
    many = replace(DIFFERENT, differences=list(DIFFERENT.differences) * (FIELDS_MAX + 2))
    assert "  and 2 more fields" in list(difference_lines(many, COMMAND))


def test_the_document_has_everything() -> None:
    found = document(ALL, COMMAND)
    assert found["conversations"] == {"same": 0, "differ": 1}
    assert found["apis"]["Fetch"] == {"same": 1, "listed": 1, "differs": 1}
    assert [each["status"] for each in found["differences"]] == ["differs", "listed", "refused"]
    first = found["differences"][0]
    assert first["fields"] == [{"field": "a.b", "expected": 1, "given": "x" * 300}]
    assert first["request"] == {"topic": "t"}
    assert first["reproduce"] == f"{COMMAND} --scenario reads --step 2"
    assert found["not_asked"]["s0"] == "needs 3 brokers"
    assert found["stopped"] == {"reads": "why it stopped"}


def test_reasons_are_counted() -> None:
    (line,) = reason_lines(ALL.not_asked)
    assert line == "     6 needs 3 brokers: s0, s1, s2, s3 and 2 more"
    (short,) = reason_lines(ALL.not_asked[:1])
    assert short == "     1 needs 3 brokers: s0"


def test_the_page_has_a_table_and_each_difference() -> None:
    page = markdown(ALL, COMMAND)
    assert "| Fetch | 1 | 1 | 1 | - | - | - |" in page
    assert "### reads, step 2\n" in page
    assert "- reads, step 3: second\n" in page
    assert "- needs 3 brokers: s0, s1, s2, s3, s4, s5\n" in page
    assert f"{COMMAND} --scenario reads --step 4" in page
