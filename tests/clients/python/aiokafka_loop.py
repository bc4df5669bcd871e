"""Event loop of a test's aiokafka objects; it runs while a test waits for an operation."""

import asyncio
from collections.abc import Awaitable, Coroutine
from typing import Any, TypeVar

from aiokafka.errors import KafkaError

from tests.clients.support.deadline import TIMEOUT_S
from tests.clients.support.transactional_client import ClientError

Result = TypeVar("Result")


class Loop:
    """Runs operations, each until its time limit."""

    def __init__(self, runner: asyncio.Runner) -> None:
        self._runner = runner

    def run(self, operation: Coroutine[Any, Any, Result]) -> Result:
        """Run an operation, and return its result.

        Raises: ClientError for the client's own errors, as the scenarios know them.
        """
        return self._runner.run(_with_deadline(operation))


async def _with_deadline(operation: Awaitable[Result]) -> Result:
    try:
        async with asyncio.timeout(TIMEOUT_S):
            return await operation
    except (KafkaError, AssertionError) as error:
        raise ClientError(type(error).__name__, str(error)) from error
