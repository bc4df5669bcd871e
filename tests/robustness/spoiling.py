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
TIMES: Final = (1, 1, 1, 2, 4)
"""Number of changes of one frame."""


def below(limit: int, random: Random) -> int:
    """Return a number from 0 on; quicker than `randrange`, which a million frames would notice."""
    return int(random.random() * limit)


def spoiled(frame: bytes, random: Random) -> bytes:
    """Change a frame a little: bytes, numbers, lengths, its end."""
    changed = bytearray(frame)
    for _ in range(TIMES[below(len(TIMES), random)]):
        way = below(8, random)
        at = below(len(changed), random)
        if way < 3 and changed:
            changed[at] = below(256, random)
        elif way < 5:
            # Rather behind the header: what is wrong there is known soon.
            at = max(at, min(KEEPS_HEADER, len(changed)))
            extreme = EXTREMES[below(len(EXTREMES), random)]
            changed[at : at + len(extreme)] = extreme
        elif way == 5:
            del changed[at : at + 1 + below(8, random)]
        elif way == 6:
            changed[at:at] = random.randbytes(1 + below(8, random))
        else:
            del changed[at:]
    return bytes(changed)
