"""Client addresses in Java's format."""

import pytest

from mockbroker.server.client_host import java_address


@pytest.mark.parametrize(
    ("host", "text"),
    [
        ("127.0.0.1", "/127.0.0.1"),
        ("::1", "/0:0:0:0:0:0:0:1"),
        ("fe80::a1%eth0", "/fe80:0:0:0:0:0:0:a1"),
        ("::ffff:10.0.0.7", "/10.0.0.7"),
    ],
)
def test_an_address_is_written_as_java_does(host: str, text: str) -> None:
    assert java_address(host) == text
