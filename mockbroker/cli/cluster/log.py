"""Command `mockbroker log`: batches and records of partitions."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import click

from mockbroker.cli.cluster.admin_command import PartitionName, admin_command, utc_text
from mockbroker.cli.cluster.tables import table
from mockbroker.cli.command_answer import CommandResult
from mockbroker.cli.text_table import Heading
from mockbroker.http.admin_client import AdminClient, path_to

_NO_PRODUCER = -1


@click.command(short_help="Show the batches or the records of a topic.")
@click.argument("where", metavar="TOPIC[:PARTITION]", type=PartitionName())
@click.option(
    "--from", "from_offset", type=int, default=0, metavar="OFFSET", help="First offset (0)."
)
@click.option("--limit", type=int, default=100, metavar="N", help="Maximum per partition (100).")
@click.option("--lanes", is_flag=True, help="Draw a timeline of batches, markers and offsets.")
@click.option("--records", is_flag=True, help="Show records instead of batches.")
@click.option(
    "--isolation",
    type=click.Choice(["read_uncommitted", "read_committed"]),
    help="Show the records that a consumer with this isolation level reads.",
)
@admin_command
def log(
    client: AdminClient,
    *,
    where: tuple[str, int | None],
    from_offset: int,
    limit: int,
    lanes: bool,
    records: bool,
    isolation: str | None,
) -> CommandResult:
    """Show the batches of a topic or of one partition, markers included; or its records."""
    topic, partition = where
    if lanes:
        drawn = client.get(path_to("lanes"), {"topic": topic, "partition": partition})
        return CommandResult(drawn, drawn["text"].splitlines())
    query: dict[str, object] = {"from": from_offset, "limit": limit}
    what = "log"
    if records or isolation:
        what, query["isolation"] = "records", isolation
    indexes = [partition] if partition is not None else _partitions(client, topic)
    found = [
        client.get(path_to("topics", topic, "partitions", index, what), query) for index in indexes
    ]
    write = _batches if what == "log" else _records
    return CommandResult({"partitions": found}, _separated(list(write(each)) for each in found))


def _partitions(client: AdminClient, topic: str) -> list[int]:
    found = client.get(path_to("topics", topic))
    return [each["partition"] for each in found["partitions"]]


def _separated(parts: Iterator[list[str]]) -> Iterator[str]:
    for number, lines in enumerate(parts):
        if number:
            yield ""
        yield from lines


def _batches(log: Mapping[str, Any]) -> Iterator[str]:
    yield Heading(
        f"{log['topic']}:{log['partition']}  start {log['log_start_offset']}, last stable "
        f"{log['last_stable_offset']}, high watermark {log['high_watermark']}, "
        f"end {log['log_end_offset']}"
    )
    rows = [
        (
            _span(each["base_offset"], each["last_offset"]),
            each["records"],
            each["size_bytes"],
            *_producer(each),
            _span(each["base_sequence"], each["last_sequence"]),
            _kind(each),
        )
        for each in log["batches"]
    ]
    if rows:
        titles = ("OFFSETS", "RECORDS", "BYTES", "PRODUCER", "EPOCH", "SEQUENCES", "KIND")
        yield from table(titles, rows)
    if log["next_offset"] < log["log_end_offset"]:
        yield f"more: --from {log['next_offset']}"


def _records(found: Mapping[str, Any]) -> Iterator[str]:
    yield Heading(f"{found['topic']}:{found['partition']}")
    rows = [
        (each["offset"], utc_text(each["timestamp_ms"]), _text(each["key"]), _text(each["value"]))
        for each in found["records"]
    ]
    if rows:
        yield from table(("OFFSET", "TIME", "KEY", "VALUE"), rows)


def _span(first: int, last: int) -> str:
    if first < 0:
        return ""
    return str(first) if first == last else f"{first}-{last}"


def _producer(batch: Mapping[str, Any]) -> Sequence[int | None]:
    if batch["producer_id"] == _NO_PRODUCER:
        return None, None
    return batch["producer_id"], batch["producer_epoch"]


def _kind(batch: Mapping[str, Any]) -> str:
    if batch["marker"]:
        return f"{batch['marker'].upper()} marker"
    return "transactional" if batch["is_transactional"] else ""


def _text(value: Mapping[str, Any] | None) -> str | None:
    if value is None:
        return None
    text = value["text"]
    return repr(text) if text is not None else f"base64:{value['base64']}"
