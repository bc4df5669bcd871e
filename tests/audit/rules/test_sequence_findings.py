from mockbroker.audit.producer_state import PartitionProducer, Stretch
from mockbroker.audit.rules.sequence_findings import gap, reset, stretch_of
from tests.audit.rows import batch, end_of

_BATCH = batch(9, 4, offset=20, count=3)


def test_a_gap_names_the_missing_sequences() -> None:
    finding = gap(_BATCH, 3, 1)
    assert finding.text == (
        "a-0: producer 7 epoch 0 continues, without sequence 1, at sequence 4, at offset 20: "
        "earlier batches are missing"
    )
    assert finding.evidence == (3, 9)
    assert "starts with sequence 4" in gap(_BATCH, None, 0).text


def test_a_reset_names_the_idle_time_of_the_producer() -> None:
    producer = PartitionProducer(0, 1, 3, 3, 10, 10)
    assert "had reached sequence 1, was idle for 25 h" in reset(_BATCH, producer, 90_000_000).text


def test_a_stretch_names_its_offsets() -> None:
    one = stretch_of(Stretch("DUPLICATE_APPEND", _BATCH, _BATCH, 3, "sequence 9", 1))
    assert "offsets 20..22 (producer 7 epoch 0 #4..6) was appended" in one.text
    marker = end_of(9, "ABORT", offset=20)
    lower = stretch_of(Stretch("EPOCH_REGRESSION", marker, marker, 3, "epoch 2", 1))
    assert "a ABORT marker" not in lower.text
    assert "an ABORT marker was appended after the partition had reached epoch 2" in lower.text
