"""Tables of what the admin API shows."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from mockbroker.cli.cluster.admin_command import utc_text
from mockbroker.cli.text_table import Heading, columns
from mockbroker.events.printable import printable

Documents = Sequence[Mapping[str, Any]]
NOTHING: Final = "-"


def table(titles: Sequence[str], rows: Sequence[Sequence[object]]) -> Iterator[str]:
    """Write rows below their titles; columns of numbers are aligned to the right."""
    right = frozenset(
        column
        for column in range(len(titles))
        if rows and all(isinstance(row[column], int) or row[column] is None for row in rows)
    )
    texts = [[NOTHING if cell is None else printable(str(cell)) for cell in row] for row in rows]
    first, *others = columns([titles, *texts], right)
    yield Heading(first)
    yield from others


def brokers_table(brokers: Documents) -> Iterator[str]:
    """Write brokers: addresses, states, and the number of partitions that they lead."""
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
    """Write partitions: leaders, in-sync replicas, and the offsets of their logs."""
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


def replicas_table(replicas: Documents) -> Iterator[str]:
    """Write replicas: what they do, and the offsets and producers of their own logs."""
    titles = ("BROKER", "IN SYNC", "FETCHES", "START", "STABLE", "HIGH", "END", "PRODUCERS")
    rows = [
        (
            each["broker"],
            "yes" if each["is_in_sync"] else "no",
            "yes" if each["fetches"] else "no",
            each["log_start_offset"],
            each["last_stable_offset"],
            each["high_watermark"],
            each["log_end_offset"],
            ", ".join(
                f"{known['producer_id']}: {known['last_sequence']}" for known in each["producers"]
            )
            or NOTHING,
        )
        for each in replicas
    ]
    return table(titles, rows)


def topics_table(topics: Documents) -> Iterator[str]:
    """Write topics: ids and numbers of partitions."""
    rows = [(each["name"], each["topic_id"], len(each["partitions"])) for each in topics]
    return table(("TOPIC", "ID", "PARTITIONS"), rows)


def transactions_table(transactions: Documents) -> Iterator[str]:
    """Write transactional ids in the view of their coordinators."""
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
            utc_text(each["updated_at_ms"]),
            _places(each["partitions"]),
        )
        for each in transactions
    ]
    return table(titles, rows)


def _state_of(transaction: Mapping[str, Any]) -> str:
    pending = transaction["pending_state"]
    return f"{transaction['state']} > {pending}" if pending else str(transaction["state"])


def hanging_table(hanging: Documents) -> Iterator[str]:
    """Write hanging transactions."""
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


def groups_table(groups: Documents) -> Iterator[str]:
    """Write groups in the view of their coordinators."""
    titles = ("GROUP", "KIND", "STATE", "EPOCH", "ASSIGNED", "COORDINATOR", "MEMBERS", "")
    rows = [
        (
            each["group_id"],
            each["kind"],
            each["state"],
            each["group_epoch"],
            each["assignment_epoch"],
            each["coordinator"],
            len(each["members"]),
            "held" if each["is_held"] else "",
        )
        for each in groups
    ]
    return table(titles, rows)


def members_table(members: Documents) -> Iterator[str]:
    """Write the members of a group: what they may own, have to give up, and move towards."""
    titles = ("MEMBER", "EPOCH", "STATE", "ASSIGNED", "REVOKES", "TARGET")
    rows = [
        (
            each["member_id"],
            each["member_epoch"],
            each["state"],
            *(_places(each[name]) for name in ("assigned", "pending_revocation", "target")),
        )
        for each in members
    ]
    return table(titles, rows)


def share_partitions_table(partitions: Documents) -> Iterator[str]:
    """Write the records in flight of share partitions, a line for each state."""
    titles = (
        "PARTITION", "LEADER", "COORDINATOR", "START", "OFFSETS", "STATE", "DELIVERIES", "MEMBER",
        "LOCK EXPIRES",
    )  # fmt: skip
    rows: list[Sequence[object]] = []
    for each in partitions:
        place = f"{each['topic']}:{each['partition']}"
        of_partition = (place, each["leader"], each["share_coordinator"], each["start_offset"])
        rows += [(*of_partition, *_in_flight(records)) for records in each["in_flight"]] or [
            (*of_partition, *[NOTHING] * 5)
        ]
    return table(titles, rows)


def _in_flight(records: Mapping[str, Any]) -> tuple[object, ...]:
    expires_ms = records["lock_expires_ms"]
    return (
        f"{records['first_offset']}-{records['last_offset']}",
        records["state"],
        records["delivery_count"],
        records["member_id"] or NOTHING,
        NOTHING if expires_ms is None else utc_text(expires_ms),
    )


def _places(places: Documents) -> str:
    return " ".join(f"{at['topic']}:{at['partition']}" for at in places)


def producers_table(producers: Documents) -> Iterator[str]:
    """Write producers in the view of partition leaders."""
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
            utc_text(each["last_timestamp_ms"]),
            each["transaction_first_offset"],
        )
        for each in producers
    ]
    return table(titles, rows)


def faults_table(faults: Documents) -> Iterator[str]:
    """Write faults: what they are, and what came of them."""
    titles = ("FAULT", "CALLS", "HITS", "HELD", "RELEASED", "WHAT")
    rows = [
        (
            each["id"],
            each["calls"],
            each["hits"],
            each["held"],
            each["released"],
            fault_text(each),
        )
        for each in faults
    ]
    return table(titles, rows)


def fault_text(fault: Mapping[str, Any]) -> str:
    """Write a fault as Python makes it."""
    return str(fault["python"]).removeprefix(f"{fault['id']}: ")
