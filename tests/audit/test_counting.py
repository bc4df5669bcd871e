from mockbroker.audit.judgement import judge
from mockbroker.audit.source import Source
from tests.audit.rows import batch, transition


def test_what_was_appended_is_counted() -> None:
    counts = judge([batch(3, 0, offset=0), batch(5, 1, offset=1)], Source(events=9)).counts
    assert (counts.events, counts.appends, counts.producers, counts.partitions) == (9, 2, 1, 1)
    assert (counts.first_time_ms, counts.last_time_ms) == (3, 5)


def test_a_retry_is_no_append() -> None:
    counts = judge([batch(3, 0, offset=0)._replace(is_duplicate=True)]).counts
    assert (counts.appends, counts.producers, counts.first_time_ms) == (0, 1, None)


def test_producers_that_only_have_transitions_are_counted() -> None:
    counts = judge([transition(1, "Empty", "Empty", producer=(8, 0))]).counts
    assert (counts.producers, counts.transactional_ids) == (1, 1)
