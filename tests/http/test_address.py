"""Detection of loopback addresses."""

import pytest

from mockbroker.http.address import is_loopback


@pytest.mark.parametrize(
    ("host", "expected"),
    [
        ("127.0.0.1", True),
        ("127.1.2.3", True),
        ("::1", True),
        ("localhost", True),
        ("0.0.0.0", False),
        ("::", False),
        ("192.0.2.1", False),
    ],
)
def test_loopback_is_reached_from_this_machine_only(host: str, expected: bool) -> None:
    assert is_loopback(host) is expected
