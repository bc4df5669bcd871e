"""Client of the admin API, on the standard library alone."""

import json
from collections.abc import Generator, Iterator, Mapping
from contextlib import contextmanager
from http.client import HTTPConnection, HTTPException, HTTPResponse, HTTPSConnection
from typing import Any, Final, Literal, TypeAlias, cast
from urllib.parse import quote, urlencode, urlsplit

DEFAULT_URL: Final = "http://127.0.0.1:8092"
TIMEOUT_S: Final = 30.0
"""Default limit for an answer, not counting the time that a request itself waits."""
API: Final = "/api/v1"

FailureKind: TypeAlias = Literal["address", "unreachable", "timeout", "refused", "failed"]
"""Invalid URL; no admin API there; a wait timed out; the client's mistake; the server's mistake."""

_FIRST_ERROR_STATUS: Final = 400
_CLIENT_ERRORS: Final = range(400, 500)
_SERVICE_UNAVAILABLE: Final = 503
_GATEWAY_TIMEOUT: Final = 504
_EMPTY: Final[Mapping[str, Any]] = {}


class AdminRequestError(Exception):
    """Failure of a request to the admin API."""

    def __init__(
        self, why: str, kind: FailureKind, problem: Mapping[str, Any] | None = None
    ) -> None:
        """Describe the failure; `problem` is the problem document of the answer, if it has one."""
        super().__init__(why)
        self.why = why
        self.kind = kind
        self.problem = problem


class AdminClient:
    """Client of one cluster's admin API, with a connection per request. All may fail as `get`."""

    def __init__(self, url: str, token: str | None = None) -> None:
        """Take a URL, which may lack the scheme: `127.0.0.1:8092`.

        Raises:
            AdminRequestError: it is not the URL of an HTTP server.

        """
        parts = urlsplit(url if "://" in url else f"http://{url}")
        try:
            port = parts.port
        except ValueError:
            port = -1
        if parts.scheme not in {"http", "https"} or not parts.hostname or port == -1:
            why = f"--admin={url}: expected http://HOST:PORT, for example {DEFAULT_URL}"
            raise AdminRequestError(why, "address")
        self._connection_type = HTTPSConnection if parts.scheme == "https" else HTTPConnection
        self._host = parts.hostname
        self._port = port
        self._headers = {"Authorization": f"Bearer {token}"} if token else {}
        self.url = f"{parts.scheme}://{parts.netloc}"

    def get(
        self, path: str, query: Mapping[str, object] = _EMPTY, timeout_s: float = TIMEOUT_S
    ) -> dict[str, Any]:
        """Send GET and return the answer; parameters that are `None` are left out.

        Raises:
            AdminRequestError: there is no answer, or it is a problem document.

        """
        return self._send("GET", _target(path, query), None, timeout_s)

    def post(
        self, path: str, document: Mapping[str, object] = _EMPTY, timeout_s: float = TIMEOUT_S
    ) -> dict[str, Any]:
        """Send POST and return the answer; fields that are `None` are left out."""
        return self._send("POST", path, _without_none(document), timeout_s)

    def put(
        self, path: str, document: Mapping[str, object], timeout_s: float = TIMEOUT_S
    ) -> dict[str, Any]:
        """Send PUT and return the answer; fields that are `None` are left out."""
        return self._send("PUT", path, _without_none(document), timeout_s)

    def delete(self, path: str, query: Mapping[str, object] = _EMPTY) -> dict[str, Any]:
        """Send DELETE and return the answer."""
        return self._send("DELETE", _target(path, query), None, TIMEOUT_S)

    def events(self, path: str, query: Mapping[str, object] = _EMPTY) -> Iterator[dict[str, Any]]:
        """Yield the `data` of each server-sent event until the stream ends."""
        headers = {"Accept": "text/event-stream"}
        with self._response("GET", _target(path, query), None, None, headers) as response:
            data: list[bytes] = []
            for line in response:
                field, _, value = line.rstrip(b"\r\n").partition(b":")
                if field == b"data":
                    data.append(value.removeprefix(b" "))
                elif not field and data:
                    yield json.loads(b"\n".join(data))
                    data = []

    def _send(
        self, method: str, target: str, document: dict[str, object] | None, timeout_s: float
    ) -> dict[str, Any]:
        with self._response(method, target, document, timeout_s) as response:
            body = response.read()
        if not body:
            return {}
        try:
            answer = json.loads(body)
        except ValueError:
            answer = None
        if not isinstance(answer, dict):
            raise self._other_server(f"it answers {body[:40]!r}")
        return cast("dict[str, Any]", answer)

    @contextmanager
    def _response(
        self,
        method: str,
        target: str,
        document: dict[str, object] | None,
        timeout_s: float | None,
        headers: Mapping[str, str] = _EMPTY,
    ) -> Generator[HTTPResponse]:
        connection = self._connection_type(self._host, self._port, timeout=timeout_s)
        body = None if document is None else json.dumps(document)
        content = {} if body is None else {"Content-Type": "application/json"}
        try:
            connection.request(
                method, target, body=body, headers={**self._headers, **headers, **content}
            )
            response = connection.getresponse()
            if response.status >= _FIRST_ERROR_STATUS:
                raise self._problem(response)
            yield response
        except TimeoutError:
            why = f"no answer from {self.url} within {timeout_s:g} s"
            raise AdminRequestError(why, "unreachable") from None
        except OSError as error:
            why = (
                f"no admin API at {self.url}: {error.strerror or error}; "
                "start `mockbroker serve`, or name another with --admin or MOCKBROKER_ADMIN"
            )
            raise AdminRequestError(why, "unreachable") from None
        except HTTPException as error:
            raise self._other_server(f"{type(error).__name__}: {error}") from None
        finally:
            connection.close()

    def _problem(self, response: HTTPResponse) -> AdminRequestError:
        body = response.read()
        try:
            problem = json.loads(body)
            detail = str(problem["detail"])
        except (ValueError, LookupError, TypeError):
            return self._other_server(f"it answers {response.status} {response.reason}")
        where = f"{path}: " if (path := problem.get("path")) not in {None, "$"} else ""
        return AdminRequestError(f"{where}{detail}", _failure_kind(response.status), problem)

    def _other_server(self, evidence: str) -> AdminRequestError:
        why = f"the server at {self.url} is not mockbroker's admin API: {evidence}"
        return AdminRequestError(why, "unreachable")


def path_to(*parts: object) -> str:
    """Return the path of a resource of the API, with each part quoted."""
    return "/".join((API, *(quote(str(part), safe="") for part in parts)))


def _target(path: str, query: Mapping[str, object]) -> str:
    encoded = urlencode(_without_none(query))
    return f"{path}?{encoded}" if encoded else path


def _without_none(values: Mapping[str, object]) -> dict[str, object]:
    return {name: value for name, value in values.items() if value is not None}


def _failure_kind(status: int) -> FailureKind:
    if status == _GATEWAY_TIMEOUT:
        return "timeout"
    if status == _SERVICE_UNAVAILABLE:
        return "unreachable"
    return "refused" if status in _CLIENT_ERRORS else "failed"
