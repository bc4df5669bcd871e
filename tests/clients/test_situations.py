"""What applications see in situations, by client and release, as the page on situations has it.

`python -m tests.clients.situations.record` measures all cells. Here is a sample of them, the same
in each run.
"""

from collections.abc import Iterator
from contextlib import ExitStack
from typing import Final

import pytest

from mockbroker.state.release.options import SUPPORTED_RELEASES
from tests.clients.kip_691.template import Verdict
from tests.clients.situations.cell import Cell, Ending, Place
from tests.clients.situations.meet import cell_of
from tests.clients.situations.recording import PLACES, read
from tests.clients.situations.sample import sample
from tests.clients.situations.situations import BASELINES, SITUATIONS, situation
from tests.clients.transactors.clients import MARKERS, TITLES, Clients

pytestmark = [pytest.mark.slow, pytest.mark.timeout(300)]

RECORDING: Final = read()
SAMPLE: Final = sample(RECORDING)
TRIES: Final = 4
"""How often a cell may come out otherwise: a machine may stall, and clients have threads."""


@pytest.fixture(scope="module")
def clients(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Clients]:
    with ExitStack() as running:
        yield Clients(running, tmp_path_factory.mktemp("situations"), apart=True)


@pytest.mark.parametrize(
    "place",
    [
        pytest.param(
            place,
            id=place.anchor,
            marks=[getattr(pytest.mark, name) for name in MARKERS.get(place.client, ())],
        )
        for place in SAMPLE
    ],
)
def test_a_client_sees_in_a_situation_what_was_recorded(clients: Clients, place: Place) -> None:
    recorded = RECORDING[place]
    for _ in range(TRIES):
        measured = _measured(clients, place)
        if measured == recorded:
            break
    assert measured == recorded


def _measured(clients: Clients, place: Place) -> Cell:
    return cell_of(clients[place.client], situation(place.situation), place.release)


def test_the_sample_has_every_client_every_release_and_every_situation() -> None:
    assert {place.client for place in SAMPLE} == set(TITLES)
    assert {place.release for place in SAMPLE} == {place.release for place in RECORDING}
    assert {place.situation for place in SAMPLE} == {
        each.slug for each in SITUATIONS if each.slug not in BASELINES.values()
    }


def test_the_sample_has_no_cell_with_a_call_that_does_not_return() -> None:
    assert not [
        place for place in SAMPLE if any("no end" in each for each in RECORDING[place].raised)
    ]


def test_every_recorded_cell_is_one_of_the_table() -> None:
    assert set(RECORDING) <= set(PLACES)
    assert {place.release for place in RECORDING} <= set(SUPPORTED_RELEASES)


def test_names_of_cells_are_unique() -> None:
    assert len({place.anchor for place in PLACES}) == len(PLACES)


def test_a_lost_response_duplicates_and_loses_nothing_with_any_client() -> None:
    lost = {
        place: str(cell.ending)
        for place, cell in RECORDING.items()
        if place.situation.startswith("lost-") and cell.ending != Ending()
    }
    assert lost == {}


def test_the_application_ends_exactly_once_unless_a_log_lost_or_forgot_something() -> None:
    """Or a batch or a commit came late: the template aborts, and starts again from its offsets."""
    bad = {place.situation for place, cell in RECORDING.items() if cell.ending != Ending()}
    assert bad == {
        "delayed-commit",
        "fenced-and-forgotten",
        "first-write-lost",
        "late-batch",
        "leader-without-state",
        "leader-without-the-tail-idempotent",
        "retention-between-two-transactions",
    }


def test_the_newest_release_hangs_nothing_and_duplicates_only_by_a_late_commit() -> None:
    bad = {
        str(cell.ending)
        for place, cell in RECORDING.items()
        if place.release == "4.4" and cell.ending != Ending()
        if place.situation != "delayed-commit"
    }
    assert bad == {"1 lost", "2 lost"}
    late = {
        place.client: str(cell.ending)
        for place, cell in RECORDING.items()
        if place.situation == "delayed-commit" and place.release == "4.4"
    }
    assert set(late.values()) == {str(Ending()), "1 duplicated"}
    assert late["Java 4.4.0"] == str(Ending())  # it has an epoch for each transaction


def test_a_client_that_does_not_make_the_call_is_not_in_the_situation() -> None:
    unasked = {
        (place.situation, place.client)
        for place, cell in RECORDING.items()
        if cell.verdict is Verdict.UNASKED and place.release == "4.4"
    }
    assert ("lost-add-partitions-to-txn", "Java 4.4.0") in unasked
    assert ("lost-add-partitions-to-txn", "Java 2.4.1") not in unasked
