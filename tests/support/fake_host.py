"""Fake host of a cluster, for tests that call endpoints directly."""

from collections.abc import Callable

from mockbroker.broker.service import Service


class FakeHost:
    """A host that never stops, and may not be stopped."""

    is_stopping = False

    def __init__(self) -> None:
        self.stop_watchers: list[Callable[[], None]] = []

    @property
    def service(self) -> Service:
        """Have no service."""
        raise NotImplementedError

    def metrics_text(self) -> bytes:
        """Have no metrics."""
        return b""

    def shut_down(self) -> bool:
        """Refuse."""
        return False
