"""Environment of scenarios: a Spark session, a cluster, and a subscriber to its requests."""

import itertools
import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from tests.clients.spark.asked import Asked, Asking, asked_by_role
from tests.clients.spark.damage import Damage
from tests.clients.spark.stored import Sent, Stored, send, send_in_transactions, stored
from tests.clients.support.deadline import QUERY_TIMEOUT_S
from tests.clients.support.topics import create_topic

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, DataFrameReader, SparkSession
    from pyspark.sql.streaming.query import StreamingQuery
    from pyspark.sql.streaming.readwriter import DataStreamReader, DataStreamWriter

PARTITIONS: Final = 2
KEPT: Final[Mapping[str, str]] = {"retention.ms": "-1"}
"""The records are stamped with a time that is long ago."""
FIRST_TIMESTAMP_MS: Final = 1_700_000_000_000

_OF_ONE_RUN: Final = (
    (r"spark-kafka-source-[0-9a-f-]{36}-{1,2}\d+", "<group>"),
    (r"127\.0\.0\.1:\d+", "<broker>"),
)

Outcome: TypeAlias = Any
"""Results of a scenario, as JSON."""


@dataclass(frozen=True, slots=True)
class Played:
    """Result of a scenario, and its requests."""

    outcome: Outcome
    asked: Asked


@dataclass
class Stage:
    """Everything that a scenario is given; names of topics are its own as long as `token` is."""

    spark: "SparkSession"
    bootstrap_servers: str
    folder: Path
    askings: Callable[[], list[Asking]]
    """Returns the requests to the cluster since the last call."""
    damage: Damage
    token: str
    _seen: set[str] = field(default_factory=set[str])
    _numbers: "itertools.count[int]" = field(default_factory=itertools.count)

    # Scenarios

    def play(self, scenario: "Scenario") -> Played:
        """Play a scenario, and return its results and the requests of Spark.

        Requests of producers that Spark caches from earlier scenarios are left out.
        """
        self.begin()
        earlier = frozenset(self._seen)
        outcome = scenario(self)
        asked = asked_by_role(self._recorded(), but=earlier)
        return Played(json.loads(self.plain(json.dumps(outcome))), asked)

    def begin(self) -> None:
        """Discard the requests so far, which were preparation."""
        self._recorded()

    def _recorded(self) -> list[Asking]:
        """Return the requests since the last call, and remember their clients."""
        askings = self.askings()
        self._seen.update(each.client_id for each in askings)
        return askings

    def plain(self, text: str) -> str:
        """Return the text with placeholders for values that differ in each run."""
        text = text.replace(f"-{self.token}", "")
        for pattern, name in _OF_ONE_RUN:
            text = re.sub(pattern, name, text)
        return text

    # Topics

    def named(self, name: str) -> str:
        """Return the name of a topic, a client or another object in this scenario."""
        return f"{name}-{self.token}"

    def topic(self, name: str, partitions: int = PARTITIONS) -> str:
        """Create a topic, and return its name."""
        topic = self.named(name)
        create_topic(self.bootstrap_servers, topic, partitions=partitions, configs=KEPT)
        return topic

    @cached_property
    def orders(self) -> str:
        """A topic of two partitions with 20 records each, which no test writes to."""
        topic = self.topic("orders")
        send(self.bootstrap_servers, topic, sample(40))
        return topic

    @cached_property
    def transfers(self) -> str:
        """A topic of one partition with five transactions of ten records, two of them aborted."""
        topic = self.topic("transfers", 1)
        parts = [sample(10, partitions=1, begin=begin) for begin in range(0, 50, 10)]
        transactions = [(number not in {1, 3}, part) for number, part in enumerate(parts)]
        send_in_transactions(self.bootstrap_servers, topic, transactions)
        return topic

    def stored(self, topic: str, isolation_level: str = "read_uncommitted") -> list[Stored]:
        """Return the records of a topic."""
        return stored(self.bootstrap_servers, topic, isolation_level)

    # Spark

    @property
    def batch_source(self) -> "DataFrameReader":
        """Spark's source, for a batch."""
        source = self.spark.read.format("kafka")
        return source.option("kafka.bootstrap.servers", self.bootstrap_servers)

    @property
    def stream_source(self) -> "DataStreamReader":
        """Spark's source, for a stream from the earliest offsets."""
        source = self.spark.readStream.format("kafka").option("startingOffsets", "earliest")
        return source.option("kafka.bootstrap.servers", self.bootstrap_servers)

    def write(self, frame: "DataFrame", topic: str, *, client: str, **options: str) -> None:
        """Write a batch with Spark's sink."""
        sink = frame.write.format("kafka").options(**self.sink_options(topic, client), **options)
        sink.save()

    def sink_options(self, topic: str, client: str) -> dict[str, str]:
        """Return options of Spark's sink; a name of the client keeps its producer from others."""
        return {
            "kafka.bootstrap.servers": self.bootstrap_servers,
            "kafka.client.id": self.named(f"sink-{client}"),
            "topic": topic,
        }

    def stream_sink(self, frame: "DataFrame", topic: str, *, client: str) -> "DataStreamWriter":
        """Spark's sink for a stream, with a checkpoint of its own."""
        sink = frame.writeStream.format("kafka").options(**self.sink_options(topic, client))
        return sink.option("checkpointLocation", str(self.checkpoint()))

    def checkpoint(self) -> Path:
        """Return a new place for a checkpoint."""
        return self.folder / f"checkpoint-{next(self._numbers)}"


Scenario: TypeAlias = Callable[[Stage], Outcome]


def ended(query: "StreamingQuery") -> "StreamingQuery":
    """Wait until a query that ends by itself has ended well.

    Raises: StreamingQueryException when it has failed; AssertionError when it does not end.
    """
    if not query.awaitTermination(QUERY_TIMEOUT_S):
        query.stop()
        raise AssertionError(f"the query does not end: {query.status}")
    return query


def sample(count: int, *, partitions: int = PARTITIONS, begin: int = 0) -> list[Sent]:
    """Return records, dealt out in turn to the partitions, a second after each other."""
    return [
        Sent(
            partition=number % partitions,
            key=f"key-{number}",
            value=f"value-{number}",
            timestamp_ms=FIRST_TIMESTAMP_MS + 1000 * number,
            headers=[("step", b"%d" % number)] if number % 4 == 0 else [],
        )
        for number in range(begin, begin + count)
    ]
