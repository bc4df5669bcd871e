"""Corruption of valid frames."""

import struct
from random import Random
from typing import Final

EXTREMES: Final = (
    struct.pack(">h", -1),
    struct.pack(">h", 32767),
    struct.pack(">h", -32768),
    struct.pack(">i", -1),
    struct.pack(">i", 2_147_483_647),
    struct.pack(">i", -2_147_483_648),
    struct.pack(">q", -1),
    struct.pack(">q", (1 << 63) - 1),
    b"\xff\xff\xff\xff\x0f",
    b"\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01",
    b"\x80" * 8,
    b"\x00" * 8,
)
KEEPS_HEADER: Final = 8


def spoiled(frame: bytes, random: Random) -> bytes:
    """Change a frame a little: bytes, numbers, lengths, its end."""
    changed = bytearray(frame)
    for _ in range(random.choice((1, 1, 1, 2, 4))):
        way = random.randrange(8)
        at = random.randrange(len(changed)) if changed else 0
        if way < 3 and changed:
            changed[at] = random.randrange(256)
        elif way < 5:
            # Rather behind the header: what is wrong there is known soon.
            at = max(at, min(KEEPS_HEADER, len(changed)))
            extreme = random.choice(EXTREMES)
            changed[at : at + len(extreme)] = extreme
        elif way == 5:
            del changed[at : at + random.randrange(1, 9)]
        elif way == 6:
            changed[at:at] = random.randbytes(random.randrange(1, 9))
        else:
            del changed[at:]
    return bytes(changed)
