"""Cost of producers, at a small size."""

from bench.producer_ids import measure

PRODUCERS = 10_000
SLICE = 2_000


def test_producers_are_counted_and_all_of_them_expire_in_steps() -> None:
    values = measure(PRODUCERS)
    held = [values[f"bytes_with_{batches}"] for batches in range(1, 6)]
    assert max(held) < 5_000
    assert values["expiry_steps"] >= PRODUCERS // SLICE
    assert values["expiry_hold_ms"] > 0
