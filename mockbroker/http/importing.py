"""What takes long to import, imported beside the loop while it goes on."""

import asyncio
from contextlib import suppress
from importlib import import_module
from threading import Thread
from types import ModuleType


async def imported(name: str) -> ModuleType:
    """Import a module on a thread of its own, and return it.

    Raises:
        ImportError: it cannot be imported.

    """
    loop = asyncio.get_running_loop()
    done: asyncio.Future[None] = loop.create_future()

    def finish() -> None:
        if not done.done():
            done.set_result(None)

    def work() -> None:
        with suppress(ImportError):  # it is raised below, where somebody waits for it
            import_module(name)
        with suppress(RuntimeError):  # the loop was closed meanwhile
            loop.call_soon_threadsafe(finish)

    Thread(target=work, name="mockbroker-import").start()
    await done
    return import_module(name)
