"""Values that are the same in Python, in JSON and on the command line."""

import msgspec
import pytest

from mockbroker import ERR
from mockbroker.faults.effects.answer import Answer
from mockbroker.faults.effects.delay import Delay
from mockbroker.faults.effects.drop_request import DropRequest
from mockbroker.faults.effects.duplicate import Duplicate
from mockbroker.faults.effects.hold import Hold
from mockbroker.faults.effects.lose_response import LoseResponse
from mockbroker.faults.network.bandwidth import Bandwidth
from mockbroker.faults.network.latency import Latency
from mockbroker.faults.network.slicer import Slicer
from mockbroker.faults.network.timeout import Timeout
from mockbroker.faults.tagged import (
    Tagged,
    constant,
    details,
    has_own_value,
    schema_of,
)


@pytest.mark.parametrize(
    ("value", "json", "python"),
    [
        (Answer(6), {"answer": "NOT_LEADER_OR_FOLLOWER"}, "answer('NOT_LEADER_OR_FOLLOWER')"),
        (
            Answer(ERR.NONE, top_level=True),
            {"answer": "NONE", "top_level": True},
            "answer('NONE', top_level=True)",
        ),
        (LoseResponse(), {"lose_response": "after_apply"}, "lose_response()"),
        (
            DropRequest("silence"),
            {"drop_request": "before_apply", "how": "silence"},
            "drop_request(how='silence')",
        ),
        (Hold(2000), {"hold": "request", "until": "2s"}, "hold(until='2s')"),
        (Delay("60s"), {"delay": "1m"}, "delay('1m')"),
        (Duplicate(), {"duplicate": True}, "duplicate()"),
        (
            Latency("200ms", jitter=50),
            {"latency": {"latency": "200ms", "jitter": "50ms"}},
            "latency('200ms', jitter='50ms')",
        ),
        (
            Slicer(9, stream="upstream"),
            {"slicer": {"average_size": 9, "stream": "upstream"}},
            "slicer(9, stream='upstream')",
        ),
        (Timeout(0), {"timeout": {}}, "timeout()"),
    ],
    ids=str,
)
def test_a_value_is_written_in_json_and_in_python(
    value: Tagged, json: dict[str, object], python: str
) -> None:
    assert value.as_json() == json
    assert str(value) == python


def test_equal_times_are_equal_values() -> None:
    assert Delay(2000) == Delay("2s") == Delay("2000ms")


def test_fields_are_checked_in_python_too() -> None:
    with pytest.raises(ValueError, match="rate_kb_s=0: at least 1"):
        Bandwidth(0)
    with pytest.raises(ValueError, match="how='slowly': allowed are disconnect and silence"):
        LoseResponse(how="slowly")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="'soon' is not a duration"):
        Delay("soon")


def test_a_kind_has_its_own_value_or_a_constant() -> None:
    assert has_own_value(Answer)
    assert not has_own_value(Latency)
    assert constant(LoseResponse) == "after_apply"
    assert constant(Duplicate) is True
    assert details(Answer) == ["top_level"]
    assert details(Latency) == []


@pytest.mark.parametrize("kind", [Answer, LoseResponse, Duplicate, Latency])
def test_a_schema_requires_the_name_and_allows_nothing_unknown(kind: type[Tagged]) -> None:
    _, schemas = msgspec.json.schema_components([kind])
    schema = schema_of(kind, schemas[kind.__name__])
    assert schema["required"] == [kind.NAME]
    assert schema["additionalProperties"] is False
