"""Regular batches of producers, whose sequences continue the last batch."""

import pytest

pytest.importorskip("pyarrow", reason="folding needs the extra spark")

import numpy as np

from mockbroker.audit.folding.folding_producers import producer_links
from mockbroker.audit.folding.folding_rows import Rows
from mockbroker.audit.runs.run import SEQUENCES
from tests.support.audit_script import Script
from tests.support.folds import run_rows

Batch = tuple[int, int, int]
"""Base sequence, record count, epoch."""


def irregular(*batches: Batch, is_transactional: bool = False) -> list[Batch]:
    """Return the batches whose sequences do not continue the others."""
    script = Script()
    for base, count, epoch in batches:
        said = {"base_sequence": base, "record_count": count, "producer_epoch": epoch}
        script.append(0, **script.batch(0, is_transactional=is_transactional, **said))
    rows = Rows(run_rows(script.entries))
    links = producer_links(rows, np.zeros(rows.count, np.int64))
    bad = links.members[~links.is_regular]
    columns = [rows.ints(name)[bad] for name in ("base_sequence", "record_count", "producer_epoch")]
    return [(int(a), int(b), int(c)) for a, b, c in zip(*columns, strict=True)]


def test_consecutive_sequences_are_regular_even_across_the_wrap() -> None:
    assert not irregular((5, 2, 0), (7, 1, 0), (8, 4, 0))
    assert not irregular((SEQUENCES - 2, 1, 0), (SEQUENCES - 1, 3, 0), (2, 1, 0))


def test_a_gap_makes_one_batch_irregular() -> None:
    assert irregular((0, 2, 0), (4, 2, 0), (6, 2, 0)) == [(4, 2, 0)]


def test_duplicates_do_not_set_back_the_next_sequence() -> None:
    batches = [(0, 2, 0), (2, 2, 0), (4, 1, 0), (0, 2, 0), (2, 2, 0), (5, 1, 0)]
    assert irregular(*batches) == [(0, 2, 0), (2, 2, 0)]
    at_the_end = [(SEQUENCES - 2, 2, 0), (0, 2, 0), (SEQUENCES - 2, 2, 0), (2, 1, 0)]
    assert irregular(*at_the_end) == [(SEQUENCES - 2, 2, 0)]


def test_a_lower_epoch_is_irregular_and_changes_nothing() -> None:
    assert irregular((0, 2, 3), (2, 2, 2), (2, 2, 3)) == [(2, 2, 2)]


def test_a_higher_epoch_is_regular_only_in_transactions_and_from_zero() -> None:
    batches = [(0, 2, 0), (0, 3, 1), (3, 1, 1)]
    assert irregular(*batches) == [(0, 3, 1)]
    assert not irregular(*batches, is_transactional=True)
    assert irregular((0, 2, 0), (2, 1, 1), is_transactional=True) == [(2, 1, 1)]


def test_batches_without_sequences_follow_each_other() -> None:
    assert not irregular((-1, 1, 0), (-1, 2, 0), is_transactional=True)
    assert irregular((-1, 1, 0), (0, 2, 0), is_transactional=True) == [(0, 2, 0)]


def test_offsets_that_fall_are_not_regular() -> None:
    script = Script()
    for jump in (10, -11):
        script.append(0, jump=jump, **script.batch(0))
    rows = Rows(run_rows(script.entries))
    links = producer_links(rows, np.zeros(rows.count, np.int64))
    assert links.is_regular.tolist() == [True, False]
