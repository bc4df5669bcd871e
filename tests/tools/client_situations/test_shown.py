"""Cells in words."""

from tests.clients.kip_691.template import Verdict
from tests.clients.situations.cell import Cell, Ending, Place
from tools.client_situations.shown import NOT_POSSIBLE, shown_cells

JAVA = "Java 4.4.0"
FINE = Cell(verdict=Verdict.RETRIED, answered=(), raised=(), ending=Ending(), findings=())


def cell(*raised: str) -> Cell:
    return Cell(
        verdict=Verdict.FATAL, answered=(), raised=raised, ending=Ending(lost=1), findings=()
    )


def test_the_first_error_of_a_call_goes_before_those_of_callbacks() -> None:
    place = Place("lost-end-txn", "4.4", JAVA)
    raised = ("callback: Early", "send: _STATE", "flush: Cause < Root", "abort: Later")
    (shown,) = shown_cells({place: cell(*raised)})
    assert (shown.call, shown.error, shown.ending) == ("flush", "Cause < Root", "1 lost")


def test_an_error_that_says_nothing_is_shown_if_there_is_no_other() -> None:
    (shown,) = shown_cells({Place("lost-end-txn", "4.4", JAVA): cell("send: _STATE")})
    assert (shown.call, shown.error) == ("send", "_STATE")


def test_a_client_that_cannot_speak_a_release_is_in_all_its_cells_with_the_reason() -> None:
    cells = list(
        shown_cells({Place("nothing", "1.1", JAVA): cell("init_transactions: Unsupported")})
    )
    assert {(each.reaction, each.error) for each in cells} == {(NOT_POSSIBLE, "Unsupported")}
    assert {(each.place.release, each.place.client) for each in cells} == {("1.1", JAVA)}
    assert "lost-end-txn" in {each.place.situation for each in cells}
    assert "lost-produce-idempotent" not in {each.place.situation for each in cells}


def test_a_cell_that_was_not_measured_is_not_shown() -> None:
    place = Place("nothing", "4.4", JAVA)
    assert [each.place for each in shown_cells({place: FINE})] == [place]
