"""Measurements of idempotent producers and transactions."""

from collections.abc import Mapping, Sequence
from statistics import median
from typing import Final

from bench import loadgen
from bench.arena import Arena
from bench.competitors import Competitor, Server
from bench.errors import CannotMeasureError
from bench.measurement import Measurement, Sample, loaded, program

_PAIRS: Final = 5
_MANY_OPEN: Final = 10_000
_FEW_OPEN: Final = 10
_LOADS: Final[Mapping[str, Mapping[str, float]]] = {
    "idempotent_160_share": {"depth": 16, "records": 160, "size": 100, "t": 0.4},
}


def measure_idempotent(arena: Arena, competitor: Competitor) -> Sample:
    """Produce the same batches with and without idempotence, alternately: the cost of sequences."""
    server = arena.server(competitor)
    values: dict[str, float] = {}
    for key, load in _LOADS.items():
        shares: list[float] = []
        rates: list[float] = []
        for _ in range(_PAIRS):
            plain, _ = loaded(server, "produce", **load)
            idempotent, _ = loaded(server, "produce", idempotent=True, **load)
            shares.append(idempotent.requests_per_s / plain.requests_per_s)
            rates.append(idempotent.bytes_per_s / 1e9)
        values[key] = median(shares)
        values[f"{key}_gb_s"] = median(rates)
    return Sample(values)


def measure_transactions(arena: Arena, competitor: Competitor) -> Sample:
    """Commit transactions of confluent-kafka, then of a client that only waits for answers.

    That client immediately retries a request that comes while the former transaction is being
    completed.
    """
    server = arena.server(competitor)
    client = program("bench.transactional_client", server.address, str(server.process_id))
    took = client["transactions"]
    loaded(server, "transactions", t=1.0)  # warms up
    raw, cpu_s = loaded(server, "transactions", t=1.5)
    committed = raw.transactions_per_s * raw.seconds
    return Sample(
        {
            "transactions_per_s": took["transactions"] / took["seconds"],
            "transactions_cpu_us": took["broker_cpu_s"] / took["transactions"] * 1e6,
            "raw_transactions_per_s": raw.transactions_per_s,
            "raw_transactions_cpu_us": cpu_s / committed * 1e6,
            "raw_transactions_p99_us": raw.latency_p99_us,
            "raw_retries_a_transaction": raw.retries / committed,
        }
    )


def measure_producer_ids(arena: Arena, competitor: Competitor) -> Sample:
    """Fill one partition's producer state inside a process, and let all of it expire."""
    del arena, competitor
    values = program("bench.producer_ids")["producers"]
    return Sample(
        {
            "producer_id_bytes": values["bytes_with_1"],
            "producer_id_5_bytes": values["bytes_with_5"],
            "expiry_hold_ms": values["expiry_hold_ms"],
        }
    )


def measure_open_transactions(arena: Arena, competitor: Competitor) -> Sample:
    """Send every transactional request with 10 other open transactions, and with 10,000."""
    server = arena.server(competitor)
    few, many = _operations(server, _FEW_OPEN), _operations(server, _MANY_OPEN)
    factors = {name: took_us / few[name] for name, took_us in many.items()}
    slowest = max(factors, key=factors.__getitem__)
    values = {f"open_{name}_us": took_us for name, took_us in many.items()}
    return Sample(
        {"open_slowdown": factors[slowest], **values},
        (f"open: {slowest} is the operation that {_MANY_OPEN:,} open transactions slow most",),
    )


def _operations(server: Server, open_transactions: int) -> Mapping[str, float]:
    report = loadgen.run(
        server.address, "transactions", open=open_transactions, operations=True, n=1_500, t=10
    )
    if not report.operations_us:
        raise CannotMeasureError("the load generator measured no operation")
    return report.operations_us


MEASUREMENTS: Final[Sequence[Measurement]] = (
    Measurement(key="idempotent", measure=measure_idempotent),
    Measurement(
        key="transactions",
        measure=measure_transactions,
        note="librdkafka itself waits a millisecond in each commit; the raw client sends"
        " AddPartitionsToTxn, Produce and EndTxn one after the other",
    ),
    Measurement(
        key="open",
        measure=measure_open_transactions,
        not_for={
            "kafka": "30,000 requests one after the other take it half a minute",
            "rdkafka-mock": "it has no DescribeTransactions",
        },
    ),
    Measurement(
        key="producer-ids",
        measure=measure_producer_ids,
        not_for={
            "kafka": "its state is not for Python to fill",
            "rdkafka-mock": "its state is not for Python to fill",
            "kfake": "its state is not for Python to fill",
        },
        rounds_max={"mockbroker": 1},
    ),
)
"""The groups of figures about producers' state; `--only` selects by key."""
