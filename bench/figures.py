"""The figures of the bench: their names and their targets."""

from collections.abc import Iterable
from typing import Final

from bench.figure import Bound, Figure, Unit


def _produce(key: str, title: str, unit: Unit, *, floor: float) -> Figure:
    """Return a rate of raw Produce: a share of the floor, and ahead of the other mocks."""
    bounds = (
        Bound(rival="floor", ratio=floor),
        Bound(rival="kfake", ratio=1.0),
        Bound(rival="rdkafka-mock", ratio=1.0),
    )
    return Figure(key=f"produce_{key}", title=title, unit=unit, bounds=bounds)


def _java(kind: str, title: str) -> tuple[Figure, Figure]:
    """Return the rate and mean latency of Java's producer: kfake's and Kafka's, or better."""
    return (
        Figure(
            key=f"java_{kind}_per_s",
            title=title,
            unit=Unit.RECORDS_PER_S,
            bounds=(Bound(rival="kfake", ratio=1.0),),
        ),
        Figure(
            key=f"java_{kind}_latency_ms",
            title="– mean latency",
            unit=Unit.MILLISECONDS,
            bounds=(Bound(rival="kafka", ratio=1.0),),
        ),
    )


def _bulk(kind: str, title: str, *, rival: str, cpu: float) -> tuple[Figure, Figure]:
    """Return a client's rate, the rival's or better, and the broker's CPU, a share of its."""
    return (
        Figure(
            key=f"{kind}_per_s",
            title=f"confluent-kafka {title}",
            unit=Unit.MESSAGES_PER_S,
            bounds=(Bound(rival=rival, ratio=1.0),),
        ),
        Figure(
            key=f"{kind}_cpu_us",
            title="– CPU of the broker",
            unit=Unit.CPU_EACH,
            bounds=(Bound(rival=rival, ratio=cpu),),
        ),
    )


def _journal(mode: str, title: str) -> Figure:
    """Return the share of a rate that remains with a journal."""
    return Figure(
        key=f"journal_{mode}_bulk_share",
        title=f"journal {title} ÷ none, confluent-kafka bulk produce",
        unit=Unit.SHARE,
        target=0.9,
    )


