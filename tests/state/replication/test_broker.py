"""A broker's endpoints."""

from mockbroker.state.replication.broker import Broker


def test_clients_of_a_listener_get_its_address() -> None:
    broker = Broker(1, "outside.test", 9092, "a", {"INSIDE": ("inside.test", 9093)})
    inside = broker.seen_from("INSIDE")
    assert (inside.host, inside.port, inside.rack) == ("inside.test", 9093, "a")
    assert broker.seen_from("PLAINTEXT") is broker
    assert Broker(1, "h", 1).seen_from("INSIDE").host == "h"
