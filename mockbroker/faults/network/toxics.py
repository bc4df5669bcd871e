"""What a bad network does to the bytes of a connection, with Toxiproxy's names and meanings.

A toxic is what a rule says; a stage is what it does to one direction of one connection: pieces of
bytes go in, each with the moment at which it comes, and come out later, cut, or not at all. Stages
know no loop and no sockets. Moments are seconds of the wire's clock.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import Enum
from typing import Final, Literal, NamedTuple, Protocol, TypeAlias

from mockbroker.faults.verb import Verb
from mockbroker.settings.duration import duration_text
from mockbroker.state.random_source import RandomSource

Stream: TypeAlias = Literal["upstream", "downstream"]
"""From the client to the broker, or from the broker to the client."""

_MILLISECONDS: Final = 1000
_SLICES_A_SECOND: Final = 10


class Ending(Enum):
    """How a direction ends, and its connection with it."""

    CLOSE = "close"
    RESET = "reset"


class Piece(NamedTuple):
    """Bytes, or the end of a direction, and when they come."""

    data: bytes | Ending
    at_s: float


Struck: TypeAlias = Callable[[int], None]
"""Told whenever a toxic does something, with the number of bytes that it does it to."""


class Stage(Protocol):
    """What a toxic does to one direction of one connection."""

    def through(self, piece: Piece) -> Iterator[Piece]:
        """Yield what comes of a piece, in order."""
        ...

    def ends_at_s(self, now_s: float) -> float | None:
        """Return when the connection is closed whatever comes, if it is."""
        ...

    def time_is_up(self) -> None:
        """Take note that it is closed for that."""
        ...


class Toxic(Protocol):
    """What a rule does to connections."""

    @property
    def stream(self) -> Stream:
        """The direction that it is about."""
        ...

    @property
    def verb(self) -> Verb:
        """How it is called."""
        ...

    def stage(self, random: RandomSource, struck: Struck) -> Stage:
        """Begin with a connection."""
        ...


class PassingStage:
    """Lets everything through as it comes, and ends nothing; others do one thing differently."""

    def __init__(self, struck: Struck) -> None:
        """Tell `struck` what is done."""
        self._struck: Final = struck

    def through(self, piece: Piece) -> Iterator[Piece]:
        """Yield what comes of a piece."""
        if isinstance(piece.data, Ending):
            yield from self.end(piece.data, piece.at_s)
        else:
            yield from self.pass_on(piece.data, piece.at_s)

    def pass_on(self, data: bytes, at_s: float) -> Iterator[Piece]:
        """Yield what comes of bytes."""
        yield Piece(data, at_s)

    def end(self, ending: Ending, at_s: float) -> Iterator[Piece]:
        """Yield what comes of the end."""
        yield Piece(ending, at_s)

    def ends_at_s(self, now_s: float) -> float | None:
        """End nothing."""
        return None

    def time_is_up(self) -> None:
        """Count the end, be it that no bytes came."""
        self._struck(0)


class _Called:
    """A toxic that is written as it is called."""

    __slots__ = ()
    stream: Stream

    def __str__(self) -> str:
        """Write the toxic as it is called."""
        arguments = [f"{name}={value!r}" for name, value in self.verb.arguments.items()]
        return f"{self.verb.name}({', '.join(arguments)})"

    @property
    def verb(self) -> Verb:
        """How it is called."""
        raise NotImplementedError

    def _verb(self, name: str, **arguments: object) -> Verb:
        stream = {} if self.stream == "downstream" else {"stream": self.stream}
        return Verb(name, {k: v for k, v in arguments.items() if v is not None} | stream)


def _time(duration_ms: int) -> str | None:
    """Write a duration; one of 0, which is the default where that may be, is left out."""
    return duration_text(duration_ms) if duration_ms else None


@dataclass(frozen=True, slots=True, kw_only=True)
class Latency(_Called):
    """Bytes come later, by a time that varies by `jitter_ms` to both sides."""

    latency_ms: int
    jitter_ms: int = 0
    stream: Stream = "downstream"

    @property
    def verb(self) -> Verb:
        """How it is called."""
        return self._verb(
            "latency", latency=duration_text(self.latency_ms), jitter=_time(self.jitter_ms)
        )

    def stage(self, random: RandomSource, struck: Struck) -> Stage:
        """Delay what a connection carries."""
        return _LatencyStage(self, random, struck)


class _LatencyStage(PassingStage):
    def __init__(self, toxic: Latency, random: RandomSource, struck: Struck) -> None:
        super().__init__(struck)
        self._toxic = toxic
        self._random = random

    def pass_on(self, data: bytes, at_s: float) -> Iterator[Piece]:
        """Put bytes off."""
        jitter_ms = self._toxic.jitter_ms
        varied_ms = self._random.below(2 * jitter_ms + 1) - jitter_ms if jitter_ms else 0
        self._struck(len(data))
        yield Piece(data, at_s + max(0, self._toxic.latency_ms + varied_ms) / _MILLISECONDS)


@dataclass(frozen=True, slots=True, kw_only=True)
class Bandwidth(_Called):
    """A connection carries so many kilobytes (of 1000 bytes) a second."""

    rate_kb_s: int
    stream: Stream = "downstream"

    @property
    def verb(self) -> Verb:
        """How it is called."""
        return self._verb("bandwidth", rate_kb_s=self.rate_kb_s)

    def stage(self, random: RandomSource, struck: Struck) -> Stage:
        """Slow a connection down."""
        return _BandwidthStage(self.rate_kb_s * 1000, struck)


class _BandwidthStage(PassingStage):
    def __init__(self, bytes_per_s: int, struck: Struck) -> None:
        super().__init__(struck)
        self._bytes_per_s = bytes_per_s
        self._busy_until_s = 0.0

    def pass_on(self, data: bytes, at_s: float) -> Iterator[Piece]:
        """Let bytes through in tenths of a second's worth, each when it has had its time."""
        self._struck(len(data))
        size = self._bytes_per_s // _SLICES_A_SECOND
        self._busy_until_s = max(self._busy_until_s, at_s)
        for start in range(0, len(data), size):
            part = data[start : start + size]
            self._busy_until_s += len(part) / self._bytes_per_s
            yield Piece(part, self._busy_until_s)

    def end(self, ending: Ending, at_s: float) -> Iterator[Piece]:
        """End behind the bytes."""
        yield Piece(ending, max(self._busy_until_s, at_s))


