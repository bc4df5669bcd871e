"""Filters for the rows around a finding."""

from mockbroker.spark.report.row_windows import windows
from tests.support.verdicts import GAP


def test_windows_of_files_match_the_conditions_of_spark() -> None:
    finding = GAP._replace(transactional_id="t")
    kinds = {window.kinds for window in windows(finding, 10)}
    assert [each.first_seq for each in windows(GAP, 10)] == [4, 16]
    assert {each.topic for each in windows(GAP, 10)} == {"orders"}
    assert ("transaction",) in kinds
    placeless = list(windows(GAP._replace(topic=None), 10))
    assert {each.producer_id for each in placeless} == {100}
