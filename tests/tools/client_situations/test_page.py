"""The page on situations has the measured cells, and no others."""

import pytest

from mockbroker.state.release.options import SUPPORTED_RELEASES
from tests.clients.kip_691.template import Verdict
from tests.clients.situations.cell import Cell, Ending, Place
from tests.clients.situations.recording import read
from tests.clients.situations.situations import SITUATIONS
from tools.client_situations.page import PAGE, tables, with_tables


def test_the_page_is_up_to_date() -> None:
    text = PAGE.read_text("utf-8")
    assert text == with_tables(text), "run `make docs`"


def test_each_situation_has_a_heading_that_links_can_name() -> None:
    text = PAGE.read_text("utf-8")
    assert all(f"\n### {situation.slug}\n" in text for situation in SITUATIONS)


def test_a_release_that_was_not_measured_is_named_as_such() -> None:
    text = PAGE.read_text("utf-8")
    found = {place.release for place in read()}
    missing = [release for release in SUPPORTED_RELEASES if release not in found]
    assert ("not measured yet" in text) == bool(missing)


@pytest.mark.parametrize(
    ("releases", "spans"),
    [
        (("2.3", "2.4"), ["2.3 – 2.4"]),
        (("0.11", "2.3", "2.4", "4.4"), ["0.11", "2.3 – 2.4", "4.4"]),
    ],
)
def test_a_span_of_releases_has_no_release_that_was_not_measured(
    releases: tuple[str, ...], spans: list[str]
) -> None:
    fine = Cell(verdict=Verdict.RETRIED, answered=(), raised=(), ending=Ending(), findings=())
    measured = {Place("nothing", release, "Java 4.4.0"): fine for release in releases}
    lines = [line for line in tables(measured) if line.startswith("| Java")]
    assert [line.split(" | ")[1] for line in lines] == spans


def test_a_page_without_a_place_for_the_tables_is_refused() -> None:
    with pytest.raises(ValueError, match="not enough values"):
        with_tables("# Situations\n")
