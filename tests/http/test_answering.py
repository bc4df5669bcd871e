"""Exceptions become problem documents."""

import pytest

from mockbroker.control.cluster_control import NOT_RUNNING
from mockbroker.faults.documents.fault_document import FaultDocumentError
from mockbroker.http.answering import nothing_there, problem_of, problem_response
from mockbroker.http.problem import Problem
from mockbroker.protocol.errors import ApiError, ErrorCode
from tests.support.http import Http
from tests.support.logged import Logged


@pytest.mark.parametrize(
    ("error", "status", "code", "detail"),
    [
        (Problem("conflict", "no"), 409, "conflict", "no"),
        (FaultDocumentError("$.effect", "no"), 422, "invalid", "no"),
        (ApiError(ErrorCode.POLICY_VIOLATION, "no"), 409, "kafka-error", "no"),
        (ApiError(ErrorCode.POLICY_VIOLATION), 409, "kafka-error", "POLICY_VIOLATION"),
        (TimeoutError("late"), 504, "timeout", "late"),
        (LookupError("gone"), 404, "not-found", "gone"),
        (ValueError("odd"), 422, "invalid", "odd"),
        (RuntimeError(NOT_RUNNING), 503, "not-running", NOT_RUNNING),
    ],
)
def test_exceptions_become_problems(error: Exception, status: int, code: str, detail: str) -> None:
    document = problem_of(error).document
    assert (document.status, document.code, document.detail) == (status, code, detail)


def test_an_unexpected_exception_is_logged(logged: Logged) -> None:
    document = problem_of(ZeroDivisionError("oops")).document
    assert (document.status, document.detail) == (500, "ZeroDivisionError: oops")
    assert [each.event for each in logged.events] == ["admin_request_failed"]


def test_some_problems_have_headers() -> None:
    assert problem_response(Problem("unauthorized", "")).headers["www-authenticate"] == "Bearer"
    assert problem_response(Problem("too-large", "")).headers["connection"] == "close"


def test_an_unknown_path_suggests_similar_ones(http: Http) -> None:
    problem = http.refused("GET", "/topcis")
    assert (problem["status"], problem["code"]) == (404, "not-found")
    assert "/api/v1/topics" in problem["near"]
    assert nothing_there("/x", []).document.detail == "there is no /x"


def test_an_unknown_method_names_the_allowed_ones(http: Http) -> None:
    answer = http.ask("PATCH", "/faults")
    assert (answer.status, answer.json["code"]) == (405, "method-not-allowed")
    assert answer.headers["Allow"] == "DELETE, GET, POST"
    assert http.ask("POST", "/state", {}).status == 405


def test_a_head_is_a_get_without_a_body(http: Http) -> None:
    answer = http.ask("HEAD", "/faults")
    assert (answer.status, answer.body) == (200, b"")
