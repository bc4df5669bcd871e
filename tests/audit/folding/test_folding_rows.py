"""Columns of runs as arrays."""

import pytest

pytest.importorskip("pyarrow", reason="folding needs the extra spark")

import numpy as np

from mockbroker.audit.folding.folding_rows import (
    NULL,
    Rows,
    before,
    begins,
    in_streams,
)
from mockbroker.audit.runs.run import Stream
from tests.support.audit_script import Script
from tests.support.folds import run_rows


def rows() -> Rows:
    script = Script()
    script.produce(3)
    script.transaction(1, 0)
    script.produce(1, producer_id=-1)
    entries = script.entries
    return Rows(run_rows([*entries[5:], *entries[:5]]))


def test_numbers_and_booleans_are_integers_with_a_code_for_null() -> None:
    given = rows()
    assert set(given.ints("is_transactional").tolist()) == {0, 1, NULL}
    assert given.ints("partition").tolist().count(3) == 3
    assert given.ints("stuck_since_ms").tolist() == [NULL] * given.count


def test_texts_are_encoded_as_numbers() -> None:
    kinds = rows().texts("kind")
    assert kinds.are("append").sum() == 4
    assert kinds.are("append", "marker").sum() == 6
    assert not kinds.are("nothing").any()
    assert kinds.mapped({"append": 5}, otherwise=1).sum() == 4 * 5 + len(kinds.codes) - 4
    assert rows().of_kind("append").sum() == 4
    assert not rows().of_stream(Stream.LOG).any()


def test_rows_are_ordered_by_their_first_events() -> None:
    given = rows()
    assert given.ints("first_seq")[given.order].tolist() == list(range(1, given.count + 1))


def test_places_and_producers_have_small_numbers() -> None:
    given = rows()
    places = given.places
    assert len(places.keys) == 3
    assert set(places.codes.tolist()) == {-1, 0, 1, 2}
    assert len(set(given.producers.tolist()) - {-1}) == 2
    assert given.producer_count > given.producers.max()
    assert (given.producers == -1).sum() == (given.ints("producer_id") < 0).sum()


def test_rows_are_sorted_by_their_stream() -> None:
    given = rows()
    index = in_streams(given, given.of_kind("append"), given.places.codes)
    partitions = given.ints("partition")[index].tolist()
    assert sorted(partitions) == partitions
    assert not len(in_streams(given, given.of_kind("nothing"), given.places.codes))


def test_groups_of_equal_keys_have_their_begins_and_previous_keys() -> None:
    keys = np.array([1, 1, 2, 2, 5])
    assert begins(keys).tolist() == [True, False, True, False, True]
    assert before(keys, 9).tolist() == [9, 1, 1, 2, 2]
    assert not len(begins(keys[:0]))
    assert not len(before(keys[:0], 9))
