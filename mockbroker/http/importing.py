"""Slow imports on another thread, while the event loop continues."""

import asyncio
from contextlib import suppress
from importlib import import_module
from threading import Thread
from types import ModuleType


async def imported(name: str) -> ModuleType:
    """Import a module on another thread, and return it.

    Raises:
        ImportError: it cannot be imported.

    """
    loop = asyncio.get_running_loop()
    done: asyncio.Future[None] = loop.create_future()

    def finish() -> None:
        if not done.done():
            done.set_result(None)

    def work() -> None:
        with suppress(ImportError):  # raised below, to the caller
            import_module(name)
        with suppress(RuntimeError):  # the loop was closed meanwhile
            loop.call_soon_threadsafe(finish)

    Thread(target=work, name="mockbroker-import").start()
    await done
    return import_module(name)
