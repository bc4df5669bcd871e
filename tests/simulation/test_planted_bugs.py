"""Each planted bug is found by the simulation of a fixed seed, and no other does so by chance."""

import subprocess
import sys
from collections.abc import Iterator

import pytest

from mockbroker.events import logging
from tests.simulation.plan import Plan
from tests.simulation.planted_bugs import PLANTED
from tests.simulation.planting import Planted, changed_functions, planted
from tests.simulation.shrinking import failure_of, shrunk

IN_PYTHON = [bug for bug in PLANTED if not bug.is_native]
NATIVE = [bug for bug in PLANTED if bug.is_native]


@pytest.fixture(autouse=True)
def quiet() -> Iterator[None]:
    """Silence the brokers' log of refusals, which are intended."""
    logging.configure(level="error", log_format="json")
    yield
    logging.configure(level="info", log_format="json")


def named(bug: Planted) -> str:
    return bug.name.replace(" ", "-")


@pytest.mark.slow
@pytest.mark.parametrize("bug", IN_PYTHON, ids=named)
def test_a_planted_bug_is_found(bug: Planted) -> None:
    plan = Plan(seed=bug.seed, sharing=bug.sharing)
    with planted(bug):
        failure = failure_of(plan)
    assert failure is not None, (
        f"seed {bug.seed} no longer finds {bug.name!r}. If the clients or the mishaps have changed,"
        f" `python -m tests.simulation --planted {bug.name!r}` finds another seed;"
        " if the brokers have, the bug may have lost its effect"
    )
    assert failure_of(plan) is None


@pytest.mark.slow
@pytest.mark.parametrize("bug", NATIVE, ids=named)
def test_a_bug_in_native_code_is_found_in_its_source(bug: Planted) -> None:
    command = [sys.executable, "-m", "tests.simulation", "--planted", bug.name, str(bug.seed)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 1, done.stdout + done.stderr
    assert "one of the last five batches was refused" in done.stdout


@pytest.mark.slow
def test_a_failure_is_made_smaller_and_stays_the_same() -> None:
    bug = next(bug for bug in PLANTED if bug.name == "one epoch too many")
    with planted(bug):
        failure = failure_of(Plan(seed=bug.seed))
        assert failure is not None
        smallest = shrunk(failure)
        again = failure_of(Plan.parse(str(smallest.world.plan)))
    assert again is not None
    assert again.kind == failure.kind == smallest.kind
    assert again.world.story == smallest.world.story
    assert len(again.world.client_names) < len(failure.world.client_names)


def test_a_bug_that_the_source_no_longer_has_room_for_is_refused() -> None:
    gone = PLANTED[0]._replace(old="self._retained_bytes = what it never was")
    with pytest.raises(AssertionError, match=r"four batches' can no longer be planted: .* 0 times"):
        changed_functions(gone)


def test_planted_bugs_are_in_different_machines() -> None:
    assert len(PLANTED) >= 12
    assert len({bug.module for bug in PLANTED}) >= 9
    for bug in PLANTED:
        changed_functions(bug)
