import pytest

from mockbroker.audit.words import (
    batch_text,
    duration_text,
    marker_text,
    place_text,
    producer_text,
)
from tests.audit.rows import batch, end_of


def test_a_batch_is_named_by_its_offsets_and_its_producer() -> None:
    assert batch_text(batch(1, 3, offset=4)) == "offset 4 (producer 7 epoch 0 #3)"
    many = batch(1, 3, offset=4, count=2, producer=(9, 1))
    assert batch_text(many) == "offsets 4..5 (producer 9 epoch 1 #3..4)"
    assert batch_text(batch(1, offset=4, producer=(-1, -1))) == "offset 4"


def test_partitions_producers_and_markers_have_names() -> None:
    assert place_text(("a", 3)) == "a-3"
    assert producer_text(batch(1, offset=4)) == "producer 7 epoch 0"
    assert marker_text(end_of(1, "COMMIT", offset=0)) == "a COMMIT marker"
    assert marker_text(end_of(1, "ABORT", offset=0)) == "an ABORT marker"


@pytest.mark.parametrize(
    ("duration_ms", "text"),
    [(999, "999 ms"), (2_500, "2.5 s"), (1_800_000, "30 min"), (7_200_000, "2 h")],
)
def test_a_duration_has_the_unit_that_shows_it(duration_ms: int, text: str) -> None:
    assert duration_text(duration_ms) == text
