"""Response bodies that are already encoded."""

from mockbroker.protocol.encoded import Encoded


def test_it_stores_the_bytes_unchanged() -> None:
    body = b"\x00\x01"
    assert Encoded(body).body is body