_FETCH_BOUNDS: Final = (
    Bound(rival="kafka", ratio=2.0),
    Bound(rival="rdkafka-mock", ratio=1.0),
    Bound(rival="kfake", ratio=1.0),
)
_ALL: Final = (
    Figure(
        key="start_ms",
        title="process start to first Metadata answer",
        unit=Unit.MILLISECONDS,
        target=130,
    ),
    Figure(key="idle_rss", title="idle resident memory", unit=Unit.MEBIBYTES, target=50),
    Figure(
        key="fresh_ms",
        title="fresh cluster on a running loop, to its Metadata answer",
        unit=Unit.MILLISECONDS,
        target=3,
    ),
    Figure(
        key="plugin_import_ms",
        title="the pytest plugin's import",
        unit=Unit.MILLISECONDS,
        target=15,
    ),
    Figure(
        key="plugin_test_ms",
        title="– a fresh cluster for each test, made and closed",
        unit=Unit.MILLISECONDS,
        target=5,
    ),
    _produce("1_per_s", "produce, 1 record of 100 B, pipelined", Unit.REQUESTS_PER_S, floor=0.35),
    Figure(
        key="produce_1_p50_us",
        title="– one at a time, p50",
        unit=Unit.MICROSECONDS,
        bounds=(Bound(rival="floor", ratio=1.8), Bound(rival="kfake", ratio=1.0)),
    ),
    _produce("15_mb_s", "– batches of 15 records", Unit.MEGABYTES_PER_S, floor=0.45),
    _produce("150_mb_s", "– batches of 150 records", Unit.MEGABYTES_PER_S, floor=0.7),
    Figure(
        key="produce_text_mb_s",
        title="– of text, which compresses",
        unit=Unit.MEGABYTES_PER_S,
        bounds=(Bound(rival="kfake", ratio=1.0),),
    ),
    _produce("640k_mb_s", "– one record of 640 KB", Unit.MEGABYTES_PER_S, floor=0.85),
    *_java("plain", "Java's producer, 12 partitions, values of 50–150 B"),
    *_java("lz4", "– with lz4"),
    Figure(
        key="java_tls_per_s",
        title="– over TLS",
        unit=Unit.RECORDS_PER_S,
        bounds=(Bound(rival="kafka", ratio=1.0),),
    ),
    Figure(
        key="fresh_tls_share",
        title="a fresh cluster with TLS, made and closed, of one without",
        unit=Unit.TIMES_AS_LONG,
        target=3.0,
    ),
    Figure(
        key="fetch_17k_gb_s",
        title="fetch 1 MiB answers at depth 4, 17 KiB batches",
        unit=Unit.GIGABYTES_PER_S,
        bounds=_FETCH_BOUNDS,
    ),
    Figure(
        key="fetch_1k_gb_s",
        title="– 1 KiB batches",
        unit=Unit.GIGABYTES_PER_S,
        bounds=_FETCH_BOUNDS,
    ),
    *_bulk("produce_100_b", "produce 1M × 100 B", rival="kfake", cpu=1.0),
    *_bulk("produce_1_kib", "produce 200k × 1 KiB", rival="kfake", cpu=1.0),
    *_bulk("consume_100_b", "consume 1M × 100 B", rival="kafka", cpu=0.5),
    *_bulk("consume_1_kib", "consume 200k × 1 KiB", rival="kafka", cpu=0.5),
    Figure(
        key="client_round_trip_us",
        title="confluent-kafka produce and flush, p50",
        unit=Unit.MICROSECONDS,
        bounds=(Bound(rival="kafka", ratio=1.0),),
    ),
    Figure(
        key="idempotent_160_share",
        title="idempotent ÷ plain produce, 160 × 100 B",
        unit=Unit.SHARE,
        target=0.85,
    ),
    Figure(
        key="transactions_per_s",
        title="confluent-kafka begin, 10 messages, commit",
        unit=Unit.TRANSACTIONS_PER_S,
        target=600,
        bounds=(Bound(rival="kafka", ratio=2.5),),
    ),
    Figure(
        key="raw_transactions_per_s",
        title="raw client: AddPartitionsToTxn, Produce, EndTxn",
        unit=Unit.TRANSACTIONS_PER_S,
        target=3_000,
        bounds=(Bound(rival="kafka", ratio=5.0),),
    ),
    Figure(
        key="open_slowdown",
        title="slowest operation beside 10,000 open transactions ÷ beside 10",
        unit=Unit.TIMES_AS_LONG,
        target=2.0,
    ),
    Figure(
        key="producer_id_bytes",
        title="1,000,000 producer ids with one batch each",
        unit=Unit.BYTES_EACH,
        target=700,
    ),
    Figure(
        key="producer_id_5_bytes",
        title="– with five",
        unit=Unit.BYTES_EACH,
        target=1_200,
    ),
    Figure(
        key="expiry_hold_ms",
        title="– their expiry: longest hold of the loop",
        unit=Unit.MILLISECONDS,
        target=5,
    ),
    Figure(
        key="group_rebalance_ms",
        title="500 raw group members rebalance",
        unit=Unit.MILLISECONDS,
        target=2_000,
    ),
    Figure(
        key="group_gather_ms",
        title="– gather from nothing",
        unit=Unit.MILLISECONDS,
        target=2_000,
    ),
    Figure(
        key="consumer_stable_ms",
        title="500 raw members of the consumer protocol get a stable assignment",
        unit=Unit.MILLISECONDS,
        bounds=(Bound(rival="kafka", ratio=1.0),),
    ),
    Figure(
        key="consumer_heartbeat_share",
        title="– CPU of a heartbeat beside 1,000 members, of that of a classic one",
        unit=Unit.TIMES_AS_LONG,
        target=1.3,
    ),
    Figure(
        key="share_per_s",
        title="1 M records of 50–150 B, read by a share consumer of Java",
        unit=Unit.RECORDS_PER_S,
        bounds=(Bound(rival="kafka", ratio=1.0),),
    ),
    Figure(
        key="first_poll_confluent_kafka_ms",
        title="a fresh cluster's first group, subscribe to first record, confluent-kafka",
        unit=Unit.MILLISECONDS,
        target=200,
    ),
    Figure(
        key="first_poll_kafka_python_ms",
        title="– kafka-python",
        unit=Unit.MILLISECONDS,
        target=200,
    ),
    Figure(
        key="stall_ms",
        title="longest wait beside the worst request of any API",
        unit=Unit.MILLISECONDS,
        target=100,
    ),
    Figure(
        key="stall_mib",
        title="– memory beyond four times the request",
        unit=Unit.MEBIBYTES,
        target=64,
    ),
    Figure(
        key="commit_p99_ms",
        title="2,000 offset commits/s on one connection, p99",
        unit=Unit.MILLISECONDS,
        target=2,
    ),
    Figure(
        key="commit_p50_us",
        title="– one after the other, p50",
        unit=Unit.MICROSECONDS,
        target=150,
    ),
    Figure(
        key="list_offsets_p50_ms",
        title="ListOffsets of one partition, p50",
        unit=Unit.MILLISECONDS,
        target=0.15,
    ),
    _journal("memory", "in memory"),
    _journal("jsonl", "as JSON lines"),
    _journal("parquet", "as Parquet"),
    Figure(
        key="spark_read_per_s",
        title="Spark reads 1 M × 100 B",
        unit=Unit.MESSAGES_PER_S,
        bounds=(Bound(rival="kafka", ratio=1.0),),
    ),
    Figure(
        key="spark_read_5000_per_s",
        title="– with max.poll.records=5000",
        unit=Unit.MESSAGES_PER_S,
        bounds=(Bound(rival="kafka", ratio=1.0),),
    ),
    Figure(
        key="spark_batches_per_s",
        title="– batches only (kafka_batches), records in them",
        unit=Unit.MESSAGES_PER_S,
        target=400_000,
    ),
    Figure(
        key="spark_write_per_s",
        title="– and writes them",
        unit=Unit.MESSAGES_PER_S,
        target=150_000,
    ),
    Figure(
        key="spark_eos_per_s",
        title="– exactly once, as a stream (kafka_eos)",
        unit=Unit.MESSAGES_PER_S,
        target=120_000,
    ),
    Figure(
        key="spark_eos_share",
        title="– as a share of the rate of Spark's own sink",
        unit=Unit.SHARE,
        target=0.8,
    ),
    Figure(
        key="spark_eos_save_share",
        title="– the same in batch mode, with keys and many lengths",
        unit=Unit.SHARE,
        target=0.8,
    ),
    Figure(
        key="audit_regular_s",
        title="audit of 1 M regular rows in one process: CPU",
        unit=Unit.SECONDS,
        target=6.3,
    ),
    Figure(
        key="audit_local_s",
        title="– of 25,000 producers, with anomalies: CPU",
        unit=Unit.SECONDS,
        target=6.3,
    ),
    Figure(
        key="audit_local_parts",
        title="– in 200 parts, shuffled, ÷ in 10",
        unit=Unit.TIMES_AS_LONG,
        target=1.5,
    ),
    Figure(
        key="audit_spark_sorts",
        title="audit of 1 M rows on Spark, local[2], ÷ reading and sorting them",
        unit=Unit.TIMES_AS_LONG,
        target=4.0,
    ),
    Figure(key="audit_spark_sorts_cpu", title="– in CPU time", unit=Unit.TIMES_AS_LONG, target=4.0),
    Figure(
        key="audit_spark_10m_sorts",
        title="audit of 10 M rows on Spark, local[2], ÷ reading and sorting them",
        unit=Unit.TIMES_AS_LONG,
        target=4.0,
    ),
    Figure(
        key="audit_spark_10m_sorts_cpu",
        title="– in CPU time",
        unit=Unit.TIMES_AS_LONG,
        target=4.0,
    ),
    Figure(
        key="audit_spark_10m_driver",
        title="– the driver's memory at most, on a standalone cluster",
        unit=Unit.MEBIBYTES,
        target=1024,
    ),
    Figure(
        key="audit_spark_100m",
        title="audit of 100 M rows on Spark, local[2] ÷ of 10 M",
        unit=Unit.TIMES_AS_LONG,
        target=13.0,
    ),
    Figure(key="audit_spark_100m_cpu", title="– in CPU time", unit=Unit.TIMES_AS_LONG, target=13.0),
    Figure(
        key="audit_spark_100m_driver",
        title="– the driver's memory at most, on a standalone cluster",
        unit=Unit.MEBIBYTES,
        target=1024,
    ),
    Figure(
        key="audit_spark_100m_worker",
        title="– a Python worker's memory at most",
        unit=Unit.MEBIBYTES,
        target=500,
    ),
    Figure(
        key="audit_local_peak",
        title="– its memory at most",
        unit=Unit.MEBIBYTES,
        target=500,
    ),
    Figure(
        key="metadata_ms",
        title="Metadata of 1,000 topics × 10 partitions, p50",
        unit=Unit.MILLISECONDS,
        target=20,
    ),
    Figure(
        key="crowded_share",
        title="pipelined produce with those topics ÷ without",
        unit=Unit.SHARE,
        target=0.9,
    ),
)
FIGURES: Final = {figure.key: figure for figure in _ALL}
"""All figures by key, in the order of the table."""


def in_table_order(keys: Iterable[str]) -> list[Figure]:
    """Return the figures among the keys: a sample may hold more than the table shows."""
    wanted = set(keys)
    return [figure for key, figure in FIGURES.items() if key in wanted]
