"""Values of a timeline."""

from mockbroker.timeline.timeline import LEGEND, CellKind, count_text, range_text


def test_each_kind_has_a_meaning() -> None:
    assert set(LEGEND) == set(CellKind)
    assert len(set(LEGEND.values())) == len(CellKind)


def test_a_range_of_one_is_a_number() -> None:
    assert range_text(7, 7) == "7"
    assert range_text(7, 9) == "7–9"


def test_counts_agree_with_their_nouns() -> None:
    assert count_text(1, "batch", "batches") == "1 batch"
    assert count_text(2000, "batch", "batches") == "2,000 batches"
    assert count_text(0, "record") == "0 records"
