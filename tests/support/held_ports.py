"""Reserved ports for tests that must name one: without a listener, and not given to others."""

from collections.abc import Generator
from contextlib import ExitStack, contextmanager

from mockbroker.server.listener import bind


@contextmanager
def held_ports(count: int = 1) -> Generator[list[int]]:
    """Yield bound ports of 127.0.0.1, which are not assigned to a server that asks for port 0.

    Connections to one are refused until a server listens on it by its number.
    """
    with ExitStack() as held:
        sockets = [held.enter_context(bind("127.0.0.1", 0)) for _ in range(count)]
        yield [each.getsockname()[1] for each in sockets]
