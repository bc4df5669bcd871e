"""A client of the admin API for commands: the standard library's HTTP, and failures in words."""

import json
from collections.abc import Generator, Iterator, Mapping
from contextlib import contextmanager
from http.client import HTTPConnection, HTTPException, HTTPResponse, HTTPSConnection
from typing import Any, Final, cast
from urllib.parse import quote, urlencode, urlsplit

from mockbroker.cli.command_answer import (
    EXIT_FAILED,
    EXIT_TIMED_OUT,
    EXIT_UNREACHABLE,
    EXIT_USAGE,
    CommandError,
)

DEFAULT_URL: Final = "http://127.0.0.1:8092"
PATIENCE_S: Final = 30.0
"""How long an answer may take that is not told to wait for something."""
API: Final = "/api/v1"

_ANSWERS_MAX: Final = 400
"""From this status on, an answer is a problem."""
_CLIENT_MISTAKES: Final = range(400, 500)
_GATEWAY_TIMEOUT: Final = 504
_UNAVAILABLE: Final = 503
_EMPTY: Final[Mapping[str, Any]] = {}


class AdminClient:
    """Asks the admin API of one cluster. Each request has a connection of its own."""

    def __init__(self, url: str, token: str | None = None) -> None:
        """Ask at a URL, which may be short: `127.0.0.1:8092`.

        Raises:
            CommandError: it is no URL of an HTTP server.

        """
        parts = urlsplit(url if "://" in url else f"http://{url}")
        try:
            port = parts.port
        except ValueError:
            port = -1
        if parts.scheme not in {"http", "https"} or not parts.hostname or port == -1:
            why = f"--admin={url}: written as http://HOST:PORT, such as {DEFAULT_URL}"
            raise CommandError(why, EXIT_USAGE)
        self._kind = HTTPSConnection if parts.scheme == "https" else HTTPConnection
        self._host = parts.hostname
        self._port = port
        self._headers = {"Authorization": f"Bearer {token}"} if token else {}
        self.url = f"{parts.scheme}://{parts.netloc}"

    def get(
        self, path: str, query: Mapping[str, object] = _EMPTY, patience_s: float = PATIENCE_S
    ) -> dict[str, Any]:
        """Return what there is; `None` in the query is left out.

        Raises:
            CommandError: nobody answers, or the answer is a problem.

        """
        return self._asked("GET", _target(path, query), None, patience_s)

    def post(
        self, path: str, document: Mapping[str, object] = _EMPTY, patience_s: float = PATIENCE_S
    ) -> dict[str, Any]:
        """Have something done; `None` in the document is left out.

        Raises:
            CommandError: as `get`.

        """
        return self._asked("POST", path, _said(document), patience_s)

    def put(
        self, path: str, document: Mapping[str, object], patience_s: float = PATIENCE_S
    ) -> dict[str, Any]:
        """Put something in place.

        Raises:
            CommandError: as `get`.

        """
        return self._asked("PUT", path, _said(document), patience_s)

    def delete(self, path: str, query: Mapping[str, object] = _EMPTY) -> dict[str, Any]:
        """Remove something.

        Raises:
            CommandError: as `get`.

        """
        return self._asked("DELETE", _target(path, query), None, PATIENCE_S)

    def events(self, path: str, query: Mapping[str, object] = _EMPTY) -> Iterator[dict[str, Any]]:
        """Yield what a stream of events tells, from each event's `data`, until it ends.

        Raises:
            CommandError: as `get`.

        """
        headers = {"Accept": "text/event-stream"}
        with self._answer("GET", _target(path, query), None, None, headers) as response:
            data: list[bytes] = []
            for line in response:
                field, _, value = line.rstrip(b"\r\n").partition(b":")
                if field == b"data":
                    data.append(value.removeprefix(b" "))
                elif not field and data:
                    yield json.loads(b"\n".join(data))
                    data = []

    def _asked(
        self, method: str, target: str, document: dict[str, object] | None, patience_s: float
    ) -> dict[str, Any]:
        with self._answer(method, target, document, patience_s) as response:
            body = response.read()
        if not body:
            return {}
        try:
            answer = json.loads(body)
        except ValueError:
            answer = None
        if not isinstance(answer, dict):
            raise self._stranger(f"it answers {body[:40]!r}")
        return cast("dict[str, Any]", answer)

    @contextmanager
    def _answer(
        self,
        method: str,
        target: str,
        document: dict[str, object] | None,
        patience_s: float | None,
        headers: Mapping[str, str] = _EMPTY,
    ) -> Generator[HTTPResponse]:
        connection = self._kind(self._host, self._port, timeout=patience_s)
        body = None if document is None else json.dumps(document)
        content = {} if body is None else {"Content-Type": "application/json"}
        try:
            connection.request(
                method, target, body=body, headers={**self._headers, **headers, **content}
            )
            response = connection.getresponse()
            if response.status >= _ANSWERS_MAX:
                raise self._problem(response)
            yield response
        except TimeoutError:
            why = f"no answer from {self.url} within {patience_s:g} s"
            raise CommandError(why, EXIT_UNREACHABLE) from None
        except OSError as error:
            why = (
                f"no admin API at {self.url}: {error.strerror or error}; "
                "start `mockbroker serve`, or name another with --admin or MOCKBROKER_ADMIN"
            )
            raise CommandError(why, EXIT_UNREACHABLE) from None
        except HTTPException as error:
            raise self._stranger(f"{type(error).__name__}: {error}") from None
        finally:
            connection.close()

    def _problem(self, response: HTTPResponse) -> CommandError:
        body = response.read()
        try:
            problem = json.loads(body)
            detail = str(problem["detail"])
        except (ValueError, LookupError, TypeError):
            return self._stranger(f"it answers {response.status} {response.reason}")
        where = f"{path}: " if (path := problem.get("path")) not in {None, "$"} else ""
        return CommandError(f"{where}{detail}", _exit_code(response.status), {"problem": problem})

    def _stranger(self, what: str) -> CommandError:
        why = f"what listens at {self.url} is no admin API of mockbroker: {what}"
        return CommandError(why, EXIT_UNREACHABLE)


def path_to(*parts: object) -> str:
    """Write the path to something of the API, each part quoted."""
    return "/".join((API, *(quote(str(part), safe="") for part in parts)))


def _target(path: str, query: Mapping[str, object]) -> str:
    said = urlencode({name: value for name, value in query.items() if value is not None})
    return f"{path}?{said}" if said else path


def _said(document: Mapping[str, object]) -> dict[str, object]:
    return {name: value for name, value in document.items() if value is not None}


def _exit_code(status: int) -> int:
    if status == _GATEWAY_TIMEOUT:
        return EXIT_TIMED_OUT
    if status == _UNAVAILABLE:
        return EXIT_UNREACHABLE
    return EXIT_USAGE if status in _CLIENT_MISTAKES else EXIT_FAILED
