"""Access control of the HTTP API: who may read, and who may command the cluster.

A page in a browser can send requests to an address that only this machine or its network reaches.
So the port accepts no request from a page of another site, and only host names that no such page
can have (against DNS rebinding): addresses, names without a dot, which public DNS does not serve,
and the names that are configured. Everyone else may read; if there is a token, commands need it.

A page of the port itself logs in with the token, and gets a cookie that stands for it. A browser
sends the cookie with requests of pages of the same machine, whatever their port, so that a command
with it needs the `Origin` of this port.
"""

import os
from collections.abc import Collection, Mapping
from hmac import compare_digest
from ipaddress import ip_address
from secrets import token_urlsafe
from typing import Final
from urllib.parse import urlsplit

from mockbroker.http.address import NAMES, NO_TOKEN, TOKEN, is_loopback
from mockbroker.http.problem import Problem

_OWN_NAMES: Final = frozenset({"localhost", "127.0.0.1", "::1", "host.docker.internal"})
OPEN_PATHS: Final = frozenset({"/livez", "/readyz", "/healthz"})
"""Paths that answer to any name, because probes know none."""


LOGIN_PATH: Final = "/api/v1/session"
"""Path at which a page sends the token, and so needs no token."""
_SESSION_BYTES: Final = 32
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
        self._session: Final = token_urlsafe(_SESSION_BYTES).encode()
        self._is_loopback: Final = is_loopback(host)
        self._names: Final = _OWN_NAMES | {host.lower(), *(name.lower() for name in names)}

    @property
    def needs_token(self) -> bool:
        """True if commands need a token."""
        return self._token is not None

    def may_command(self, headers: Mapping[str, str]) -> bool:
        """Return True if a request with these headers could be a command."""
        if self._token is None or _is_borne(self._token, headers):
            return True
        return compare_digest(_cookie(headers, _cookie_name(headers)).encode(), self._session)

    def log_in(self, token: str, headers: Mapping[str, str]) -> str:
        """Return the cookie of a page whose reader knows the token, as a header's value.

        Raises:
            Problem: the token is wrong.

        """
        if self._token is None or not compare_digest(token.encode(), self._token.encode()):
            raise Problem("unauthorized", f"that is not the token of {TOKEN} or of the log")
        secure = "; Secure" if headers.get("origin", "").startswith("https:") else ""
        value = f"{_cookie_name(headers)}={self._session.decode()}"
        return f"{value}; Path=/; HttpOnly; SameSite=Strict{secure}"

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
        if origin is not None and _netloc_of(origin) != host:
            raise Problem("foreign-origin", f"a web page of {origin} sent this request")
        if method in _READS or self._token is None or _is_borne(self._token, headers):
            return
        if origin is not None and (path == LOGIN_PATH or self.may_command(headers)):
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


def _netloc_of(origin: str) -> str | None:
    try:
        return urlsplit(origin).netloc
    except ValueError:
        return None


def _is_borne(token: str, headers: Mapping[str, str]) -> bool:
    header = headers.get("authorization", "")
    return compare_digest(header.encode("latin-1", "replace"), f"Bearer {token}".encode())


def _cookie_name(headers: Mapping[str, str]) -> str:
    """Name the cookie after the port: browsers send the cookies of all ports of a machine."""
    _, _, port = headers.get("host", "").rpartition(":")
    return f"mockbroker-{port}" if port.isdecimal() else "mockbroker"


def _cookie(headers: Mapping[str, str], name: str) -> str:
    pairs = (each.strip().partition("=") for each in headers.get("cookie", "").split(";"))
    return next((value for found, _, value in pairs if found == name), "")
