"""A low-level Kafka client for tests that need exact requests, without retries.

Real clients hide the protocol: they retry requests, convert errors to exceptions,
and never send invalid requests. `WireClient` is one connection, which sends requests of any
API and version unchanged. `WireProducer` is a producer whose steps are all made by the test.
Both block, need no event loop, and work against any Kafka.
"""

from mockbroker.wire.batches import record_batch
from mockbroker.wire.client import WireClient
from mockbroker.wire.producer import Produced, WireProducer

__all__ = ["Produced", "WireClient", "WireProducer", "record_batch"]
