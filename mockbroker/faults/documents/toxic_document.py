"""What a bad network does, as JSON, YAML and TOML have it: `{"latency": {"latency": "200ms"}}`.

The words are those of `Fault`'s toxics. With which probability a connection has one is said by the
rule's trigger; without a trigger, every connection that fits has it.
"""

from collections.abc import Mapping
from typing import Final, Literal, TypeAlias

from mockbroker.faults.documents.strict import Document

Duration: TypeAlias = str | int
"""`250ms`, `7d`, or a number of milliseconds."""


class ToxicDocument(Document, kw_only=True):
    """What all toxics have."""

    stream: Literal["upstream", "downstream"] = "downstream"


class LatencyDocument(ToxicDocument, kw_only=True):
    """Bytes come later."""

    latency: Duration
    jitter: Duration = 0


class BandwidthDocument(ToxicDocument, kw_only=True):
    """So many kilobytes of 1000 bytes get through in a second."""

    rate_kb_s: int


class SlowCloseDocument(ToxicDocument, kw_only=True):
    """A connection that is closed is closed later."""

    delay: Duration


class TimeoutDocument(ToxicDocument, kw_only=True):
    """Nothing gets through, and the connection is closed then; with 0 never."""

    timeout: Duration = 0


class ResetPeerDocument(ToxicDocument, kw_only=True):
    """The next bytes are lost, and the connection is reset a time after they came."""

    after: Duration = 0


class SlicerDocument(ToxicDocument, kw_only=True):
    """Bytes come in pieces of about a size."""

    average_size: int
    size_variation: int = 0
    delay: Duration = 0


class LimitDataDocument(ToxicDocument, kw_only=True):
    """The connection is closed when so many more bytes got through."""

    limit_bytes: int


TOXICS: Final[Mapping[str, type[ToxicDocument]]] = {
    "latency": LatencyDocument,
    "bandwidth": BandwidthDocument,
    "slow_close": SlowCloseDocument,
    "timeout": TimeoutDocument,
    "reset_peer": ResetPeerDocument,
    "slicer": SlicerDocument,
    "limit_data": LimitDataDocument,
}
"""The toxics by the names of their verbs."""
