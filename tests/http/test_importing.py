"""Imports beside the loop."""

import asyncio

import pytest

from mockbroker.http.importing import imported


@pytest.mark.asyncio
async def test_a_module_is_imported_without_blocking_the_loop() -> None:
    turns: list[int] = []

    async def turn() -> None:
        while True:
            turns.append(1)
            await asyncio.sleep(0)

    turning = asyncio.ensure_future(turn())
    module = await imported("wave")
    turning.cancel()
    assert module.__name__ == "wave"
    assert turns


@pytest.mark.asyncio
async def test_a_failed_import_is_reported() -> None:
    with pytest.raises(ImportError, match="no_such_module"):
        await imported("no_such_module")
