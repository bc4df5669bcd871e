"""Tables of entries and of produced batches."""

import pytest

from mockbroker.events.event_types import BatchProduced, RunProduced, Sender
from mockbroker.journal.entry import COLUMNS, Entry
from mockbroker.journal.expansion import Expansion
from mockbroker.journal.files.parquet_tables import schema, table_of
from mockbroker.journal.files.produced import produced_run
from mockbroker.journal.heard import Heard
from mockbroker.protocol.api_keys import ApiKey
from mockbroker.protocol.errors import ErrorCode
from mockbroker.state.events import LogPosition

pytest.importorskip("pyarrow", reason="Parquet needs the extra spark")
pytestmark = pytest.mark.slow

ACKED = Sender(1, 2, "me", 9, -1, None, "orders")
LOG = LogPosition("orders", 0, 2, 4, 5, 50, 103, 103)
RUN = RunProduced(9, [500, 501, 502], ACKED, 4_000, 1, 20, [0] * 3, 100, [], [7, 8, 9], LOG)
UNACKED = RUN._replace(sender=ACKED._replace(acks=0, client_id=None))
BATCH = BatchProduced(
    3, 8, Sender(1, 2, None, 9, 1, "svc", "payments"),
    (0, 99, -1, 2, 77, 0x10, 4, 0, 0, 4_000, 1, 20, 5), 40,
    LogPosition("payments", 1, 1, 4, 0, 40, 45, 45),
)  # fmt: skip


def heard_of(*happenings: RunProduced | BatchProduced) -> list[Heard]:
    return [Heard(100 * n, n, 2 * n, None, None, each) for n, each in enumerate(happenings, 1)]


def as_said(entry: Entry) -> dict[str, object]:
    said = entry._asdict()
    said["api"] = None if entry.api is None else entry.api.title
    said["error"] = None if entry.error is None else entry.error.name
    return said


@pytest.mark.parametrize(
    "happenings",
    [(RUN,), (UNACKED,), (RUN, UNACKED, BATCH), (BATCH, RUN, RUN)],
    ids=["run", "no-acks", "mixed", "many"],
)
def test_columns_say_what_the_entries_say(
    happenings: tuple[RunProduced | BatchProduced, ...],
) -> None:
    heard = heard_of(*happenings)
    runs = [produced_run(each) for each in happenings]
    table = table_of([], list(zip(heard, runs, strict=True)))
    table.validate(full=True)
    expected = [as_said(entry) for each in heard for entry in Expansion({}).entries(each)]
    rows = sorted(table.to_pylist(), key=lambda row: row["seq"])
    assert rows == expected


def test_entries_and_batches_are_one_table() -> None:
    entry = Entry(
        1, "answer", 2, 3, api=ApiKey.FETCH, error=ErrorCode.NOT_COORDINATOR, is_duplicate=True,
        topic="ä",
    )  # fmt: skip
    (heard,) = heard_of(RUN)
    table = table_of([entry, entry._replace(topic=None)], [(heard, produced_run(RUN))])
    table.validate(full=True)
    assert table.num_rows == 2 + 9
    assert table.slice(0, 1).to_pylist() == [as_said(entry)]
    assert table["topic"].to_pylist()[1:3] == [None, "orders"]


def test_the_schema_has_every_column_in_its_order() -> None:
    assert schema().names == [column.name for column in COLUMNS]
