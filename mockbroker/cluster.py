"""The public handle: a cluster that starts with `with` or `async with`, and stops after it."""

import asyncio
from collections.abc import Mapping
from types import TracebackType
from typing import Self

from mockbroker.event_loop import LoopThread
from mockbroker.running_cluster import RunningCluster
from mockbroker.settings import PYTHON, Given, Settings, resolve_settings


class Cluster:
    """A cluster of mock brokers in this process, on free ports of 127.0.0.1.

    `with Cluster(brokers=3) as cluster:` runs it on a thread of its own; `async with` runs it on
    the running loop. Every cluster starts empty and shares nothing with any other.
    """

    def __init__(
        self,
        *,
        brokers: int = 1,
        kafka: str | None = None,
        topics: Mapping[str, int] | None = None,
        config: Mapping[str, str] | None = None,
        host: str = "127.0.0.1",
        port: int = 0,
    ) -> None:
        """Choose what to start.

        `kafka` is the release to behave like, `topics` maps names to numbers of partitions,
        `config` holds broker configs by Kafka's names. With a `port`, broker i has port + i.

        Raises:
            SettingsError: a setting that cannot be; it names it, and what is allowed.

        """
        self._settings: Settings = resolve_settings(
            Given(
                host=host,
                port=port,
                brokers=brokers,
                topics=[f"{name}:{count}" for name, count in (topics or {}).items()],
                configs=[f"{key}={value}" for key, value in (config or {}).items()],
                release=kafka,
                names=PYTHON,
            )
        )
        self._running: RunningCluster | None = None
        self._thread: LoopThread | None = None

    @property
    def bootstrap_servers(self) -> str:
        """The addresses of all brokers, to be given to any Kafka client.

        Raises:
            RuntimeError: the cluster has not been started yet.

        """
        if self._running is None:
            raise RuntimeError(
                "the cluster has no addresses before it has started: use it in a with statement, "
                "`with Cluster() as cluster:`"
            )
        return self._running.bootstrap_servers

    def __enter__(self) -> Self:
        """Start on a thread of its own.

        Raises:
            ApiError: a topic cannot be made, as Kafka says it.
            OSError: a port is taken.

        """
        thread = LoopThread()
        try:
            self._running = RunningCluster(self._settings, thread.loop)
            thread.call(self._running.start())
        except BaseException:
            thread.stop()
            raise
        self._thread = thread
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Stop, and leave no thread and no port behind."""
        assert self._thread is not None
        assert self._running is not None
        try:
            self._thread.call(self._running.stop())
        finally:
            self._thread.stop()
            self._thread = None

    async def __aenter__(self) -> Self:
        """Start on the running loop."""
        self._running = RunningCluster(self._settings, asyncio.get_running_loop())
        await self._running.start()
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Stop, and leave no port behind."""
        assert self._running is not None
        await self._running.stop()
