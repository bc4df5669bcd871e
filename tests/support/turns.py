"""Work in a thread that takes turns with its caller, so that their order is fixed."""

from collections.abc import Callable
from threading import Semaphore, Thread
from typing import Final


class Turns:
    """Work that waits where it wants to, until its caller lets it go on."""

    def __init__(self, work: Callable[[Callable[[], None]], None]) -> None:
        """Take the work, which gets a function that waits; it has not begun."""
        self._work: Final = work
        self._mine: Final = Semaphore(0)
        self._callers: Final = Semaphore(0)
        self._error: BaseException | None = None
        self._is_over = False
        self._thread: Final = Thread(target=self._run, daemon=True)

    def go_on(self) -> None:
        """Let the work go on until it waits or ends; an exception of it is raised here."""
        if self._is_over:
            return
        if self._thread.ident is None:
            self._thread.start()
        self._mine.release()
        self._callers.acquire()
        if self._error is not None:
            raise self._error

    def finish(self) -> None:
        """Let the work go on to its end."""
        while not self._is_over:
            self.go_on()

    def _run(self) -> None:
        self._mine.acquire()
        try:
            self._work(self._wait)
        except BaseException as error:  # noqa: BLE001 - its caller gets it
            self._error = error
        self._is_over = True
        self._callers.release()

    def _wait(self) -> None:
        self._callers.release()
        self._mine.acquire()
