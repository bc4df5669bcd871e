from mockbroker.audit.producer_state import PartitionProducer, is_within, overlap, rest_of
from mockbroker.audit.runs.run import SEQUENCES
from tests.audit.rows import batch


def test_sequences_are_compared_across_the_wrap() -> None:
    gap = (SEQUENCES - 2, 3)
    assert is_within((SEQUENCES - 1, 1), gap)
    assert not is_within((SEQUENCES - 1, 4), gap)
    assert overlap(gap, (2, 9))
    assert overlap(gap, (SEQUENCES - 9, SEQUENCES - 1))
    assert not overlap(gap, (3, 9))


def test_filling_a_part_of_a_gap_leaves_what_is_before_and_after_it() -> None:
    assert rest_of((2, 9), (4, 6)) == ((2, 4), (6, 9))
    assert rest_of((2, 9), (2, 9)) == ()


def test_a_new_epoch_has_no_gaps_yet() -> None:
    producer = PartitionProducer(0, 1, 1, 1, 0, 0, missing=((4, 5),))
    producer.accept(batch(2, 1, offset=1))
    assert (producer.missing, producer.epoch_base_offset) == (((4, 5),), 0)
    producer.accept(batch(3, 0, offset=2, producer=(7, 1)))
    assert (producer.missing, producer.epoch_base_offset) == ((), 2)
