"""Error codes of recorded answers."""

from mockbroker.journal.recorded import error_of
from mockbroker.protocol.errors import ErrorCode


def test_a_code_is_named() -> None:
    assert error_of(0) is ErrorCode.NONE
    assert error_of(-12345) is ErrorCode.UNKNOWN_SERVER_ERROR
