"""The tables by release in the stories are what real Kafka has answered."""

import pytest

from tests.conformance.releases import RELEASES
from tests.conformance.script import scenarios
from tools.story_tables import (
    DELAYED_END,
    HEADS,
    late_ends,
    pages,
    policies,
    rows,
    whole_ends,
    with_tables,
)

pytestmark = pytest.mark.slow

OF_SCENARIOS = {
    "late_batch_after_each_policy": policies,
    "end_that_arrives_in_the_next_transaction": late_ends,
    "end_that_arrives_before_the_only_end": whole_ends,
}


def test_the_tables_are_up_to_date() -> None:
    for path, text in pages().items():
        assert path.read_text("utf-8") == text, "run `make docs`"


@pytest.mark.parametrize("name", OF_SCENARIOS)
def test_every_release_has_its_rows(name: str) -> None:
    shown = {line.split(" | ")[0].removeprefix("| ") for line in rows(name, OF_SCENARIOS[name])}
    assert shown == {each.label for each in RELEASES if scenarios()[name].applies_to(each)}


def test_a_producer_that_bumps_its_epoch_is_fenced_before_transaction_version_2() -> None:
    cells = [line.split(" | ") for line in rows("late_batch_after_each_policy", policies)]
    bumped = {line[0].removeprefix("| "): line[3] for line in cells}
    assert bumped["4.4.0"] == "`NONE`"
    assert {bumped["4.4.0-tv1"], bumped["3.9.1"], bumped["2.8.2"]} == {"`PRODUCER_FENCED`"}
    assert bumped["2.4.1"] == "cannot be asked"


def test_a_late_end_is_fenced_only_since_each_transaction_has_its_epoch() -> None:
    lines = [*rows("end_that_arrives_in_the_next_transaction", late_ends)]
    assert lines
    for line in lines:
        assert ("| ends it |" in line) is not ("| v5 |" in line), line
        assert ("| `PRODUCER_FENCED` |" in line) is ("| v5 |" in line), line


def test_a_page_without_a_place_for_its_table_is_an_error() -> None:
    text = DELAYED_END.read_text("utf-8").replace("<!-- end of late-ends -->", "")
    with pytest.raises(ValueError, match="unpack"):
        with_tables(text, {"late-ends": iter(HEADS)})
