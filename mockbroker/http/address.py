"""Addresses of the HTTP API, and the token that protects it."""

from typing import Final

DEFAULT_HOST: Final = "127.0.0.1"
DEFAULT_PORT: Final = 8092
TOKEN: Final = "MOCKBROKER_ADMIN_TOKEN"
NAMES: Final = "MOCKBROKER_ADMIN_NAMES"
"""Variable with more host names of the HTTP API: `mock.test,mock.ci.svc.cluster.local`."""
NO_TOKEN: Final = "none"
"""Token value that turns off authentication, for example in a container."""


def is_loopback(host: str) -> bool:
    """Return True if an address can be reached from this machine only."""
    return host in {"localhost", "::1"} or host.startswith("127.")
