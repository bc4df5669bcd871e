"""Outcomes of steps."""

from collections.abc import Mapping, Sequence

import pytest

from mockbroker.diff.outcomes import BYTES_MAX, StepOutcome, StepStatus, outcomes, shown_request
from mockbroker.protocol.api_keys import ApiKey
from mockbroker.protocol.messages.fetch import FetchRequest
from mockbroker.protocol.messages.produce import (
    PartitionProduceData,
    ProduceRequest,
    TopicProduceData,
)
from tests.conformance.compare import compare_steps
from tests.conformance.explained import Place
from tests.conformance.steps import Step
from tests.conformance.stored import Shown
from tests.conformance.wire import Nothing

SERVED: Mapping[int, range] = {ApiKey.FETCH: range(12)}


def step(answer: Shown, *, name: str = "read", asked: str = "Fetch v11") -> Step:
    return Step(name=name, asked=asked, answer=answer)


def judged(
    expected: Sequence[Step],
    given: Sequence[Step],
    places: Sequence[Place] = (),
    served: Mapping[int, range] = SERVED,
) -> list[StepOutcome]:
    found = list(compare_steps(expected, given))
    return list(outcomes("s", expected, given, found=found, places=places, served=served))


def code(name: str) -> Shown:
    return {"error_code": name, "topics": [{"partition": 0, "error_code": name}]}


def test_equal_answers_are_the_same() -> None:
    (one,) = judged([step({"a": 1})], [step({"a": 1})])
    assert (one.status, one.api, one.number) == (StepStatus.SAME, "Fetch", 1)
    assert not one.is_failure


def test_a_difference_has_fields_and_both_answers() -> None:
    (one,) = judged([step({"a": 1, "b": 2})], [step({"a": 1, "b": 3})])
    assert one.status is StepStatus.DIFFERS
    assert [(each.field, each.kafka, each.ours) for each in one.differences] == [("b", 2, 3)]
    assert (one.expected, one.given) == ({"a": 1, "b": 2}, {"a": 1, "b": 3})
    assert one.is_failure


def test_a_difference_that_is_explained_is_listed() -> None:
    expected, given = [step({"a": 1})], [step({"a": 2})]
    (one,) = judged(expected, given, [Place("s", "read", "a")])
    assert one.status is StepStatus.LISTED
    assert not one.is_failure
    (other,) = judged(expected, given, [Place("s", "read", "b")])
    assert other.status is StepStatus.DIFFERS


@pytest.mark.parametrize(
    ("given", "served", "why"),
    [
        (Nothing.CLOSED.value, SERVED, "closes the connection"),
        (code("UNSUPPORTED_VERSION"), SERVED, "answers UNSUPPORTED_VERSION"),
        (Nothing.SILENCE.value, {ApiKey.FETCH: range(4)}, "does not advertise this version"),
        (Nothing.CLOSED.value, {}, "does not advertise this API"),
    ],
)
def test_a_refusal_has_its_reason(given: Shown, served: Mapping[int, range], why: str) -> None:
    (one,) = judged([step(code("NONE"))], [step(given)], served=served)
    assert (one.status, one.why) == (StepStatus.REFUSED, why)
    assert one.is_failure


def test_no_answer_is_a_difference() -> None:
    (one,) = judged([step(code("NONE"))], [step(Nothing.SILENCE.value)])
    assert (one.status, one.given) == (StepStatus.DIFFERS, "no answer")


def test_what_kafka_refuses_too_is_no_refusal() -> None:
    (one,) = judged([step(code("UNSUPPORTED_VERSION"))], [step(code("UNSUPPORTED_VERSION"))])
    assert one.status is StepStatus.SAME


def test_steps_after_another_request_are_not_reached() -> None:
    expected = [step(1), step(2, name="write"), step(3)]
    given = [step(1), step(None, name="(the script stopped)", asked="")]
    statuses = [each.status for each in judged(expected, given)]
    assert statuses == [StepStatus.SAME, StepStatus.DIFFERS, StepStatus.NOT_REACHED]


def test_a_step_too_many_differs() -> None:
    one, more = judged([step(1)], [step(1), step(2)])
    assert (one.status, more.status) == (StepStatus.SAME, StepStatus.DIFFERS)
    assert more.expected == "(absent)"


def test_a_request_is_shown_in_its_version() -> None:
    records = b"\x00" * (BYTES_MAX + 7)
    data = TopicProduceData(
        name="t", partition_data=[PartitionProduceData(index=0, records=records)]
    )
    request = ProduceRequest(acks=-1, topic_data=[data])
    shown = shown_request(Step(name="w", asked="Produce v13", answer=None, request=request))
    assert isinstance(shown, dict)
    (topic,) = shown["topic_data"]
    assert topic["topic_id"] == "00000000-0000-0000-0000-000000000000"
    assert "name" not in topic
    assert topic["partition_data"][0]["records"].endswith(" and 7 more bytes")


def test_bytes_have_no_request() -> None:
    assert shown_request(step(None)) is None
    unversioned = Step(name="w", asked="(several)", answer=None, request=FetchRequest())
    assert shown_request(unversioned) is None
