"""What a program in another language must have printed after reading back what it wrote.

It takes the arguments BOOTSTRAP TOPIC-PREFIX PARTITIONS RECORDS COMPRESSION..., and per compression
makes the topic PREFIX-COMPRESSION and prints one JSON line.
"""

import json

from tests.clients.support.records import (
    COMPRESSIONS,
    PARTITION_COUNT,
    RECORD_COUNT,
    digest,
    sample_partitions,
)
from tests.clients.support.stored_batches import stored_compressions


def round_trip_arguments(bootstrap_servers: str, topic: str) -> list[str]:
    """Return the arguments for all compressions."""
    return [bootstrap_servers, topic, str(PARTITION_COUNT), str(RECORD_COUNT), *COMPRESSIONS]


def assert_all_came_back_equal(printed: str, bootstrap_servers: str, topic: str) -> None:
    """Compare the digests that were printed, and the compressions that were stored."""
    digests = [digest(records) for records in sample_partitions().values()]
    assert [json.loads(line) for line in printed.splitlines()] == [
        {
            "topic": f"{topic}-{compression}",
            "compression": compression,
            "records": RECORD_COUNT,
            "sha256": digests,
        }
        for compression in COMPRESSIONS
    ]
    stored = {
        compression: stored_compressions(bootstrap_servers, f"{topic}-{compression}")
        for compression in COMPRESSIONS
    }
    assert stored == {compression: {compression: RECORD_COUNT} for compression in COMPRESSIONS}
