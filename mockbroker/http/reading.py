"""Parsing of requests to documents, with problems for invalid ones."""

import asyncio
import re
from difflib import get_close_matches
from typing import Final, TypeVar

import msgspec
from starlette.requests import ClientDisconnect, Request

from mockbroker.faults.documents.strict import Document
from mockbroker.http.endpoint import IDS, Endpoint
from mockbroker.http.problem import Problem

BODY_BYTES_MAX: Final = 1 << 20
ARRIVAL_S: Final = 10.0
"""Time within which a request has to arrive: its head, and then its body."""
_UNKNOWN: Final = re.compile(r"unknown field `(?P<name>[^`]*)`")
IN_QUERY: Final = "-"
"""Text in the path in place of an id that is in the query."""
_PATH: Final = re.compile(r"^(?P<why>.*) - at `(?P<path>[^`]*)`$", re.DOTALL)

T = TypeVar("T")


def read_names(request: Request) -> dict[str, str]:
    """Read the path parameters; an id may be in the query (`IDS`).

    Raises:
        Problem: there is an id in the path and another one in the query.

    """
    names: dict[str, str] = dict(request.path_params)
    for name in _ids_in_query(request):
        if names[name] != IN_QUERY:
            why = f"`{name}` is in the path and in the query: write `{IN_QUERY}` in the path"
            raise Problem("invalid", why, path=f"$.{name}")
        names[name] = request.query_params[name]
    return names


def _ids_in_query(request: Request) -> list[str]:
    return [each for each in IDS if each in request.path_params and each in request.query_params]


async def read_document(request: Request, endpoint: Endpoint) -> Document:
    """Read a request's document from its body, or from its query if it has no body.

    Raises:
        Problem: it is late, too large, not JSON, or does not match the endpoint's schema.

    """
    if not endpoint.has_body:
        return _of_query(request, endpoint.reads)
    ids = _ids_in_query(request)
    if len(ids) < len(request.query_params.multi_items()) or (request.url.query and not ids):
        raise Problem("invalid", "send the fields in the body, not in the query", path="$")
    try:
        async with asyncio.timeout(ARRIVAL_S):
            body = await _body(request)
    except TimeoutError:
        raise Problem("late", f"the body did not arrive within {ARRIVAL_S:g} s") from None
    except ClientDisconnect:
        raise Problem("late", "the connection was closed before the body had arrived") from None
    if not body and _wants_nothing(endpoint.reads):
        return endpoint.reads()
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind != "application/json":
        raise Problem("not-json", f"Content-Type is {kind or 'missing'}")
    return _decoded(body, endpoint.reads)


def _wants_nothing(reads: type[Document]) -> bool:
    return not any(field.required for field in msgspec.structs.fields(reads))


async def _body(request: Request) -> bytes:
    chunks: list[bytes] = []
    size_bytes = 0
    async for chunk in request.stream():
        size_bytes += len(chunk)
        if size_bytes > BODY_BYTES_MAX:
            raise Problem("too-large", f"at most {BODY_BYTES_MAX} bytes are read")
        chunks.append(chunk)
    return b"".join(chunks)


def _decoded(body: bytes, reads: type[Document]) -> Document:
    try:
        return msgspec.json.decode(body, type=reads)
    except msgspec.ValidationError as error:
        raise invalid(str(error), reads) from None
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise Problem("malformed-json", str(error)) from None


def _of_query(request: Request, reads: type[Document]) -> Document:
    given: dict[str, str] = {}
    ids = _ids_in_query(request)
    for name, value in request.query_params.multi_items():
        if name in given:
            raise Problem("invalid", f"`{name}` is given twice", path=f"$.{name}")
        given[name] = value
    given = {name: value for name, value in given.items() if name not in ids}
    try:
        document = msgspec.convert(given, reads, strict=False)
    except msgspec.ValidationError as error:
        raise invalid(str(error), reads) from None
    for field in msgspec.structs.fields(reads):
        if field.encode_name in given and getattr(document, field.name) is None:
            # msgspec reads the text `null` as None; a query omits the name instead.
            raise Problem("invalid", "a query cannot contain `null`", path=f"$.{field.encode_name}")
    return document


def invalid(message: str, reads: type[Document]) -> Problem:
    """Convert a msgspec error to a problem: the reason, the path, and similar names."""
    match = _PATH.match(message)
    why, path = (match["why"], match["path"]) if match else (message, "$")
    unknown = _UNKNOWN.search(why)
    # Do not suggest the same name of another object.
    names = [each for each in names_in(reads) if unknown and each != unknown["name"]]
    near = get_close_matches(unknown["name"], names, n=3) if unknown else []
    hint = f"; did you mean {' or '.join(near)}?" if near else ""
    return Problem("invalid", f"{why}{hint}", path=path, near=near)


def names_in(reads: type[Document]) -> list[str]:
    """Return the field names of a document and of nested documents."""
    _, components = msgspec.json.schema_components([reads])
    return sorted({name for each in components.values() for name in each.get("properties", {})})