@dataclass(frozen=True, slots=True, kw_only=True)
class SlowClose(_Called):
    """A connection is closed later than its side closes it."""

    delay_ms: int
    stream: Stream = "downstream"

    @property
    def verb(self) -> Verb:
        """How it is called."""
        return self._verb("slow_close", delay=duration_text(self.delay_ms))

    def stage(self, random: RandomSource, struck: Struck) -> Stage:
        """Wait for the end of a connection."""
        return _SlowCloseStage(self.delay_ms, struck)


class _SlowCloseStage(PassingStage):
    def __init__(self, delay_ms: int, struck: Struck) -> None:
        super().__init__(struck)
        self._delay_ms = delay_ms

    def end(self, ending: Ending, at_s: float) -> Iterator[Piece]:
        """Put a close off."""
        if ending is Ending.CLOSE:
            self._struck(0)
            at_s += self._delay_ms / _MILLISECONDS
        yield Piece(ending, at_s)


@dataclass(frozen=True, slots=True, kw_only=True)
class Timeout(_Called):
    """No bytes get through, and the connection is closed after a time; never where that is 0."""

    timeout_ms: int
    stream: Stream = "downstream"

    @property
    def verb(self) -> Verb:
        """How it is called."""
        return self._verb("timeout", timeout=_time(self.timeout_ms))

    def stage(self, random: RandomSource, struck: Struck) -> Stage:
        """Cut a connection off."""
        return _TimeoutStage(self.timeout_ms, struck)


class _TimeoutStage(PassingStage):
    def __init__(self, timeout_ms: int, struck: Struck) -> None:
        super().__init__(struck)
        self._timeout_ms = timeout_ms

    def pass_on(self, data: bytes, at_s: float) -> Iterator[Piece]:
        """Lose bytes."""
        self._struck(len(data))
        yield from ()

    def ends_at_s(self, now_s: float) -> float | None:
        """End when the time is up."""
        return now_s + self._timeout_ms / _MILLISECONDS if self._timeout_ms else None


