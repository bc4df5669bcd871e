"""Responses that are written already."""

from mockbroker.protocol.encoded import Encoded


def test_it_keeps_the_bytes_as_they_are() -> None:
    body = b"\x00\x01"
    assert Encoded(body).body is body
