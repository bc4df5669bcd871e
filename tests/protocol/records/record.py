"""Record Kafka's results for the batches of golden/: `python -m tests.protocol.records.record`.

Needs Java and, for the jars on first use, Maven. The files are their own scripts: each line has the
bytes that were produced. They are produced again, and the brokers' responses are updated. Bytes
whose result depends on the date get new timestamps.
"""

import json
import re
import sys
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

from mockbroker.protocol import crc32c
from mockbroker.protocol.errors import ErrorCode
from mockbroker.protocol.messages.fetch import FetchResponse
from mockbroker.protocol.messages.produce import PartitionProduceResponse, ProduceResponse
from mockbroker.protocol.records.batch import CRC_FROM, HEADER
from tests.conformance.batches import HEADER_FIELDS
from tests.conformance.foreign import PATIENCE_S
from tests.conformance.record import PORT, cluster, pause
from tests.conformance.releases import RELEASES, Release
from tests.conformance.requests import Wanted, fetch, produce
from tests.conformance.script import Scenario
from tests.conformance.talk import Address, Talk
from tests.conformance.wire import Answer, Connection, Nothing

GOLDEN: Final = Path(__file__).parent / "golden"
PRODUCED: Final = GOLDEN / "produced_batches.jsonl"
CONVERTED: Final = GOLDEN / "converted_batches.jsonl"
KEPT: Final = {"retention.ms": "-1"}
TOPICS: Final[dict[str, dict[str, str]]] = {
    "p": {},
    "c": {"cleanup.policy": "compact"},
    "a": {"message.timestamp.type": "LogAppendTime"},
    "t": {"max.message.bytes": "200"},
    "C": {},
    "G": {"compression.type": "gzip"},
    "K": {"cleanup.policy": "compact"},
    "L": {"message.timestamp.type": "LogAppendTime"},
}
FETCHED_BY: Final = (4, 2, 0)
MONTH_MS: Final = 30 * 24 * 3_600_000
AFTER_MAX_MS: Final = 3_600_000

Row = dict[str, Any]


class Broker:
    """Real broker to which batches are produced one by one."""

    def __init__(self, talk: Talk, address: Address, topics: Sequence[str]) -> None:
        self._talk = talk
        self._address = address
        self._connection = Connection(address)
        for topic in topics:
            talk.topic(topic, configs={**KEPT, **TOPICS[topic]})
        self.now_ms = talk.start_ms

    def produce(self, row: Row) -> PartitionProduceResponse | Nothing:
        """Send a row's bytes in the version of Produce that it names."""
        data = bytes.fromhex(row["bytes"])
        transactional_id = row.get("transactional_id")
        request = produce(self._talk, (row["topic"], 0, data), transactional_id=transactional_id)
        sent = self._connection.send(request, row["api_version"])
        answer = self._answered(self._connection.receive(sent, PATIENCE_S))
        if isinstance(answer, Nothing):
            return answer
        assert isinstance(answer, ProduceResponse), answer
        return answer.responses[0].partition_responses[0]

    def fetch(self, topic: str, offset: int, version: int) -> tuple[int, bytes]:
        """Read the records at an offset; return the error code and the bytes."""
        request = fetch(self._talk, Wanted(topic, 0, offset))
        answer = self._connection.receive(self._connection.send(request, version), PATIENCE_S)
        assert isinstance(answer, FetchResponse), answer
        found = answer.responses[0].partitions[0]
        return found.error_code, bytes(found.records or b"")

    def _answered(self, answer: Answer) -> Answer:
        if isinstance(answer, Nothing):
            self._connection.close()
            self._connection = Connection(self._address)
        return answer


def judged(broker: Broker, row: Row) -> Row:
    """Return a broker's result for a batch, in the format of the golden file."""
    answer = broker.produce(row)
    if isinstance(answer, Nothing):
        return {"outcome": "closed"}
    if answer.error_code:
        told: Row = {
            "outcome": "refused",
            "code": answer.error_code,
            "knows_log_start_offset": answer.log_start_offset >= 0,
        }
        if answer.error_message is not None:
            told["error_message"] = answer.error_message
        if answer.record_errors:
            told["record_errors"] = [
                [each.batch_index, each.batch_index_error_message] for each in answer.record_errors
            ]
        return told
    code, stored = broker.fetch(row["topic"], answer.base_offset, 11)
    assert code == ErrorCode.NONE, (row, code)
    told = {"outcome": "stored", "stored": stored.hex()}
    if answer.log_append_time_ms >= 0:
        told["log_append_time_ms"] = answer.log_append_time_ms
    return told


