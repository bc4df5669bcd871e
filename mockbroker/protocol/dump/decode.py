"""Decoding of frames for people: each field with its offset, bytes, kind and value.

It uses the slow, interpreted codec, which tracks the position of every field. Decoding of a frame
stops at an unreadable field with a reason; the fields before it and the bytes after it are kept.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pkgutil import iter_modules
from typing import Final

from mockbroker.protocol import messages
from mockbroker.protocol.api_keys import ApiKey
from mockbroker.protocol.codec import message_construct
from mockbroker.protocol.dump.decode_records import batch_rows
from mockbroker.protocol.dump.decode_rows import DumpRow, shifted
from mockbroker.protocol.errors import DecodeError
from mockbroker.protocol.framing import SIZE_BYTES, read_size
from mockbroker.protocol.headers import (
    RequestHeader,
    ResponseHeader,
    read_api_key_and_version,
    request_header_version,
    response_header_version,
)
from mockbroker.protocol.messages import request_type, response_type
from mockbroker.protocol.schema.frame_stream import FieldSpan, FrameStream
from mockbroker.protocol.schema.message import Message

_FEW: Final = 16
"""More versions than any undeclared API has."""


def declared_api_keys() -> Iterator[ApiKey]:
    """List the declared APIs, in the order of their keys."""
    names = {module.name for module in iter_modules(messages.__path__)}
    return (api_key for api_key in ApiKey if api_key.name.lower() in names)


@dataclass(frozen=True, slots=True)
class Direction:
    """Kind of a frame: a request, which contains its API key, or a response of a given API."""

    api_key: ApiKey | None = None
    version: int = 0

    @property
    def is_request(self) -> bool:
        """True if the frame is a request."""
        return self.api_key is None


REQUEST: Final = Direction()


@dataclass(frozen=True, slots=True)
class DecodedFrame:
    """One frame of the input: its title, its rows, and the error and position where it stopped."""

    title: str
    start: int
    end: int
    rows: list[DumpRow]
    error: DecodeError | None
    unread_from: int


def find_api(name: str) -> ApiKey | None:
    """Find an API by its name, in Kafka's or in Python's case, or by its key."""
    wanted = name.lower().replace("_", "").removesuffix("request").removesuffix("response")
    for api_key in declared_api_keys():
        if wanted in (api_key.title.lower(), str(int(api_key))):
            return api_key
    return None


def decode_frames(data: bytes, direction: Direction = REQUEST) -> Iterator[DecodedFrame]:
    """Decode one frame with or without its size, or several frames with sizes."""
    if not _has_sizes(data, direction):
        yield _frame(data, (0, 0, len(data)), direction)
        return
    position = 0
    while position < len(data):
        frame = _sized_frame(data, position, direction)
        yield frame
        position = frame.end


def _sized_frame(data: bytes, start: int, direction: Direction) -> DecodedFrame:
    """Decode a frame with its size; a truncated one as far as it goes."""
    left = len(data) - start - SIZE_BYTES
    if left < 0:
        error = DecodeError("size", f"{len(data) - start} bytes are left, a size takes four")
        return DecodedFrame("a cut frame", start, len(data), [], error, start)
    (size_bytes,) = read_size(data, start)
    body = start + SIZE_BYTES
    if 0 <= size_bytes <= left:
        return _frame(data, (start, body, body + size_bytes), direction)
    error = DecodeError("size", f"a frame of {size_bytes} bytes, where {left} are left")
    size = DumpRow(start, body, "size", "int32", size_bytes)
    if size_bytes < 0:
        return DecodedFrame("no frame", start, len(data), [size], error, body)
    cut = _frame(data, (start, body, len(data)), direction)
    title = f"{cut.title}, cut"
    return replace(cut, title=title, rows=[size, *cut.rows[1:]], error=cut.error or error)


def _has_sizes(data: bytes, direction: Direction) -> bool:
    """Return True if the input probably begins with a size."""
    is_chain = _is_chain(data)
    is_whole_without = _frame(data, (0, 0, len(data)), direction).error is None
    if _sized_frame(data, 0, direction).error is None:
        return is_chain or not is_whole_without
    if is_whole_without:
        return False
    # Neither form is complete. A request without a size begins with an API's key and version.
    return is_chain or (direction.is_request and not _begins_as_request(data))


def _is_chain(data: bytes) -> bool:
    """Return True if the whole input consists of frames with sizes."""
    position = 0
    while len(data) - position >= SIZE_BYTES:
        (size_bytes,) = read_size(data, position)
        if size_bytes < 0:
            return False
        position += SIZE_BYTES + size_bytes
    return position == len(data)


def _begins_as_request(data: bytes) -> bool:
    try:
        key, version = read_api_key_and_version(data)
    except DecodeError:
        return False
    is_foreign = key in set(ApiKey) and key not in set(declared_api_keys())
    return _declared(key, version) is not None or (is_foreign and 0 <= version < _FEW)


def _declared(key: int, version: int) -> ApiKey | None:
    """Return the API of a key, if this version of it is declared."""
    if key not in set(declared_api_keys()):
        return None
    return ApiKey(key) if version in request_type(ApiKey(key)).VERSIONS else None


def _frame(data: bytes, place: tuple[int, int, int], direction: Direction) -> DecodedFrame:
    """Decode a frame from the positions of its size (if any), its body and its end."""
    start, body, end = place
    rows = [DumpRow(start, body, "size", "int32", end - body)] if start < body else []
    spans: list[FieldSpan] = []
    stream = FrameStream(data[body:end], spans)
    error: DecodeError | None = None
    title = "a frame"
    try:
        title, message, version = (
            _request(stream) if direction.is_request else _response(stream, direction)
        )
        message_construct(message, version).take(stream, "")
        if stream.tell() < stream.limit:
            left = stream.limit - stream.tell()
            raise DecodeError("", f"{left} bytes are left over after the last field")
    except DecodeError as refused:
        error = refused
    for span in spans:
        rows.append(shifted(span, body))
        if span.kind == "records" and isinstance(span.value, bytes):
            at = body + span.end - len(span.value)
            rows += batch_rows(span.value, at, span.path)
    unread_from = body + (spans[-1].end if spans else 0)
    return DecodedFrame(title, start, end, rows, error, unread_from if error else end)


def _request(stream: FrameStream) -> tuple[str, type[Message], int]:
    """Decode a request's header, and return the type of its body."""
    key, version = read_api_key_and_version(stream.data)
    api_key = _declared(key, version)
    header_version = 0 if api_key is None else request_header_version(api_key, version)
    header = message_construct(RequestHeader, header_version).take(stream, "header")
    if api_key is None:
        raise DecodeError("header", _unknown(key, version))
    title = f"request {api_key.title} v{version}, correlation id {header.correlation_id}"
    return f"{title}, client id {header.client_id!r}", request_type(api_key), version


def _unknown(key: int, version: int) -> str:
    if key not in set(ApiKey):
        return f"there is no API with the key {key}"
    if key not in set(declared_api_keys()):
        return f"{ApiKey(key).title} is used between brokers only"
    declared = request_type(ApiKey(key)).VERSIONS
    return f"{ApiKey(key).title} has the versions {declared}, not {version}"


def _response(stream: FrameStream, direction: Direction) -> tuple[str, type[Message], int]:
    """Decode a response's header, and return the type of its body."""
    assert direction.api_key is not None
    api_key, version = direction.api_key, direction.version
    header_version = response_header_version(api_key, version)
    header = message_construct(ResponseHeader, header_version).take(stream, "header")
    title = f"response {api_key.title} v{version}, correlation id {header.correlation_id}"
    return title, response_type(api_key), version
