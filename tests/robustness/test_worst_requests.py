"""The worst requests of each API stay within the budget of a slice, counted in function calls."""

import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from types import FrameType

import pytest

from bench.worst_requests import TOPIC, worst_requests
from mockbroker.broker.outcomes import CloseConnection
from mockbroker.broker.request_path import RequestPath
from mockbroker.broker.slices import steps
from mockbroker.broker.slices.steps import TooManySteps
from mockbroker.protocol.api_keys import ApiKey
from tests.support.in_process import Brokers

ELEMENTS = 1_500
SLICE = 500
"""Steps of a slice: a tenth of the usual ones, so that requests need not have more elements."""
CALLS_MAX = 16_000
"""Function calls of such a slice: two or three milliseconds, or ten for each element of a request
that is handled as a whole."""


class CallCounter:
    """Counts function calls, and keeps the largest number between two pauses."""

    def __init__(self) -> None:
        self.most = 0
        self.pauses = 0
        self._count = 0

    def pause(self) -> None:
        """Begin to count again."""
        self.pauses += 1
        self.most = max(self.most, self._count)
        self._count = 0

    def count(self, work: Callable[[], object]) -> None:
        """Count the calls during work."""

        def called(_frame: FrameType, event: str, _argument: object) -> None:
            self._count += event.endswith("call")

        before = sys.getprofile()
        sys.setprofile(called)
        try:
            work()
        finally:
            sys.setprofile(before)
            self.pause()


@pytest.fixture(autouse=True)
def short_slices(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(steps, "SLICE_STEPS", SLICE)


def handled(frame: bytes) -> CallCounter:
    """Handle a request as a connection does, on brokers of its own."""
    brokers = Brokers(topics={TOPIC: 4})
    request_path = RequestPath(brokers.service, 1, 1)
    counter = CallCounter()

    def handle() -> None:
        try:
            request_path.answer(frame)
        except TooManySteps:
            request_path.answer_in_slices(frame, counter.pause)

    def work() -> None:
        with suppress(CloseConnection):
            handle()

    counter.count(work)
    return counter


def oldest_and_newest() -> Iterator[tuple[ApiKey, int]]:
    for key, route in Brokers().service.routes.items():
        for version in sorted({route.versions[0], route.versions[-1]}):
            yield ApiKey(key), version


@pytest.mark.slow
@pytest.mark.parametrize(
    ("api_key", "version"),
    [pytest.param(*each, id=f"{each[0].name}-v{each[1]}") for each in oldest_and_newest()],
)
def test_no_slice_of_a_worst_request_is_too_long(api_key: ApiKey, version: int) -> None:
    requests = list(worst_requests(api_key, version, ELEMENTS))
    for _, frame in requests[:1]:
        handled(frame)  # the first time imports and compiles
    for name, frame in requests:
        assert handled(frame).most <= CALLS_MAX, name
