"""Access control of the HTTP API: who may read, and who may command the cluster.

A page in a browser can send requests to an address that only this machine or its network reaches.
So the port accepts no request from a page of another site, and only host names that no such page
can have (against DNS rebinding): addresses, names without a dot, which public DNS does not serve,
and the names that are configured. Everyone else may read; if there is a token, commands need it.
"""

import os
from collections.abc import Collection, Mapping
from hmac import compare_digest
from ipaddress import ip_address
from typing import Final
from urllib.parse import urlsplit

from mockbroker.http.address import NAMES, NO_TOKEN, TOKEN, is_loopback
from mockbroker.http.problem import Problem

_OWN_NAMES: Final = frozenset({"localhost", "127.0.0.1", "::1", "host.docker.internal"})
OPEN_PATHS: Final = frozenset({"/livez", "/readyz", "/healthz"})
"""Paths that answer to any name, because probes know none."""


_READS: Final = frozenset({"GET", "HEAD", "OPTIONS"})


def guard_of(host: str, token: str | None) -> "Guard":
    """Make the guard of a port on an address, with a token and the names of the environment."""
    names = os.environ.get(NAMES, "").replace(",", " ").split()
    return Guard(host, token, names)


class Guard:
    """Check that accepts a request, or raises the reason why not."""

    def __init__(self, host: str, token: str | None, names: Collection[str] = ()) -> None:
        """Guard a port on an address; if there is a token, all requests but reads need it.

        `names` are further host names of the port.
        """
        self._token: Final = None if token in {None, "", NO_TOKEN} else token
        self._is_loopback: Final = is_loopback(host)
        self._names: Final = _OWN_NAMES | {host.lower(), *(name.lower() for name in names)}

    def check(self, method: str, path: str, headers: Mapping[str, str]) -> None:
        """Accept a request.

        Raises:
            Problem: the request is refused.

        """
        if path in OPEN_PATHS:
            return
        host = headers.get("host", "")
        if not self._is_own(_name_of(host)):
            raise Problem(
                "misdirected",
                f"{host!r} is not a name of this port; {NAMES} lists further names of it",
            )
        origin = headers.get("origin")
        if origin is not None and urlsplit(origin).netloc != host:
            raise Problem("foreign-origin", f"a web page of {origin} sent this request")
        if method in _READS or self._token is None or _is_borne(self._token, headers):
            return
        raise Problem(
            "unauthorized",
            f"a command needs `Authorization: Bearer TOKEN`, with the token of {TOKEN} or, if that"
            " is not set, the one in the log of the start",
        )

    def _is_own(self, name: str) -> bool:
        """Return True for a name that no page of another site can have."""
        if name in self._names:
            return True
        return not self._is_loopback and (_is_address(name) or (name != "" and "." not in name))


def _is_address(name: str) -> bool:
    try:
        ip_address(name)
    except ValueError:
        return False
    return True


def _name_of(host: str) -> str:
    try:
        return urlsplit(f"//{host}").hostname or ""
    except ValueError:
        return ""


def _is_borne(token: str, headers: Mapping[str, str]) -> bool:
    header = headers.get("authorization", "")
    return compare_digest(header.encode("latin-1", "replace"), f"Bearer {token}".encode())
