"""Results of a request."""

from mockbroker.broker.outcomes import CloseConnection


def test_a_closed_connection_has_a_reason_and_fields_for_the_log() -> None:
    over = CloseConnection("unknown_api", key=99)
    assert str(over) == over.reason == "unknown_api"
    assert over.fields == {"key": 99}
