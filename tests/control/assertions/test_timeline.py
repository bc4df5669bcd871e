"""Timelines as text: a person is to understand them at once, so they are compared as they look."""

from collections.abc import Mapping
from textwrap import dedent

from mockbroker.audit.cluster.partition_view import LoggedBatch, Outcome, PartitionSnapshot
from mockbroker.audit.finding import Finding, Severity
from mockbroker.control.assertions.timeline import (
    LEGEND,
    timeline,
    timelines,
)
from mockbroker.state.open_transactions import OpenTransaction
from mockbroker.timeline.annotations import Annotations, annotations_of

HANGING = OpenTransaction("orders", 0, 1000, 0, 6, None, None)
OPEN = OpenTransaction("orders", 0, 1001, 3, 4, "billing", "Ongoing")
BEGUN = OPEN._replace(first_offset=-1)


def data(base: int, last: int, producer_id: int, outcome: Outcome, sequence: int) -> LoggedBatch:
    return LoggedBatch(base, last, producer_id, 0, sequence, outcome, False, outcome == "committed")


def marker(offset: int, producer_id: int, *, is_commit: bool) -> LoggedBatch:
    return LoggedBatch(offset, offset, producer_id, 0, -1, "marker", is_commit, False)


def view(
    *batches: LoggedBatch,
    last_stable_offset: int | None = None,
    high_watermark: int | None = None,
    opened: tuple[OpenTransaction, ...] = (),
    start: int = 0,
) -> PartitionSnapshot:
    end = batches[-1].last_offset + 1 if batches else start
    high = end if high_watermark is None else high_watermark
    stable = high if last_stable_offset is None else last_stable_offset
    return PartitionSnapshot("orders", 0, 1, 2, start, stable, high, end, batches, opened)


def found(
    rule: str,
    first_offset: int,
    last_offset: int,
    producer_id: int | None = 7,
    copied_offset: int | None = None,
) -> Finding:
    return Finding(
        rule,
        Severity.ERROR,
        "",
        topic="orders",
        partition=0,
        producer_id=producer_id,
        producer_epoch=0,
        first_offset=first_offset,
        last_offset=last_offset,
        copied_offset=copied_offset,
    )


def drawn(
    look: PartitionSnapshot,
    notes: Mapping[tuple[str, int, int], Finding] | None = None,
    width: int = 110,
) -> str:
    return "\n".join(timeline(look, Annotations(notes or {}, {}), width=width)) + "\n"


def test_a_transaction_that_holds_readers_back_is_seen_at_a_glance() -> None:
    look = view(
        data(0, 2, 1000, "committed", 0),
        marker(3, 1000, is_commit=True),
        data(4, 4, 1001, "open", 0),
        data(5, 5, -1, "plain", -1),
        data(6, 7, 1000, "open", 3),
        last_stable_offset=4,
        high_watermark=6,
        opened=(OPEN, HANGING),
    )
    assert drawn(look) == dedent(
        """\
        orders-0  leader 1, leader epoch 2
          0      0..2             3        4    4             5           6               6..7             8
          |      [1000 e0 #0..2]  <C>      |    [1001 e0 #0]  [1 record]  |               [1000 e0 #3..4]  |
          start  committed        1000 e0  LSO  open                      high watermark  HANGING          end
          open from offset 4 on: producer 1001 epoch 3, 'billing' (Ongoing)
          HANGING from offset 6 on: producer 1000 epoch 0, unknown to every coordinator, so it will never end
        """  # noqa: E501
    )


def test_the_finding_of_a_batch_is_printed_below_it() -> None:
    look = view(data(0, 1, -1, "plain", -1), data(2, 3, -1, "plain", -1))
    notes = {
        ("orders", 0, 2): found("DUPLICATE_PAYLOAD", 2, 3, copied_offset=0),
        ("payments", 0, 0): found("OF_ANOTHER_TOPIC", 0, 0),
    }
    assert drawn(look, notes) == dedent(
        """\
        orders-0  leader 1, leader epoch 2
          0      0..1         2..3            4
          |      [2 records]  [2 records]     |
          start               DUPLICATE of 0  LSO = high watermark = end
        """
    )


