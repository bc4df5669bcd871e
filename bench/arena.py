"""Brokers of a run, started so that rounds can alternate between them.

Each round has its own brokers, one at a time, as a test run has. So a figure does not depend on the
number of earlier rounds and groups, or on idle threads of other brokers. A Java broker gets faster
for minutes; `keeps_up` measures one that had them.
"""

from collections.abc import Generator, Mapping
from contextlib import ExitStack, contextmanager
from types import TracebackType
from typing import Final, Self

from bench import loadgen
from bench.competitors import Competitor, Server, Settings
from bench.errors import CannotMeasureError

_MIB: Final = 1 << 20
BOUNDED_TOPIC: Final = f"retention.bytes={16 * _MIB},segment.bytes={4 * _MIB}"
"""Configs of a topic that keeps little: else a broker's memory would be measured."""
RETENTION_CHECK: Final[Settings] = {"log.retention.check.interval.ms": "200"}
"""Settings of every broker: by default Kafka looks for what a topic need not keep after minutes."""
_WARM_UP: Final[Mapping[str, str | float]] = {
    "depth": 64,
    "burst": 16,
    "t": 2.0,
    "configs": BOUNDED_TOPIC,
}
"""Every broker gets the same, before anything is measured: real Kafka compiles itself meanwhile."""


@contextmanager
def warm(competitor: Competitor, settings: Settings) -> Generator[Server, None, None]:
    """Run one warmed-up broker.

    Raises: CannotMeasureError when it cannot be started.
    """
    with competitor.running({**RETENTION_CHECK, **settings}) as server:
        loadgen.run(server.address, "produce", **_WARM_UP)
        yield server


class Arena:
    """Starts a broker at its first use, and stops it at the end of the round."""

    def __init__(self, *, keeps_up: bool = False, seed: int = 1) -> None:
        """Keep brokers for a round, or if `keeps_up` until the end of the run.

        All brokers get loads made from the same seed.
        """
        self.seed = seed
        self._keeps_up = keeps_up
        self._running: dict[tuple[str, frozenset[tuple[str, str]]], tuple[Server, ExitStack]] = {}
        self._absent: dict[str, str] = {}

    def server(self, competitor: Competitor, settings: Settings | None = None) -> Server:
        """Return the competitor's broker with these settings, besides those of every broker.

        Raises: CannotMeasureError when it cannot be started; it is not tried again.
        """
        name = competitor.name
        if name in self._absent:
            raise CannotMeasureError(self._absent[name])
        key = (name, frozenset((settings or {}).items()))
        if key not in self._running:
            stack = ExitStack()
            try:
                server = stack.enter_context(warm(competitor, settings or {}))
            except CannotMeasureError as error:
                self._absent[name] = str(error)
                raise
            self._running[key] = (server, stack)
        return self._running[key][0]

    def drop(self, competitor: Competitor) -> None:
        """Stop the competitor's brokers, so that the next figure gets a new one."""
        for key in [key for key in self._running if key[0] == competitor.name]:
            self._running.pop(key)[1].close()

    def end_round(self, competitor: Competitor) -> None:
        """Stop the competitor's broker at the end of a round, unless `keeps_up` is set."""
        if not self._keeps_up:
            self.drop(competitor)

    def drop_special(self) -> None:
        """Stop the brokers with settings that only some figures use."""
        for key in [key for key in self._running if key[1]]:
            self._running.pop(key)[1].close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        exception_type: type[BaseException] | None,
        exception: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        while self._running:
            self._running.popitem()[1][1].close()
