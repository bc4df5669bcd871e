"""A client that decides nothing: for tests that need one request, and no retry behind it.

Real clients hide what this package is for. They repeat requests, reorder errors into exceptions,
and never send what they know to be wrong. `WireClient` is one connection, on which requests of any
API and version go out as they are; `WireProducer` is a producer whose every step the test takes.
Both block, need no event loop, and work against any Kafka.
"""

from mockbroker.wire.batches import record_batch
from mockbroker.wire.client import WireClient
from mockbroker.wire.producer import Produced, WireProducer

__all__ = ["Produced", "WireClient", "WireProducer", "record_batch"]
