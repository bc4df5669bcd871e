"""Messages with a prefix of two bytes, which is their version or their kind.

Keys and values in internal topics have this form, and so has the metadata of group members.
"""

import struct
from typing import Final

from mockbroker.protocol.codec import encode
from mockbroker.protocol.errors import DecodeError
from mockbroker.protocol.schema.message import Message
from mockbroker.protocol.types import Buffer

_VERSION: Final = struct.Struct(">h")
VERSION_BYTES: Final = _VERSION.size
_KEY_VERSION: Final = 0


def write_versioned(message: Message, version: int) -> bytes:
    """Encode a message, prefixed with its version."""
    return _VERSION.pack(version) + encode(message, version)


def write_key(kind: int, key: Message) -> bytes:
    """Encode a record's key, prefixed with the number of its kind."""
    return _VERSION.pack(kind) + encode(key, _KEY_VERSION)


def read_version(data: Buffer) -> int:
    """Decode the version or the kind of a message.

    Raises:
        DecodeError: the data is too short.

    """
    if len(data) < VERSION_BYTES:
        raise DecodeError("version", f"{len(data)} bytes hold no version")
    (version,) = _VERSION.unpack_from(data)
    return int(version)
