"""Layout of a finding's timeline."""

from mockbroker.journal.entry import Entry
from mockbroker.timeline.finding_timeline import finding_timeline
from tests.support.verdicts import GAP
from tests.support.written_journals import produced, without_call


def entries_around() -> list[Entry]:
    """The appends of one partition, of which a batch in the middle is missing."""
    kept = without_call(produced(12, partitions=1), 5)
    return [entry for entry in kept if entry.kind == "append"]


def test_a_batch_is_in_its_producers_lane_with_sequences_and_offsets() -> None:
    timeline = finding_timeline(GAP, entries_around())
    assert [lane.name for lane in timeline.lanes] == ["producer 100"]
    first = timeline.cells[0]
    assert (first.first, first.second) == ("seq 0–2", "@0–2 · epoch 0")
    assert (first.start, first.lane, first.kind) == (0, 0, "batch")
    assert first.tip.startswith("#2 ")


def test_proving_rows_are_marked() -> None:
    entries = entries_around()
    finding = GAP._replace(evidence=(entries[3].seq, entries[4].seq))
    timeline = finding_timeline(finding, entries)
    assert [cell.start for cell in timeline.cells if cell.is_evidence] == [3, 4]
    assert [number for number, each in enumerate(timeline.columns) if each.is_evidence] == [3, 4]


def test_offsets_that_are_left_out_are_a_cut() -> None:
    timeline = finding_timeline(GAP, entries_around())
    assert [number for number, each in enumerate(timeline.columns) if each.is_cut] == [4]


def test_the_log_comes_first_then_coordinators_then_the_findings_producer() -> None:
    append = entries_around()[0]
    others = [
        append._replace(seq=2, producer_id=7),
        append._replace(seq=3, producer_id=-1),
        append._replace(seq=4, kind="leader", leader_epoch=3, broker=2),
        Entry(5, "transaction", 0, 0, transactional_id="t", state_before="Empty",
              state_after="Ongoing"),
        append._replace(seq=6, kind="answer"),
        Entry(7, "clock", 0, 0),
        append._replace(seq=8, kind="truncation", log_end_offset=1),
        append._replace(seq=9, kind="marker", marker="ABORT"),
        append._replace(seq=10, kind="log_start"),
        append._replace(seq=11, is_duplicate=True),
    ]  # fmt: skip
    timeline = finding_timeline(GAP, [append._replace(seq=1), *others])
    assert [lane.name for lane in timeline.lanes] == [
        *("log orders-0", "transaction t", "producer 100", "producer 7", "no producer id"),
        *("client client-0", "cluster"),
    ]
    words = [(cell.first, cell.second) for cell in timeline.cells]
    assert words[3:9] == [
        ("leader 2", "epoch 3"),
        ("Ongoing", "was Empty"),
        ("Produce", "answer"),
        ("clock", ""),
        ("truncated", "to 1"),
        ("ABORT", "@0–2 · epoch 0"),
    ]
    assert timeline.cells[-1].kind == "retry"


def test_rows_of_one_moment_share_a_column_unless_they_share_a_lane() -> None:
    append = entries_around()[0]
    same = [append, append._replace(producer_id=7), append._replace(partition=0)]
    timeline = finding_timeline(GAP, same)
    assert [cell.start for cell in timeline.cells] == [0, 0, 1]


def test_levels_are_those_of_the_findings_log() -> None:
    append = entries_around()[0]
    timeline = finding_timeline(GAP, [append, append._replace(seq=9, partition=1)])
    (level,) = timeline.levels
    assert (level.log_end_offset, level.high_watermark, level.last_stable_offset) == (3, 3, 3)


def test_rows_of_another_partition_have_lanes_of_their_own() -> None:
    entries = entries_around()
    other = entries[-1]._replace(partition=3)
    timeline = finding_timeline(GAP, [*entries[:2], other, other._replace(producer_id=-1)])
    assert [lane.name for lane in timeline.lanes] == [
        *("producer 100", "producer 100 · orders-3", "no producer id · orders-3"),
    ]
