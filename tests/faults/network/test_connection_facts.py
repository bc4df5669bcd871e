"""What a rule may ask of a connection."""

from mockbroker.faults.network.connection_facts import ConnectionFacts


def test_a_connection_is_named_by_all_that_is_known_of_it() -> None:
    assert str(ConnectionFacts(7, 1, "me")) == "connection 7 of client 'me' to broker 1"
