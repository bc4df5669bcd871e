from mockbroker.audit.judgement import judge
from mockbroker.audit.runs.run import Stream
from mockbroker.audit.source import Source
from tests.audit.rows import batch, folded


def test_a_fold_counts_as_much_as_its_events() -> None:
    rows = [batch(3, 0, offset=0), batch(5, 1, offset=1)]
    single = judge(rows, Source(events=2)).counts
    log = folded(*rows, stream=Stream.LOG)._replace(producer_id=None)
    assert judge([log, folded(*rows)], Source(events=2)).counts == single
    assert (single.appends, single.producers, single.partitions) == (2, 1, 1)
    assert (single.first_time_ms, single.last_time_ms) == (3, 5)


def test_a_retry_is_no_append() -> None:
    assert judge([batch(3, 0, offset=0)._replace(is_duplicate=True)]).counts.appends == 0
