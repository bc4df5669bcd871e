"""The verbs of a fault that are about the bytes of connections, by Toxiproxy's names."""

from typing import Self

from mockbroker.faults.network.toxics import (
    Bandwidth,
    Latency,
    LimitData,
    ResetPeer,
    Slicer,
    SlowClose,
    Stream,
    Timeout,
    Toxic,
)
from mockbroker.settings.duration import milliseconds


class ToxicVerbs:
    """What can be done to connections, chosen by `client_id`, `broker` and `connection`.

    They act on every connection that fits, those that are open already included, until the fault is
    removed; a trigger counts connections. `stream` is `upstream`, to the broker, or `downstream`,
    to the client, and `toxicity` the probability with which a connection has it. Time is the
    wire's. A hit is a connection to which something was done.

    Every one raises a ValueError where the fault asks for more than a connection has, where a
    number cannot be, and where there is no such stream.
    """

    def latency(
        self,
        latency: str | int,
        *,
        jitter: str | int = 0,
        stream: Stream = "downstream",
        toxicity: float = 1.0,
    ) -> Self:
        """Have bytes come later, by a time that varies by the jitter to both sides."""
        toxic = Latency(
            latency_ms=milliseconds(latency), jitter_ms=milliseconds(jitter), stream=_known(stream)
        )
        return self._with_toxic(toxic, toxicity)

    def bandwidth(
        self, rate_kb_s: int, *, stream: Stream = "downstream", toxicity: float = 1.0
    ) -> Self:
        """Let so many kilobytes through in a second; a kilobyte is 1000 bytes."""
        toxic = Bandwidth(rate_kb_s=_at_least(1, rate_kb_s, "rate_kb_s"), stream=_known(stream))
        return self._with_toxic(toxic, toxicity)

    def slow_close(
        self, delay: str | int, *, stream: Stream = "downstream", toxicity: float = 1.0
    ) -> Self:
        """Close a connection later than its side does: the broker, or the client upstream."""
        toxic = SlowClose(delay_ms=milliseconds(delay), stream=_known(stream))
        return self._with_toxic(toxic, toxicity)

    def timeout(
        self, timeout: str | int = 0, *, stream: Stream = "downstream", toxicity: float = 1.0
    ) -> Self:
        """Let nothing through, and close the connection after a time; with 0 never."""
        toxic = Timeout(timeout_ms=milliseconds(timeout), stream=_known(stream))
        return self._with_toxic(toxic, toxicity)

    def reset_peer(
        self, after: str | int = 0, *, stream: Stream = "downstream", toxicity: float = 1.0
    ) -> Self:
        """Lose the next bytes, and reset the connection (RST) a time after they came."""
        toxic = ResetPeer(after_ms=milliseconds(after), stream=_known(stream))
        return self._with_toxic(toxic, toxicity)

    def slicer(
        self,
        average_size: int,
        *,
        size_variation: int = 0,
        delay: str | int = 0,
        stream: Stream = "downstream",
        toxicity: float = 1.0,
    ) -> Self:
        """Let bytes come in pieces of about a size, each a time after the one before."""
        toxic = Slicer(
            average_size_bytes=_at_least(1, average_size, "average_size"),
            size_variation_bytes=_at_least(0, size_variation, "size_variation"),
            delay_ms=milliseconds(delay),
            stream=_known(stream),
        )
        return self._with_toxic(toxic, toxicity)

    def limit_data(
        self, limit_bytes: int, *, stream: Stream = "downstream", toxicity: float = 1.0
    ) -> Self:
        """Close a connection when so many more bytes have got through."""
        toxic = LimitData(
            limit_bytes=_at_least(0, limit_bytes, "limit_bytes"), stream=_known(stream)
        )
        return self._with_toxic(toxic, toxicity)

    def _with_toxic(self, toxic: Toxic, toxicity: float) -> Self:
        raise NotImplementedError


def _known(stream: Stream) -> Stream:
    if stream not in {"upstream", "downstream"}:
        raise ValueError(f"stream={stream!r}: allowed are upstream and downstream")
    return stream


def _at_least(least: int, number: int, name: str) -> int:
    if number < least:
        raise ValueError(f"{name}={number}: at least {least}")
    return number