@dataclass(frozen=True, slots=True, kw_only=True)
class ResetPeer(_Called):
    """The first bytes are lost, and the connection is reset (RST) a time after they came."""

    after_ms: int = 0
    stream: Stream = "downstream"

    @property
    def verb(self) -> Verb:
        """How it is called."""
        return self._verb("reset_peer", after=_time(self.after_ms))

    def stage(self, random: RandomSource, struck: Struck) -> Stage:
        """Wait for the first bytes of a connection."""
        return _ResetPeerStage(self.after_ms, struck)


class _ResetPeerStage(PassingStage):
    def __init__(self, after_ms: int, struck: Struck) -> None:
        super().__init__(struck)
        self._after_ms = after_ms
        self._is_over = False

    def pass_on(self, data: bytes, at_s: float) -> Iterator[Piece]:
        """Lose bytes, and reset the connection."""
        self._struck(len(data))
        if not self._is_over:
            self._is_over = True
            yield Piece(Ending.RESET, at_s + self._after_ms / _MILLISECONDS)


@dataclass(frozen=True, slots=True, kw_only=True)
class Slicer(_Called):
    """Bytes come in pieces of a size that varies by `size_variation_bytes` to both sides."""

    average_size_bytes: int
    size_variation_bytes: int = 0
    delay_ms: int = 0
    """Between one piece and the next."""
    stream: Stream = "downstream"

    @property
    def verb(self) -> Verb:
        """How it is called."""
        return self._verb(
            "slicer",
            average_size=self.average_size_bytes,
            size_variation=self.size_variation_bytes or None,
            delay=_time(self.delay_ms),
        )

    def stage(self, random: RandomSource, struck: Struck) -> Stage:
        """Slice what a connection carries."""
        return _SlicerStage(self, random, struck)


class _SlicerStage(PassingStage):
    def __init__(self, toxic: Slicer, random: RandomSource, struck: Struck) -> None:
        super().__init__(struck)
        self._toxic = toxic
        self._random = random
        self._free_from_s = 0.0

    def pass_on(self, data: bytes, at_s: float) -> Iterator[Piece]:
        """Cut bytes into pieces."""
        start = 0
        at_s = max(at_s, self._free_from_s)
        while start < len(data):
            size_bytes = self._next_size()
            if size_bytes < len(data):
                self._struck(min(size_bytes, len(data) - start))
            yield Piece(data[start : start + size_bytes], at_s)
            start += size_bytes
            at_s += self._toxic.delay_ms / _MILLISECONDS
        self._free_from_s = at_s

    def end(self, ending: Ending, at_s: float) -> Iterator[Piece]:
        """End behind the pieces."""
        yield Piece(ending, max(at_s, self._free_from_s))

    def _next_size(self) -> int:
        variation = self._toxic.size_variation_bytes
        varied = self._random.below(2 * variation + 1) - variation if variation else 0
        return max(1, self._toxic.average_size_bytes + varied)


@dataclass(frozen=True, slots=True, kw_only=True)
class LimitData(_Called):
    """A connection is closed when it has carried so many bytes; what is beyond them is lost."""

    limit_bytes: int
    stream: Stream = "downstream"

    @property
    def verb(self) -> Verb:
        """How it is called."""
        return self._verb("limit_data", limit_bytes=self.limit_bytes)

    def stage(self, random: RandomSource, struck: Struck) -> Stage:
        """Count what a connection carries from now on."""
        return _LimitDataStage(self.limit_bytes, struck)


class _LimitDataStage(PassingStage):
    def __init__(self, limit_bytes: int, struck: Struck) -> None:
        super().__init__(struck)
        self._left_bytes = limit_bytes
        self._is_over = False

    def pass_on(self, data: bytes, at_s: float) -> Iterator[Piece]:
        """Let through what is within the limit, and end where that is reached."""
        within = data[: self._left_bytes]
        self._left_bytes -= len(within)
        if within:
            yield Piece(within, at_s)
        if not self._left_bytes and not self._is_over:
            self._is_over = True
            self._struck(len(data))
            yield Piece(Ending.CLOSE, at_s)
