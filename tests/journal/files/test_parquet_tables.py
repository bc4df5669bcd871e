"""Tables of entries and of produced batches."""

import pytest

pytest.importorskip("pyarrow", reason="Parquet needs the extra spark")

from mockbroker.broker.call import ANONYMOUS
from mockbroker.events.event_types import BatchProduced, Sender
from mockbroker.journal.entry import COLUMNS, Entry
from mockbroker.journal.expansion import Expansion
from mockbroker.journal.files.parquet_tables import schema, table_of
from mockbroker.journal.recorded import Recorded
from mockbroker.protocol.api_keys import ApiKey
from mockbroker.protocol.errors import ErrorCode
from mockbroker.state.events import LogPosition

pytestmark = pytest.mark.slow

ACKED = Sender(1, 2, "me", 9, -1, None, "orders", ANONYMOUS)
LOG = LogPosition("orders", 0, 2, 4, 5, 50, 101, 103)
PLAIN = BatchProduced(
    9, 500, ACKED, (0, 99, -1, 2, 4_294_967_295, 0, 2, 0, 0, -1, -1, -1, 3), 100, LOG
)
UNACKED = PLAIN._replace(sender=ACKED._replace(acks=0, client_id=None))
TRANSACTIONAL = BatchProduced(
    3, 8, Sender(1, 2, None, 9, 1, "svc", "payments", ANONYMOUS),
    (0, 99, -1, 2, 77, 0x10, 4, 0, 0, 4_000, 1, 20, 5), 40,
    LogPosition("payments", 1, 1, 4, 0, 40, 45, 45),
)  # fmt: skip


def recorded_of(*events: BatchProduced) -> list[tuple[Recorded, BatchProduced]]:
    return [
        (Recorded(100 * n, n, 2 * n, None, None, each), each) for n, each in enumerate(events, 1)
    ]


def as_columns(entry: Entry) -> dict[str, object]:
    columns = entry._asdict()
    columns["api"] = None if entry.api is None else entry.api.title
    columns["error"] = None if entry.error is None else entry.error.name
    return columns


@pytest.mark.parametrize(
    "events",
    [(PLAIN,), (UNACKED,), (PLAIN, UNACKED, TRANSACTIONAL), (TRANSACTIONAL, PLAIN, PLAIN)],
    ids=["plain", "no-acks", "mixed", "many"],
)
def test_columns_have_the_values_of_the_entries(events: tuple[BatchProduced, ...]) -> None:
    produced = recorded_of(*events)
    table = table_of([], produced)
    table.validate(full=True)
    expected = [
        as_columns(entry) for recorded, _ in produced for entry in Expansion({}).entries(recorded)
    ]
    rows = sorted(table.to_pylist(), key=lambda row: row["seq"])
    assert rows == expected


def test_entries_and_batches_are_one_table() -> None:
    entry = Entry(
        1, "answer", 2, 3, api=ApiKey.FETCH, error=ErrorCode.NOT_COORDINATOR, is_duplicate=True,
        topic="ä",
    )  # fmt: skip
    table = table_of([entry, entry._replace(topic=None)], recorded_of(PLAIN))
    table.validate(full=True)
    assert table.num_rows == 2 + 3
    assert table.slice(0, 1).to_pylist() == [as_columns(entry)]
    assert table["topic"].to_pylist()[1:3] == [None, "orders"]


def test_the_schema_has_every_column_in_its_order() -> None:
    assert schema().names == [column.name for column in COLUMNS]
