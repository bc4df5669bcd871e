from mockbroker.audit.judge import judge
from mockbroker.audit.run import Run
from mockbroker.audit.source import Source

_APPEND = Run("event", "append", 3, 3, 10, 10, topic="a", partition=1, producer_id=7)


def test_a_fold_counts_as_much_as_its_events() -> None:
    second = _APPEND._replace(first_seq=4, last_seq=4, first_time_ms=12, last_time_ms=12)
    single = judge([_APPEND, second], Source(events=2))
    log = _APPEND._replace(
        lane="log", kind="log", events=2, last_seq=4, last_time_ms=12, producer_id=None
    )
    producer = log._replace(lane="producer", kind="producer", producer_id=7)
    assert judge([log, producer], Source(events=2)).counts == single.counts
    assert (single.counts.appends, single.counts.producers) == (2, 1)
    assert (single.counts.first_time_ms, single.counts.last_time_ms) == (10, 12)


def test_a_retry_is_no_append() -> None:
    assert judge([_APPEND._replace(is_duplicate=True)]).counts.appends == 0