def test_lost_batches_are_drawn_at_their_former_offsets() -> None:
    gone = [found("ACKED_NOT_DURABLE", 1, 2), found("ACKED_NOT_DURABLE", 3, 3, producer_id=-1)]
    look = view(data(0, 0, -1, "plain", -1))
    assert "\n".join(timeline(look, annotations_of(gone))) + "\n" == dedent(
        """\
        orders-0  leader 1, leader epoch 2
          0      0           1                           1..2    3
          |      [1 record]  |                           {7 e0}  {1 record}
          start              LSO = high watermark = end  LOST    LOST
        """
    )


def test_a_batch_is_labelled_by_the_first_rule_that_found_something() -> None:
    look = view(data(0, 1, 7, "aborted", 0), data(2, 2, 7, "open", 2))
    rules = [found("ABORTED_VISIBLE", 0, 1), found("ZOMBIE_WRITE_ACCEPTED", 0, 1)]
    shown = annotations_of([*rules, found("ABORTED_VISIBLE", 2, 2)])
    text = "\n".join(timeline(look, shown))
    assert "ABORTED, VISIBLE" in text
    assert "OPEN, VISIBLE" in text
    assert "ZOMBIE" not in text
    nowhere = found("NOT_ENDED", 0, 0)._replace(first_offset=None)
    assert annotations_of([nowhere]) == Annotations({}, {})


def test_a_transaction_without_records_is_printed_below_the_log() -> None:
    assert drawn(view(opened=(BEGUN,))) == dedent(
        """\
        orders-0  leader 1, leader epoch 2
          0
          |
          start = LSO = high watermark = end
          open without data: producer 1001 epoch 3, 'billing' (Ongoing)
        """
    )


def test_a_long_log_is_folded_except_around_findings_and_ends() -> None:
    batches = [data(offset, offset, 7, "committed", offset) for offset in range(100)]
    look = view(*batches, high_watermark=80)
    assert drawn(look, {("orders", 0, 40): found("LATE", 40, 40)}, width=90) == dedent(
        """\
        orders-0  leader 1, leader epoch 2
          0      0          1          2          3..38               39          40
          |      [7 e0 #0]  [7 e0 #1]  [7 e0 #2]  ... 36 batches ...  [7 e0 #39]  [7 e0 #40]
          start  committed  committed  committed  committed           committed   LATE

          41          42..78              79          80                    80          81
          [7 e0 #41]  ... 37 batches ...  [7 e0 #79]  |                     [7 e0 #80]  [7 e0 #81]
          committed   committed           committed   LSO = high watermark  committed   committed

          82..94              95          96          97          98          99          100
          ... 13 batches ...  [7 e0 #95]  [7 e0 #96]  [7 e0 #97]  [7 e0 #98]  [7 e0 #99]  |
          committed           committed   committed   committed   committed   committed   end
        """
    )


def test_many_notes_do_not_unfold_a_whole_log() -> None:
    batches = [data(offset, offset, 7, "committed", offset) for offset in range(1000)]
    notes = {
        ("orders", 0, offset): found("REPEATED_KEY", offset, offset) for offset in range(0, 1000, 5)
    }
    assert len(timeline(view(*batches), Annotations(notes, {}))) < 50


def test_a_timeline_is_not_wider_than_its_width() -> None:
    batches = [data(offset, offset, 12345, "committed", offset) for offset in range(14)]
    assert max(map(len, timeline(view(*batches), Annotations({}, {}), width=60))) <= 60


def test_partitions_stand_below_each_other_and_empty_ones_are_counted() -> None:
    full = view(data(0, 0, -1, "plain", -1))
    empty = view()._replace(partition=1)
    text = timelines([full, empty, full._replace(partition=2)])
    assert [line for line in text.splitlines() if line.startswith("orders")] == [
        "orders-0  leader 1, leader epoch 2",
        "orders-2  leader 1, leader epoch 2",
    ]
    assert "(1 partitions without a record)" in text
    assert text.endswith(LEGEND)
    assert timelines([empty, empty]) == "(2 partitions without a record)"
    assert "orders-1" in timelines([empty])
