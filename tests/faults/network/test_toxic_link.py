"""One direction of a connection with toxics: delays, order and end."""

from mockbroker.faults.network.bandwidth import Bandwidth
from mockbroker.faults.network.latency import Latency
from mockbroker.faults.network.slicer import Slicer
from mockbroker.faults.network.timeout import Timeout
from mockbroker.faults.network.toxic import Ending, Toxic
from mockbroker.faults.network.toxic_link import ToxicLink
from mockbroker.state.random_source import RandomSource
from tests.support.virtual_loop import VirtualLoop


class Direction:
    """A link, with its output and the times of it."""

    def __init__(self, *toxics: Toxic) -> None:
        self.loop = VirtualLoop()
        self.came: list[tuple[bytes | Ending, float]] = []
        self.link = ToxicLink(self.loop.as_loop, self._come, self._come)
        self.struck: list[int] = []
        for toxic in toxics:
            self.link.add(toxic, toxic.stage(RandomSource(1), self.struck.append))

    def _come(self, what: bytes | Ending) -> None:
        self.came.append((what, round(self.loop.time(), 6)))


def test_without_stages_bytes_come_at_once() -> None:
    direction = Direction()
    direction.link.feed(b"abc")
    direction.link.end()
    assert direction.came == [(b"abc", 0.0), (Ending.CLOSE, 0.0)]
    assert (direction.link.has_stages, direction.loop.is_idle) == (False, True)


def test_bytes_arrive_when_they_are_due_and_then_the_end() -> None:
    direction = Direction(Latency(latency=100))
    direction.link.feed(b"abc")
    direction.loop.advance(0.05)
    direction.link.feed(b"de")
    direction.link.end()
    assert (direction.came, direction.link.queued_bytes) == ([], 5)
    direction.loop.advance(1)
    assert direction.came == [(b"abc", 0.1), (b"de", 0.15), (Ending.CLOSE, 0.15)]
    assert (direction.link.queued_bytes, direction.loop.is_idle) == (0, True)


def test_random_jitter_does_not_change_the_order() -> None:
    direction = Direction(Latency(latency=100, jitter=100))
    sent = [bytes([n]) for n in range(50)]
    for each in sent:
        direction.link.feed(each)
    direction.loop.advance(1)
    assert [data for data, _ in direction.came] == sent
    times = [at_s for _, at_s in direction.came]
    assert times == sorted(times)


def test_stages_act_one_after_the_other() -> None:
    direction = Direction(Latency(latency=100), Slicer(average_size=1, delay=10))
    direction.link.feed(b"abc")
    direction.loop.advance(1)
    assert direction.came == [(b"a", 0.1), (b"b", 0.11), (b"c", 0.12)]
    assert direction.struck == [3, 1, 1, 1]


def test_a_removed_stage_releases_the_bytes_that_it_delayed() -> None:
    latency = Latency(latency=100)
    direction = Direction(latency)
    direction.link.feed(b"abc")
    direction.link.end()
    direction.loop.advance(0.01)
    direction.link.remove(latency)
    assert direction.came == [(b"abc", 0.01), (Ending.CLOSE, 0.01)]
    assert direction.loop.is_idle


def test_after_a_timeout_no_more_bytes_arrive() -> None:
    direction = Direction(Timeout(timeout=500))
    direction.link.feed(b"abc")
    direction.loop.advance(2)
    direction.link.feed(b"abc")
    direction.link.end()
    assert direction.came == [(Ending.CLOSE, 0.5)]


def test_a_timeout_that_is_removed_ends_nothing() -> None:
    timeout = Timeout(timeout=500)
    direction = Direction(timeout)
    direction.link.remove(timeout)
    direction.link.feed(b"abc")
    direction.loop.advance(2)
    assert direction.came == [(b"abc", 0.0)]


def test_a_closed_link_is_idle() -> None:
    direction = Direction(Bandwidth(rate_kb_s=1), Timeout(timeout=500))
    direction.link.feed(b"abc")
    direction.link.close()
    direction.loop.advance(2)
    assert direction.came == []
    assert direction.loop.is_idle