def converted(broker: Broker, row: Row) -> Row:
    """Return the produced records as old and new versions of Fetch return them."""
    answer = broker.produce(row)
    if isinstance(answer, Nothing):
        return {"outcome": "closed"}
    if answer.error_code:
        return {"outcome": "refused", "code": answer.error_code}
    told: Row = {"outcome": "stored", "base_offset": answer.base_offset}
    for version in FETCHED_BY:
        code, records = broker.fetch(row["topic"], answer.base_offset, version)
        told[f"fetch_v{version}"] = {"error": code, "records": records.hex()}
    return told


def redated(row: Row, now_ms: int) -> str:
    """Move the timestamps of a date-dependent batch to the same distance from now."""
    then_ms = row["kafka_4_4"].get("now_ms")
    data = bytes.fromhex(row["bytes"])
    if then_ms is None:
        return data.hex()
    fields = dict(zip(HEADER_FIELDS, HEADER.unpack_from(data), strict=True))
    for name in ("base_timestamp", "max_timestamp"):
        if abs(fields[name] - then_ms) < MONTH_MS:
            fields[name] += now_ms - then_ms
    dated = HEADER.pack(*fields.values()) + data[HEADER.size :]
    fields["crc"] = crc32c.crc32c(dated[CRC_FROM:])
    return (HEADER.pack(*fields.values()) + data[HEADER.size :]).hex()


def latest_allowed_ms(told: Row) -> int:
    """Parse the broker's time from an error message."""
    limits = re.findall(r", (\d+)\]", json.dumps(told))
    assert limits, told
    return int(limits[0]) - AFTER_MAX_MS


def record_produced(broker: Broker, rows: Sequence[Row], key: str) -> None:
    """Write the results of one release into every row."""
    for row in rows:
        is_dated = "now_ms" in row["kafka_4_4"]
        told = judged(broker, row)
        if is_dated and key == "kafka_4_4":
            told["now_ms"] = latest_allowed_ms(told)
        row[key] = told


def rows_of(path: Path) -> list[Row]:
    """Read a golden file."""
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


def write(path: Path, rows: Sequence[Row]) -> None:
    """Write a golden file."""
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    sys.stdout.write(f"{path}: {len(rows)} batches\n")


@contextmanager
def broker_of(release: Release, topics: Sequence[str]) -> Generator[Broker]:
    """Run a real broker of a release, with some of the topics."""
    alone = Scenario(
        name="records",
        script=lambda _: None,
        brokers=1,
        settings={},
        listeners=(),
        is_alone=True,
        keeps_internal_topics=False,
        has_authorizer=False,
        is_slow=False,
        presets=(),
    )
    with (
        cluster(release, alone, PORT) as real,
        Talk(real.addresses, release, pause=pause).closing() as talk,
    ):
        yield Broker(talk, real.addresses[0], topics)


def release_named(name: str) -> Release:
    """Return a recorded release."""
    return next(release for release in RELEASES if release.name == name)


def main() -> int:
    """Record both files again."""
    newest, oldest = (release_named(name) for name in ("4.4", "2.4"))
    produced = rows_of(PRODUCED)
    with broker_of(newest, ["p", "c", "a", "t"]) as broker:
        for row in produced:
            row["bytes"] = redated(row, broker.now_ms)
        record_produced(broker, produced, "kafka_4_4")
    with broker_of(oldest, list(TOPICS)) as broker:
        record_produced(broker, produced, "kafka_2_4")
        old = [
            {name: row[name] for name in ("name", "topic", "api_version", "bytes")}
            | converted(broker, row)
            for row in rows_of(CONVERTED)
        ]
    write(PRODUCED, produced)
    write(CONVERTED, old)
    return 0


if __name__ == "__main__":
    sys.exit(main())
