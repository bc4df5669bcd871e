"""HTTP client of the admin port, without the code of the package."""

import json
import re
import socket
from contextlib import closing
from dataclasses import dataclass
from functools import cache
from http.client import HTTPConnection, HTTPMessage
from typing import Any
from urllib.parse import urlsplit

from mockbroker import Cluster
from mockbroker.http.application import ENDPOINTS
from mockbroker.http.openapi import openapi

PATIENCE_S = 20
DOCUMENT = openapi(ENDPOINTS)


@cache
def described(method: str, path: str) -> set[str]:
    """Return the statuses of a path in the OpenAPI document; none for an unknown path."""
    return {
        status
        for template, operations in DOCUMENT["paths"].items()
        if re.fullmatch(re.sub(r"\{\w+\}", "[^/]+", template), path)
        for status in operations.get(method.lower(), {}).get("responses", ())
    }


@dataclass
class Answer:
    """Response of the admin port."""

    status: int
    body: bytes
    headers: HTTPMessage

    @property
    def json(self) -> Any:
        """The body as JSON."""
        return json.loads(self.body)


class Http:
    """Client of a cluster's admin port; paths are below `/api/v1` unless they begin with `//`."""

    def __init__(self, cluster: Cluster | str) -> None:
        self.url = cluster if isinstance(cluster, str) else cluster.admin_url

    def ask(
        self,
        method: str,
        path: str,
        body: object = None,
        headers: dict[str, str] | None = None,
    ) -> Answer:
        """Send one request on a new connection, and check that the OpenAPI document has its status.

        A body of type bytes is sent unchanged.
        """
        address = urlsplit(self.url)
        assert address.hostname is not None
        path = path[1:] if path.startswith("//") else f"/api/v1{path}"
        given = {"Content-Type": "application/json"} if body is not None else {}
        data = body if isinstance(body, bytes) or body is None else json.dumps(body).encode()
        with closing(HTTPConnection(address.hostname, address.port, timeout=PATIENCE_S)) as http:
            http.request(method, path, data, given | (headers or {}))
            answer = http.getresponse()
            statuses = described(method, path.partition("?")[0])
            assert not statuses or str(answer.status) in statuses, (method, path, answer.status)
            return Answer(answer.status, answer.read(), answer.headers)

    def get(self, path: str) -> Any:
        """Send a GET that must succeed, and return the body."""
        answer = self.ask("GET", path)
        assert answer.status == 200, answer
        return answer.json

    def post(self, path: str, body: object = None) -> Any:
        """Send a POST that must succeed, and return the body."""
        answer = self.ask("POST", path, body)
        assert answer.status in {200, 201, 202, 204}, answer
        return answer.json if answer.body else None

    def refused(self, method: str, path: str, body: object = None) -> Any:
        """Send a request that must be refused, and return the problem."""
        answer = self.ask(method, path, body)
        assert answer.headers["Content-Type"] == "application/problem+json", answer
        assert answer.json["status"] == answer.status
        return answer.json


def connected(http: Http) -> socket.socket:
    """Open a connection to send a request on, byte by byte."""
    address = urlsplit(http.url)
    return socket.create_connection((address.hostname or "", address.port or 0), PATIENCE_S)


def head(method: str, path: str, length: int) -> bytes:
    """Give the head of a request whose body is so long."""
    lines = [f"{method} /api/v1{path} HTTP/1.1", "Host: localhost", f"Content-Length: {length}"]
    return "\r\n".join([*lines, "Content-Type: application/json", "", ""]).encode()


def received(connection: socket.socket) -> bytes:
    """Read until the other end closes the connection."""
    return b"".join(iter(lambda: connection.recv(4096), b""))
