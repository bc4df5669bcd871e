"""Regular batches of logs, which begin where the batch before them ended."""

import pytest

pytest.importorskip("pyarrow", reason="folding needs the extra spark")

import numpy as np

from mockbroker.audit.folding.folding_logs import log_links
from mockbroker.audit.folding.folding_rows import Rows
from tests.support.audit_script import Script
from tests.support.folds import run_rows


def irregular(script: Script) -> list[int]:
    """Return the base offsets of irregular batches of a log."""
    rows = Rows(run_rows(script.entries))
    links = log_links(rows, np.zeros(rows.count, np.int64))
    bad = links.members[~links.is_regular]
    return [int(each) for each in rows.ints("base_offset")[bad]]


def logged(*ends: int) -> Script:
    script = Script()
    before = 0
    for end in ends:
        script.append(0, **script.batch(0, record_count=end - before))
        before = end
    return script


def test_consecutive_batches_and_markers_are_regular() -> None:
    script = logged(2, 5, 6)
    script.marker(0)
    script.append(0, **script.batch(0))
    assert not irregular(script)


def test_a_batch_after_a_gap_in_offsets_is_irregular() -> None:
    script = logged(2, 5)
    script.append(0, jump=1, **script.batch(0))
    script.append(0, **script.batch(0))
    assert irregular(script) == [6]


def test_a_batch_whose_offsets_contradict_each_other_is_irregular() -> None:
    script = logged(2, 5, 9)
    right = script.entries[1]
    for wrong in (right._replace(last_offset=7), right._replace(log_end_offset=7)):
        script.entries[1] = wrong
        assert 2 in irregular(script)


def test_a_stable_offset_that_falls_is_irregular() -> None:
    script = logged(2, 5, 9)
    script.entries[2] = script.entries[2]._replace(last_stable_offset=1)
    assert irregular(script) == [5]


def test_a_stable_offset_above_an_open_transaction_is_irregular_until_its_marker() -> None:
    script = Script()
    script.append(0, **script.batch(0))
    script.append(0, **script.batch(0, producer_id=9, is_transactional=True))
    for _ in range(2):
        script.append(0, **script.batch(0))
    script.entries[3] = script.entries[3]._replace(last_stable_offset=4)
    script.marker(0)
    script.append(0, **script.batch(0))
    assert irregular(script) == [3]


def test_a_new_leader_epoch_starts_over_and_a_lower_one_is_irregular() -> None:
    script = logged(2, 5, 9, 10)
    for at, epoch in enumerate((1, 2, 1, 2)):
        script.entries[at] = script.entries[at]._replace(leader_epoch=epoch)
    assert irregular(script) == [2, 5, 9]


def test_batches_that_a_later_one_overwrites_are_irregular() -> None:
    script = logged(2, 5, 9)
    script.append(0, jump=-6, **script.batch(0))
    assert irregular(script) == [2, 5, 3]


def test_a_truncation_affects_earlier_batches_of_its_partition_only() -> None:
    script = logged(2, 5, 9)
    script.row("truncation", topic="t", partition=0, log_end_offset=5)
    script.row("truncation", topic="u", partition=1, log_end_offset=0)
    script.append(0, jump=-4, **script.batch(0))
    assert irregular(script) == [5, 5]
