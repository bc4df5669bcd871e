"""Cost of a million idempotent producers: memory, and the loop's time for their expiry.

    python -m bench.producer_ids [--producers 1000000]

Prints one JSON object: the resident bytes of each producer with one batch and with five, and the
longest of the steps in which all of them expire. Their records are not counted.
"""

import argparse
import gc
import json
import os
import time
from typing import Final

from bench.machine import resident_mib
from mockbroker.broker.internal_records.log_records_codec import LOG_RECORDS
from mockbroker.protocol.types import BatchHeader
from mockbroker.state.cluster_state import ClusterState
from mockbroker.state.log.partition_log import PartitionLog
from mockbroker.state.release.options import Options
from mockbroker.state.replication.broker import Broker
from mockbroker.state.topic.replication_control import NewTopic

_NOW_MS: Final = 1_800_000_000_000
_SENT_MS: Final = _NOW_MS - 2 * 86_400_000
"""An age at which the next check finds them expired."""

_FIRST_ID: Final = 1_000
_BATCHES: Final = 5
_RECORDS: Final = 10


def _cluster() -> tuple[ClusterState, PartitionLog]:
    """Return a cluster of one broker with one partition."""
    cluster = ClusterState(
        Options.for_release(),
        [Broker(node_id=1, host="localhost", port=9092)],
        records=LOG_RECORDS,
        now_ms=_NOW_MS,
    )
    topic = cluster.create_topic(NewTopic("bench", num_partitions=1, replication_factor=1))
    return cluster, cluster.log_of(topic.partitions[0], _NOW_MS)


def _produce(log: PartitionLog, producers: int, round_number: int) -> None:
    """Append the next batch of each producer to the log, without records."""
    state = log.producers
    base_sequence = round_number * _RECORDS
    for number in range(producers):
        header = BatchHeader(
            0, 49, -1, 2, 0, 0, _RECORDS - 1, _SENT_MS, _SENT_MS + round_number,
            _FIRST_ID + number, 0, base_sequence, _RECORDS,
        )  # fmt: skip
        entry = state.check(header)
        base_offset = (round_number * producers + number) * _RECORDS
        state.update(entry, header, base_offset)  # type: ignore[arg-type]


def _expire(cluster: ClusterState, log: PartitionLog) -> list[float]:
    """Run the timers, and return the milliseconds that each step blocked the loop."""
    took: list[float] = []
    while len(log.producers):
        deadline_ms = cluster.next_deadline_ms()
        assert deadline_ms is not None, "the check for expired producers repeats"
        began = time.thread_time()  # what others use of the processor is not ours
        cluster.advance_to(deadline_ms)
        took.append((time.thread_time() - began) * 1000)
    return took


def measure(producers: int) -> dict[str, float]:
    """Fill a partition's producer state, and let all of it expire."""
    cluster, log = _cluster()
    _produce(log, 1_000, 0)
    log.producers.clear()
    gc.collect()
    empty_mib = resident_mib(os.getpid())
    values: dict[str, float] = {}
    for round_number in range(_BATCHES):
        _produce(log, producers, round_number)
        held = (resident_mib(os.getpid()) - empty_mib) * (1 << 20) / producers
        values[f"bytes_with_{round_number + 1}"] = held
    took = _expire(cluster, log)
    return {**values, "expiry_hold_ms": max(took), "expiry_steps": len(took)}


def main() -> None:
    """Measure, and print the result as JSON."""
    parser = argparse.ArgumentParser(prog="python -m bench.producer_ids")
    parser.add_argument("--producers", type=int, default=1_000_000)
    options = parser.parse_args()
    print(json.dumps({"producers": measure(options.producers)}))


if __name__ == "__main__":
    main()
