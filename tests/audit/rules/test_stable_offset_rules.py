from mockbroker.audit.runs.run import Run
from mockbroker.audit.source import Thresholds
from tests.audit.rows import (
    an_event,
    batch,
    end_of,
    found,
)

_SHORT = Thresholds(stuck_stable_offset_ms=100)
_TRUNCATED = "truncation"


def _at(run: Run, time_ms: int) -> Run:
    return run._replace(virtual_time_ms=time_ms)


_OPEN = _at(batch(1, 0, offset=0, transactional=True, stable=0), 0)
_PLAIN = _at(batch(2, offset=1, producer=(-1, -1), stable=0), 50)


def _ended(time_ms: int) -> Run:
    return _at(end_of(3, "COMMIT", offset=2), time_ms)


def test_a_producer_that_blocks_readers_for_too_long_is_named() -> None:
    (finding,) = found(_OPEN, _PLAIN, _ended(101), thresholds=_SHORT)
    assert finding.rule == "LSO_STUCK"
    assert "stayed at 0 for 101 ms, held by the transaction of producer 7 epoch 0" in (finding.text)
    assert finding.evidence == (1, 3)
    assert not found(_OPEN, _PLAIN, _ended(100), thresholds=_SHORT)


def test_only_the_longest_stall_of_a_log_is_reported() -> None:
    second = [
        _at(batch(4, 1, offset=3, transactional=True, stable=3), 200),
        _at(end_of(5, "COMMIT", offset=4), 500),
    ]
    (finding,) = found(_OPEN, _PLAIN, _ended(101), *second, thresholds=_SHORT)
    assert finding.first_offset == 3


def test_a_lagging_high_watermark_is_no_stall() -> None:
    waits = _PLAIN._replace(high_watermark=0)
    assert not found(waits._replace(base_offset=0, last_offset=0), _ended(500)._replace(
        base_offset=1, last_offset=1
    ), thresholds=_SHORT)  # fmt: skip


def test_a_stall_lasts_up_to_the_last_event() -> None:
    clock = _at(Run("clock", 9, 0), 400)
    (finding,) = [
        each for each in found(_OPEN, clock, thresholds=_SHORT) if each.rule == "LSO_STUCK"
    ]
    assert "up to the end of the evidence" in finding.text


def test_truncated_and_deleted_batches_block_no_readers() -> None:
    cut = _at(an_event(3, _TRUNCATED, offset=0), 60)
    later = _at(batch(4, offset=0, producer=(-1, -1)), 900)
    assert not found(_OPEN, cut, later, thresholds=_SHORT)
    gone = _at(an_event(3, "topic_deleted", partition=None), 60)
    assert not found(_OPEN, gone, later, thresholds=_SHORT)
