"""What a container writes: kept line by line, and sent to whoever follows."""

import asyncio
from collections.abc import AsyncIterator, Collection
from typing import Final

STDOUT: Final = 1
STDERR: Final = 2


class Output:
    """The lines of both streams, in the order in which they came."""

    def __init__(self) -> None:
        """Begin with none."""
        self._lines: list[tuple[int, bytes]] = []
        self._changed = asyncio.Condition()
        self._ended = False

    async def read(self, stream: int, source: asyncio.StreamReader) -> None:
        """Keep all lines of a stream until it ends."""
        while line := await source.readline():
            async with self._changed:
                self._lines.append((stream, line))
                self._changed.notify_all()

    async def end(self) -> None:
        """Let those who follow come to an end."""
        async with self._changed:
            self._ended = True
            self._changed.notify_all()

    async def frames(self, streams: Collection[int], *, follow: bool) -> AsyncIterator[bytes]:
        """Yield the lines of these streams in frames, and with `follow` those to come."""
        sent = 0
        while True:
            new = self._lines[sent:]
            sent += len(new)
            for stream, line in new:
                if stream in streams:
                    yield frame(stream, line)
            if not new and (self._ended or not follow):
                return
            async with self._changed:
                while follow and len(self._lines) == sent and not self._ended:
                    await self._changed.wait()


def frame(stream: int, written: bytes) -> bytes:
    """Return Docker's frame of what was written: stream, 0, 0, 0, size and bytes."""
    return bytes([stream, 0, 0, 0]) + len(written).to_bytes(4) + written
