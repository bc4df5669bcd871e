"""Our bytes equal those of kio, an independent implementation, in both directions.

kio supports only the versions that Kafka 4 serves; the older ones are compared with bytes recorded
from Kafka's own classes (`test_recorded_bytes.py`).
"""

import dataclasses
import datetime as dt
import io
import types
import typing
from importlib import import_module
from typing import Any, Final

import pytest
from kio.schema.errors import ErrorCode as KioErrorCode
from kio.serial import entity_reader, entity_writer

from mockbroker.protocol.codec import decode, encode
from mockbroker.protocol.schema.message import Message
from mockbroker.protocol.types import ZERO_UUID
from tests.support.declared import ValueMaker, all_messages, versions
from tests.support.facts import snake

SAMPLES: Final = 3
MILLISECOND: Final = dt.timedelta(milliseconds=1)
BEGINNING: Final = dt.datetime(1970, 1, 1, tzinfo=dt.UTC)
LATEST_SECOND: Final = 1 << 32
KIO_ERRORS: Final[tuple[Any, ...]] = tuple(KioErrorCode)


def kio_type(message: type[Message], version: int) -> Any:
    """Find kio's class of a message, or None if it has none."""
    name = message.__name__
    kind = name.rpartition("Header")[1].lower() or message.KIND
    base = (
        name.removesuffix("Request" if kind == "request" else "Response") if message.API else name
    )
    try:
        module = import_module(f"kio.schema.{snake(base)}.v{version}.{kind}")
    except ModuleNotFoundError:
        return None
    return getattr(module, name)


def to_kio(value: Any, entity: Any, version: int) -> Any:
    """Convert our value to kio's; ours is changed where kio's types are narrower than the wire."""
    hints = typing.get_type_hints(entity)
    names: list[str] = []
    for name, field in value.FIELDS.items():
        if field.is_extension:
            setattr(value, name, field.initial())
        elif version in field.versions:
            names.append(name)
    fields = dataclasses.fields(entity)
    assert len(names) == len(fields), (names, [field.name for field in fields])
    arguments: dict[str, Any] = {}
    for name, field in zip(names, fields, strict=True):
        ours, theirs = converted(getattr(value, name), field, hints[field.name], version)
        setattr(value, name, ours)
        arguments[field.name] = theirs
    return entity(**arguments)


def converted(value: Any, field: Any, hint: Any, version: int) -> tuple[Any, Any]:
    options = typing.get_args(hint) if isinstance(hint, types.UnionType) else (hint,)
    [inner] = [option for option in options if option is not types.NoneType]
    if value is None:
        return (None, None) if types.NoneType in options else (b"", b"")
    if typing.get_origin(inner) is tuple:
        inner = typing.get_args(inner)[0]
        pairs = [converted(item, field, inner, version) for item in value]
        return [ours for ours, _ in pairs], tuple(theirs for _, theirs in pairs)
    if dataclasses.is_dataclass(inner):
        return value, to_kio(value, inner, version)
    return narrowed(value, field.metadata["kafka_type"])


def narrowed(value: Any, kind: str) -> tuple[Any, Any]:
    match kind:
        case "error_code":
            error = KIO_ERRORS[value % len(KIO_ERRORS)]
            return int(error.value), error
        case "timedelta_i32" | "timedelta_i64":
            milliseconds = value % (1 << 31)
            return milliseconds, milliseconds * MILLISECOND
        case "datetime_i64":
            # kio reads them through a float: only whole seconds are exact.
            milliseconds = value % LATEST_SECOND * 1_000
            return milliseconds, BEGINNING + milliseconds * MILLISECOND
        case "uuid":
            return value, None if value == ZERO_UUID else value
        case _:
            return value, value


@pytest.mark.parametrize("message", all_messages(), ids=lambda message: message.__name__)
def test_kio_writes_and_reads_the_same_bytes(message: type[Message]) -> None:
    for version in versions(message):
        entity = kio_type(message, version)
        if entity is None:
            continue
        for sample in range(SAMPLES):
            seed = f"{message.__name__} v{version} #{sample}"  # pytest shows it at a failure
            ours = ValueMaker(seed).message(message, version)
            theirs = to_kio(ours, entity, version)
            data = encode(ours, version)
            written = io.BytesIO()
            entity_writer(entity)(written, theirs)
            assert written.getvalue() == data
            assert entity_reader(entity)(data, 0) == (theirs, len(data))
            assert decode(message, version, written.getvalue()) == ours
