"""Runs of plain records, matched by one regular expression in C.

A plain record has a timestamp delta of one byte, an offset delta of one or two, a key below 64
bytes or none, and no headers. All plain records of one shape (the same sizes of key and value)
match one pattern: their lengths as literal bytes, the two varints as classes of bytes, key and
value as `.{n}`. So a match has looked at every field of every record it spans, as Kafka would.

A pattern costs as much to compile as 10,000 records cost to match. It is made when its shape has
been met a few times; until then, and for other records, `record_runs` has columns. What is kept
is a pattern per shape, and nothing about any batch.
"""

import re
from typing import Final

from mockbroker.protocol.records.varint import varint

_COMPILED_FROM: Final = 8
_SHAPES_MAX: Final = 512
_LOW: Final = rb"[\x00-\x7f]"
_HIGH: Final = rb"[\x80-\xff]"

_Shape = tuple[int, int]

_NOTHING: Final = re.compile(b"()")
"""The pattern of sizes that no plain record has."""

_patterns: dict[_Shape, re.Pattern[bytes]] = {}
_sightings: dict[_Shape, int] = {}


def pattern_of(body_bytes: int, key: int) -> re.Pattern[bytes] | None:
    """Give the pattern for plain records of this shape, or None while the shape is too rare.

    `body_bytes` is what a record's length says when its offset delta takes one byte; `key` is
    the byte that announces the key. The pattern matches any number of such records, and behind
    them any number whose offset delta takes two bytes; its group 1 is the former.
    """
    shape = (body_bytes, key)
    pattern = _patterns.get(shape)
    if pattern is None:
        seen = _sightings.get(shape, 0) + 1
        if len(_sightings) >= _SHAPES_MAX:
            _sightings.clear()
            _patterns.clear()
        _sightings[shape] = seen
        if seen < _COMPILED_FROM:
            return None
        pattern = _patterns[shape] = _compile(body_bytes, key)
    return pattern


def _compile(body_bytes: int, key: int) -> re.Pattern[bytes]:
    key_bytes = 0 if key == 1 else key >> 1
    left = body_bytes - 5 - key_bytes  # less attributes, timestamp, offset, key's length, headers
    value_bytes = next(
        (left - width for width in range(1, 6) if len(varint(left - width)) == width), None
    )
    if value_bytes is None or value_bytes < 0:
        return _NOTHING
    value = rb"[\x00\x01]" if value_bytes == 0 else re.escape(varint(value_bytes))
    tail = re.escape(bytes((key,))) + b".{%d}" % key_bytes
    tail += value + b".{%d}\\x00" % value_bytes
    short = re.escape(varint(body_bytes)) + b"." + _LOW + _LOW + tail
    long = re.escape(varint(body_bytes + 1)) + b"." + _LOW + _HIGH + _LOW + tail
    return re.compile(b"(?s)((?:" + short + b")*+)(?:" + long + b")*+")
