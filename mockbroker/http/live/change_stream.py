"""Stream of changes to a page, as server-sent events.

While nobody reads it, the cluster's events have no subscriber here, and nothing is computed.
"""

import asyncio
from collections.abc import AsyncGenerator, Callable
from typing import Final

import msgspec

from mockbroker.events.event_bus import Subscriber
from mockbroker.http.endpoint import Host
from mockbroker.http.live.changes import Changes

INTERVAL_S: Final = 0.25
"""Shortest time between two reports: a page is told at most four times per second."""
STILL_HERE_S: Final = 15.0


async def change_stream(
    host: Host, subscribe: Callable[[Subscriber], Callable[[], None]]
) -> AsyncGenerator[bytes]:
    """Yield reports of changes while the port is open and the reader stays."""
    woken, stopping = asyncio.Event(), asyncio.Event()
    changes = Changes(woken.set)

    def stop_waiting() -> None:
        stopping.set()
        woken.set()

    host.stop_watchers.append(stop_waiting)
    unsubscribe = subscribe(changes.on_event)
    try:
        yield b": mockbroker\n\n"
        while not host.is_stopping:
            await _within(STILL_HERE_S, woken)
            woken.clear()
            view = changes.take()
            if view is None:
                yield b": still here\n\n"
                continue
            yield b"event: changes\ndata: %s\n\n" % msgspec.json.encode(view)
            await _within(INTERVAL_S, stopping)
    finally:
        unsubscribe()
        host.stop_watchers.remove(stop_waiting)


async def _within(seconds: float, event: asyncio.Event) -> None:
    """Wait for an event, but no longer than this."""
    try:
        async with asyncio.timeout(seconds):
            await event.wait()
    except TimeoutError:
        return
