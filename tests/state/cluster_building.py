"""Clusters for the tests of state, with only what a test cares about spelled out."""

from mockbroker.broker.internal_records.log_records_codec import LOG_RECORDS
from mockbroker.state.clock import ClientClock
from mockbroker.state.cluster_state import ClusterState
from mockbroker.state.release.options import Options
from mockbroker.state.replication.broker import Broker

FIRST_PORT = 9092


def new_cluster(
    release: str = "4.4",
    *,
    brokers: int = 3,
    configs: dict[str, str] | None = None,
    seed: int = 0,
    now_ms: int = 0,
    client_clock: ClientClock | None = None,
) -> ClusterState:
    """Return a cluster without topics, whose brokers are 1, 2, ... on ports from 9092 on."""
    return ClusterState(
        Options.for_release(release),
        [
            Broker(node_id=node_id, host="localhost", port=FIRST_PORT + node_id - 1)
            for node_id in range(1, brokers + 1)
        ],
        records=LOG_RECORDS,
        configs=configs,
        seed=seed,
        now_ms=now_ms,
        client_clock=client_clock,
    )
