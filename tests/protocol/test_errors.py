import pickle

from mockbroker.protocol.errors import RETRIABLE_ERRORS, ApiError, DecodeError, ErrorCode
from tests.support import facts


def test_the_codes_are_kafkas() -> None:
    assert {code.name: code.value for code in ErrorCode} == {
        error["name"]: error["code"] for error in facts.read("errors.json")
    }


def test_the_retriable_codes_are_kafkas() -> None:
    retriable = {error["name"] for error in facts.read("errors.json") if error["retriable"]}
    assert {code.name for code in RETRIABLE_ERRORS} == retriable
    assert {code.name for code in ErrorCode if code.is_retriable} == retriable


def test_an_api_error_reads_as_code_and_reason() -> None:
    error = ApiError(ErrorCode.INVALID_REQUEST, "the transactional id is empty")
    assert str(error) == "INVALID_REQUEST: the transactional id is empty"
    assert str(ApiError(ErrorCode.NOT_CONTROLLER)) == "NOT_CONTROLLER"


def test_a_decode_error_reads_as_path_and_reason() -> None:
    assert str(DecodeError("topics[1].name", "invalid UTF-8")) == "topics[1].name: invalid UTF-8"
    assert str(DecodeError("", "7 bytes are left over")) == "message: 7 bytes are left over"


def test_errors_survive_a_process_boundary() -> None:
    api_error = pickle.loads(pickle.dumps(ApiError(ErrorCode.NOT_CONTROLLER, "why")))
    decode_error = pickle.loads(pickle.dumps(DecodeError("path", "why")))
    assert (api_error.code, api_error.why) == (ErrorCode.NOT_CONTROLLER, "why")
    assert (decode_error.path, decode_error.why) == ("path", "why")
