"""Problem documents."""

import msgspec

from mockbroker.http.problem import KINDS, Problem


def test_a_problem_has_the_members_of_rfc_9457_and_a_code() -> None:
    problem = Problem("invalid", "no field `topc`", path="$.match", near=["topic"])
    assert msgspec.to_builtins(problem.document) == {
        "type": "urn:mockbroker:problem:invalid",
        "title": "The request is well formed, but not valid",
        "status": 422,
        "detail": "no field `topc`",
        "code": "invalid",
        "path": "$.match",
        "near": ["topic"],
        "kafka_error": None,
        "command": None,
    }


def test_every_kind_is_an_error_of_http() -> None:
    assert all(400 <= kind.status < 600 for kind in KINDS.values())
