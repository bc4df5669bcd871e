"""Messages behind two bytes that say of which version, or of which kind, they are.

Internal topics hold such keys and values, and consumers send such metadata to their group.
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
    """Write a message behind its version."""
    return _VERSION.pack(version) + encode(message, version)


def write_key(kind: int, key: Message) -> bytes:
    """Write a record's key behind the number of its kind."""
    return _VERSION.pack(kind) + encode(key, _KEY_VERSION)


def read_version(data: Buffer) -> int:
    """Read the version, or the kind, of what follows.

    Raises:
        DecodeError: there is no room for it.

    """
    if len(data) < VERSION_BYTES:
        raise DecodeError("version", f"{len(data)} bytes hold no version")
    (version,) = _VERSION.unpack_from(data)
    return int(version)
