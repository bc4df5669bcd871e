"""Conditions for the rows around findings, in the SQL of Spark."""

import pytest

pytest.importorskip("pyspark", reason="the report with Spark needs the extra spark")

from mockbroker.report.audited import Placed
from mockbroker.report.timeline_rows import nearest
from mockbroker.spark.report.neighbourhood import conditions
from tests.support.verdicts import GAP
from tests.support.written_journals import produced


def test_names_are_quoted_in_the_conditions_of_spark() -> None:
    finding = GAP._replace(topic="o'\\x", transactional_id="t'")
    asked = " ".join(conditions([Placed(number=1, source="j", finding=finding)], 10))
    assert "topic = 'o\\'\\\\x'" in asked
    assert "transactional_id = 't\\''" in asked
    assert "seq IN (14, 26)" in asked
    assert "seq BETWEEN 4 AND 24" in asked


def test_a_finding_proved_by_ids_is_shown_with_the_rows_at_its_offsets() -> None:
    told = GAP._replace(evidence=(), first_offset=40, last_offset=60)
    (asked,) = conditions([Placed(number=1, source="j", finding=told)], 10)
    assert "(last_offset >= 30 AND base_offset <= 70 AND " in asked
    assert not list(
        conditions([Placed(number=1, source="j", finding=told._replace(first_offset=None))], 10)
    )
    entries = [entry for entry in produced(200) if entry.kind == "append"]
    middle = next(entry for entry in entries if (entry.base_offset or 0) > 40)
    told = told._replace(partition=middle.partition, first_offset=middle.base_offset)
    assert middle in nearest(told, entries)
