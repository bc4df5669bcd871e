"""Reserved ports for tests that must name one: without a listener, and not given to others."""

from collections.abc import Generator
from contextlib import ExitStack, contextmanager

from mockbroker.server.listener import bind


@contextmanager
def held_ports(count: int = 1) -> Generator[list[int]]:
    """Give ports of 127.0.0.1 that are bound meanwhile: so they are drawn by nobody who wants any.

    Who connects to one is refused, until somebody who names it listens beside us.
    """
    with ExitStack() as held:
        sockets = [held.enter_context(bind("127.0.0.1", 0)) for _ in range(count)]
        yield [each.getsockname()[1] for each in sockets]
