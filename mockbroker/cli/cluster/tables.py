"""What the admin API shows, as tables for people."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from mockbroker.cli.cluster.asking import moment
from mockbroker.cli.command_answer import heading
from mockbroker.cli.text_columns import columns

Documents = Sequence[Mapping[str, Any]]
NOTHING: Final = "-"


def table(titles: Sequence[str], rows: Sequence[Sequence[object]]) -> Iterator[str]:
    """Write rows below their titles; columns of numbers are set to the right."""
    right = frozenset(
        column
        for column in range(len(titles))
        if rows and all(isinstance(row[column], int) or row[column] is None for row in rows)
    )
    texts = [[NOTHING if cell is None else str(cell) for cell in row] for row in rows]
    first, *others = columns([titles, *texts], right)
    yield heading(first)
    yield from others


def brokers_table(brokers: Documents) -> Iterator[str]:
    """Write brokers: where they listen, and how many partitions they lead."""
    rows = [
        (
            each["id"],
            f"{each['host']}:{each['port']}",
            each["state"],
            each["leads"],
            "controller" if each["is_controller"] else "",
        )
        for each in brokers
    ]
    return table(("BROKER", "ADDRESS", "STATE", "LEADS", ""), rows)


def partitions_table(topics: Documents) -> Iterator[str]:
    """Write partitions: who leads them, and where their logs stand."""
    titles = ("PARTITION", "LEADER", "EPOCH", "IN SYNC", "START", "STABLE", "HIGH", "END", "BYTES")
    rows = [
        (
            f"{topic['name']}:{each['partition']}",
            each["leader"],
            each["leader_epoch"],
            ",".join(map(str, each["in_sync_replicas"])),
            each["log_start_offset"],
            each["last_stable_offset"],
            each["high_watermark"],
            each["log_end_offset"],
            each["size_bytes"],
        )
        for topic in topics
        for each in topic["partitions"]
    ]
    return table(titles, rows)


def topics_table(topics: Documents) -> Iterator[str]:
    """Write topics: their ids, and how many partitions they have."""
    rows = [(each["name"], each["topic_id"], len(each["partitions"])) for each in topics]
    return table(("TOPIC", "ID", "PARTITIONS"), rows)


def transactions_table(transactions: Documents) -> Iterator[str]:
    """Write transactional ids as their coordinators know them."""
    titles = (
        "TRANSACTIONAL ID",
        "STATE",
        "PRODUCER",
        "EPOCH",
        "COORDINATOR",
        "SINCE",
        "PARTITIONS",
    )
    rows = [
        (
            each["transactional_id"],
            _state_of(each),
            each["producer_id"],
            each["producer_epoch"],
            each["coordinator"],
            moment(each["updated_at_ms"]),
            " ".join(f"{at['topic']}:{at['partition']}" for at in each["partitions"]),
        )
        for each in transactions
    ]
    return table(titles, rows)


def _state_of(transaction: Mapping[str, Any]) -> str:
    pending = transaction["pending_state"]
    return f"{transaction['state']} > {pending}" if pending else str(transaction["state"])


def hanging_table(hanging: Documents) -> Iterator[str]:
    """Write the transactions that nobody will end."""
    titles = ("HANGING IN", "PRODUCER", "EPOCH", "FROM OFFSET")
    rows = [
        (
            f"{each['topic']}:{each['partition']}",
            each["producer_id"],
            each["producer_epoch"],
            each["first_offset"],
        )
        for each in hanging
    ]
    return table(titles, rows)


def producers_table(producers: Documents) -> Iterator[str]:
    """Write producers as the leaders of partitions know them."""
    titles = (
        "PARTITION", "PRODUCER", "EPOCH", "LAST SEQUENCE", "LAST OFFSET", "LAST SEEN", "OPEN FROM",
    )  # fmt: skip
    rows = [
        (
            f"{each['topic']}:{each['partition']}",
            each["producer_id"],
            each["producer_epoch"],
            each["last_sequence"],
            each["last_offset"],
            moment(each["last_timestamp_ms"]),
            each["transaction_first_offset"],
        )
        for each in producers
    ]
    return table(titles, rows)


def faults_table(rules: Documents) -> Iterator[str]:
    """Write faults: what they are, and what has come of them."""
    titles = ("FAULT", "CALLS", "HITS", "HELD", "RELEASED", "RULE")
    rows = [
        (
            each["id"],
            each["calls"],
            each["hits"],
            each["held"],
            each["released"],
            rule_text(each),
        )
        for each in rules
    ]
    return table(titles, rows)


def rule_text(rule: Mapping[str, Any]) -> str:
    """Write a fault as Python makes it."""
    return str(rule["python"]).removeprefix(f"{rule['id']}: ")
