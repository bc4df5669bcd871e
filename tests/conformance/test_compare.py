"""Comparison of two responses field by field, and the scope of explanations."""

import pytest

from tests.conformance.compare import ABSENT, Difference, compare, differing, judge
from tests.conformance.explained import Explained, Place
from tests.conformance.steps import Step
from tests.conformance.stored import Shown


def step(answer: Shown, name: str = "ask") -> Step:
    return Step(name=name, asked="Metadata v1", answer=answer)


@pytest.mark.parametrize(
    ("kafka", "ours", "found"),
    [
        ({"a": 1}, {"a": 1}, []),
        ({"a": 1}, {"a": 2}, [("a", 1, 2)]),
        ({"a": 1}, {"a": True}, [("a", 1, True)]),
        ({"a": None}, {}, [("a", None, ABSENT)]),
        ({}, {"a": 1}, [("a", ABSENT, 1)]),
        ({"a": [1, 2]}, {"a": [1]}, [("a.1", 2, ABSENT)]),
        ({"a": [{"b": 1}]}, {"a": [{"b": 2}]}, [("a.0.b", 1, 2)]),
        ("closed", {"a": 1}, [("", "closed", {"a": 1})]),
    ],
)
def test_differences_are_named_by_the_path_of_their_field(
    kafka: Shown, ours: Shown, found: list[tuple[str, Shown, Shown]]
) -> None:
    assert list(differing(kafka, ours)) == found


def test_items_of_a_list_are_matched_by_their_names() -> None:
    kafka: Shown = [{"name": "a", "x": 1}, {"name": "b", "x": 2}, {"name": "c", "x": 3}]
    ours: Shown = [{"name": "a", "x": 1}, {"name": "c", "x": 4}]
    assert list(differing(kafka, ours)) == [("b", {"name": "b", "x": 2}, ABSENT), ("c.x", 3, 4)]


def test_another_order_is_a_difference() -> None:
    kafka: Shown = [{"name": "a"}, {"name": "b"}]
    ours: Shown = [{"name": "b"}, {"name": "a"}]
    assert list(differing(kafka, ours)) == [("(order)", ["a", "b"], ["b", "a"])]


def test_a_script_with_other_steps_is_reported_once() -> None:
    recorded = [step({"a": 1}, "first"), step({}, "second"), step({}, "third")]
    assert [each.field for each in compare(recorded, recorded[:1])] == ["(step)"]
    assert [each.step for each in compare(recorded, [recorded[0], recorded[2]])] == ["second"]
    assert [each.kafka for each in compare(recorded[:1], recorded[:2])] == [ABSENT]


def explained(place: Place) -> Explained:
    return Explained(what="", kafka="", ours="", reason="", places=(place,))


FOUND = Difference(step="read, v3", field="topics.t[0].error_code", kafka=1, ours=2)


@pytest.mark.parametrize(
    "place",
    [
        Place("fetch"),
        Place("fetch", "read, v3", "topics.t[0].error_code"),
        Place("fetch", "read*", "*.error_code"),
        Place("fetch", "*, v3", presets=("2.4",)),
    ],
)
def test_an_explanation_covers_its_place(place: Place) -> None:
    verdict = judge([FOUND], [explained(place)], "fetch", "2.4")
    assert (verdict.unexplained, verdict.unused) == ([], [])


@pytest.mark.parametrize(
    "place",
    [
        Place("fetch", "read"),
        Place("fetch", "read, v?"),
        Place("fetch", field="topics.*.error"),
        Place("produce"),
        Place("fetch", presets=("4.4",)),
    ],
)
def test_an_explanation_covers_no_other_place(place: Place) -> None:
    verdict = judge([FOUND], [explained(place)], "fetch", "2.4")
    assert verdict.unexplained == [FOUND]


def test_an_explanation_without_its_difference_is_out_of_date() -> None:
    place = Place("fetch", "read, v4")
    assert judge([FOUND], [explained(place)], "fetch", "2.4").unused == [place]
    assert judge([], [explained(place)], "produce", "2.4").unused == []


def test_a_difference_reads_as_one_line() -> None:
    long = Difference(step="read", field="f", kafka="x" * 1000, ours=None)
    assert str(FOUND) == "read, v3 · topics.t[0].error_code: Kafka 1, ours 2"
    assert len(str(long)) < 250
