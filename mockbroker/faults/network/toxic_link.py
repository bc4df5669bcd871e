"""One direction of a connection with toxics: delivers bytes at the times that they set."""

import asyncio
from collections import deque
from collections.abc import Callable
from typing import Final

from mockbroker.faults.network.toxic import Ending, Piece, Stage

Deliver = Callable[[bytes], None]
End = Callable[[Ending], None]


class ToxicLink:
    """The stages of a direction, in sequence, and the bytes in transit."""

    def __init__(self, loop: asyncio.AbstractEventLoop, deliver: Deliver, end: End) -> None:
        """Call `deliver` with bytes at their time, in order, and `end` at the end."""
        self._loop: Final = loop
        self._deliver: Final = deliver
        self._end: Final = end
        self._stages: dict[object, Stage] = {}
        self._queue: deque[Piece] = deque()
        self._timer: asyncio.TimerHandle | None = None
        self._ending_timers: dict[object, asyncio.TimerHandle] = {}
        self._is_over = False
        self.queued_bytes = 0
        """Number of bytes in transit."""

    @property
    def has_stages(self) -> bool:
        """True if there is any stage."""
        return bool(self._stages)

    def add(self, key: object, stage: Stage) -> None:
        """Append a stage."""
        self._stages[key] = stage
        now_s = self._loop.time()
        ends_at_s = stage.ends_at_s(now_s)
        if ends_at_s is not None:
            self._ending_timers[key] = self._loop.call_later(
                ends_at_s - now_s, self._time_is_up, stage
            )

    def remove(self, key: object) -> None:
        """Remove a stage, and deliver the bytes in transit at once."""
        if self._stages.pop(key, None) is None:
            return
        timer = self._ending_timers.pop(key, None)
        if timer is not None:
            timer.cancel()
        self.flush()

    def feed(self, data: bytes) -> None:
        """Add bytes that have arrived."""
        self._put(Piece(data, self._loop.time()))

    def end(self, ending: Ending = Ending.CLOSE) -> None:
        """Add the end of the direction."""
        self._put(Piece(ending, self._loop.time()))

    def flush(self) -> None:
        """Deliver all bytes in transit now."""
        while self._queue and not self._is_over:
            self._give(self._queue.popleft())
        self._pump()

    def close(self) -> None:
        """Drop everything, because the connection is closed."""
        self._is_over = True
        self._queue.clear()
        for timer in (self._timer, *self._ending_timers.values()):
            if timer is not None:
                timer.cancel()
        self._timer = None
        self._ending_timers.clear()

    def _put(self, piece: Piece) -> None:
        if self._is_over:
            return
        pieces = [piece]
        for stage in self._stages.values():
            pieces = [out for each in pieces for out in stage.through(each)]
        for each in pieces:
            # The order stays, whatever the random jitter.
            at_s = max(each.at_s, self._queue[-1].at_s) if self._queue else each.at_s
            self._queue.append(Piece(each.data, at_s))
            if isinstance(each.data, bytes):
                self.queued_bytes += len(each.data)
        self._pump()

    def _pump(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        now_s = self._loop.time()
        while self._queue and self._queue[0].at_s <= now_s and not self._is_over:
            self._give(self._queue.popleft())
        if self._queue and not self._is_over and self._timer is None:
            self._timer = self._loop.call_later(self._queue[0].at_s - now_s, self._wake)

    def _wake(self) -> None:
        self._timer = None
        # A loop may wake a little early: the piece of this timer has expired all the same.
        if self._queue and not self._is_over:
            self._give(self._queue.popleft())
        self._pump()

    def _give(self, piece: Piece) -> None:
        if isinstance(piece.data, Ending):
            self._finish(piece.data)
        else:
            self.queued_bytes -= len(piece.data)
            self._deliver(piece.data)

    def _time_is_up(self, stage: Stage) -> None:
        stage.time_is_up()
        self._finish(Ending.CLOSE)

    def _finish(self, ending: Ending) -> None:
        self.close()
        self._end(ending)
