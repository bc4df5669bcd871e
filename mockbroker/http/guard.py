"""Access control of the HTTP API: programs on this machine, and clients with the token.

A page in a browser can send requests to a loopback address. So the port accepts only host names of
this machine (against DNS rebinding), and no request from a page of another site. If the port is
not on loopback, requests need a token.
"""

from collections.abc import Mapping
from hmac import compare_digest
from typing import Final
from urllib.parse import urlsplit

from mockbroker.http.address import NO_TOKEN, TOKEN, is_loopback
from mockbroker.http.problem import Problem

_OWN_NAMES: Final = frozenset({"localhost", "127.0.0.1", "::1", "host.docker.internal"})
OPEN_PATHS: Final = frozenset({"/livez", "/readyz", "/healthz"})
"""Paths without authentication, because probes have no token."""


class Guard:
    """Check that accepts a request, or raises the reason why not."""

    def __init__(self, host: str, token: str | None) -> None:
        """Guard a port on an address; if a token is set, requests need it."""
        self._host: Final = host
        self._token: Final = None if token in {None, "", NO_TOKEN} else token
        self._asks_for_host: Final = is_loopback(host) and self._token is None

    def check(self, path: str, headers: Mapping[str, str]) -> None:
        """Accept a request.

        Raises:
            Problem: the request is refused.

        """
        if path in OPEN_PATHS:
            return
        host = headers.get("host", "")
        if self._asks_for_host and _name_of(host) not in _OWN_NAMES | {self._host}:
            raise Problem("misdirected", f"this is a loopback port, not {host!r}")
        origin = headers.get("origin")
        if origin is not None and urlsplit(origin).netloc != host:
            raise Problem("foreign-origin", f"a web page of {origin} sent this request")
        if self._token is not None and not _is_borne(self._token, headers):
            raise Problem("unauthorized", f"send `Authorization: Bearer ...` with {TOKEN}")


def _name_of(host: str) -> str:
    try:
        return urlsplit(f"//{host}").hostname or ""
    except ValueError:
        return ""


def _is_borne(token: str, headers: Mapping[str, str]) -> bool:
    header = headers.get("authorization", "")
    return compare_digest(header.encode("latin-1", "replace"), f"Bearer {token}".encode())
