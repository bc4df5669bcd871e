"""Audit of simulations: Kafka's own behaviour has no findings, and injected errors have."""

import random

import pytest

from mockbroker.audit import Verdict, journal_runs, judge
from mockbroker.audit.local import has_arrow
from mockbroker.audit.runs.run import Run
from mockbroker.audit.source import Source
from mockbroker.events import logging
from mockbroker.journal.entry_recorder import EntryRecorder
from mockbroker.journal.expansion import Expansion
from mockbroker.journal.recorded import Recorded
from mockbroker.journal.recorder import Recorder
from tests.simulation import simulation
from tests.simulation.mishaps import Mishap, any_mishap
from tests.simulation.plan import Plan
from tests.simulation.simulation import SimulationError, simulate
from tests.simulation.test_simulations import forget_producers
from tests.simulation.world import World
from tests.support.shards import rows_of_runs, sharded

SEEDS = 48
AT_ONCE = 12
MAY_BE = {"LSO_STUCK", "RETRY_STORM", "TOPIC_ID_CHANGED_UNDER_READER", "ABORTED_AFTER_DELIVERY"}
"""Warnings, because time passes in jumps, model clients retry without a delay, and some readers
read what is uncommitted."""
NO_RECORDS = "work-"
"""Members take their work from a list, and commit offsets of a topic without records."""
FIRST_WRITE = "starts with sequence"
"""Kafka accepts a producer's second batch when the first is lost; docs/stories describes it."""


class _Kept:
    """Stores all events of one world."""

    def __init__(self, world: World) -> None:
        self.recorded: list[Recorded] = []
        service = world.brokers.service
        self.recorder = EntryRecorder(Recorder(lambda: service), service.cluster.topics)
        self.recorder.stores.append(self)

    def store(self, recorded: Recorded, entries: int) -> None:
        self.recorded.append(recorded)

    def runs(self) -> list[Run]:
        entries = Expansion(self.recorder.topic_names).entries
        return list(
            journal_runs(entry for recorded in self.recorded for entry in entries(recorded))
        )


@pytest.fixture
def kept(monkeypatch: pytest.MonkeyPatch) -> list[_Kept]:
    """Record the events of each world, and silence the log of refusals."""
    logging.configure(level="error", log_format="json")
    made: list[_Kept] = []
    new_world = simulation.new_world

    def listened(plan: Plan) -> World:
        world = new_world(plan)
        made.append(_Kept(world))
        return world

    monkeypatch.setattr(simulation, "new_world", listened)
    return made


def lived(seed: int, mishap: Mishap, kept: list[_Kept]) -> tuple[Verdict, str]:
    """Return the audit's verdict on a simulation, and the broken promise if there is one."""
    kept.clear()
    broken = ""
    try:
        simulate(seed, mishap)
    except SimulationError as error:
        broken = str(error.__cause__)
    return judge(kept[0].runs()), broken


@pytest.mark.slow
@pytest.mark.parametrize("first", range(0, SEEDS, AT_ONCE))
def test_a_simulation_without_a_broken_promise_has_no_findings(
    first: int, kept: list[_Kept]
) -> None:
    for seed in range(first, first + AT_ONCE):
        verdict, broken = lived(seed, any_mishap, kept)
        assert not broken
        found = [
            each
            for each in verdict.findings
            if each.rule not in MAY_BE
            and FIRST_WRITE not in each.text
            and not (each.rule == "COMMITTED_BEYOND_LOG" and each.text.startswith(NO_RECORDS))
        ]
        assert not found, f"seed {seed}: {found}"


@pytest.mark.slow
def test_duplicates_are_found_at_their_offsets(kept: list[_Kept]) -> None:
    seen = 0
    for seed in range(20):
        verdict, broken = lived(seed, forget_producers, kept)
        is_twice = "written twice" in broken
        seen += is_twice
        assert not is_twice or verdict.of_rule("DUPLICATE_APPEND"), f"seed {seed}: {broken}"
    assert seen


def spoilt(runs: list[Run], random: random.Random) -> list[Run]:
    """Remove rows, repeat some, and change values in others."""
    kept = [each for each in runs if random.random() > 0.01]
    for index in random.sample(range(len(kept)), 4):
        run = kept[index]
        if run.kind not in {"append", "marker"} or run.producer_epoch is None:
            continue
        sequence = None if run.base_sequence is None else max(0, run.base_sequence - 1)
        epoch_after = run.producer_epoch + random.choice((0, 1))
        kept[index] = run._replace(base_sequence=sequence, producer_epoch=epoch_after)
        again = runs[-1].seq + 1 + index
        kept.append(run._replace(seq=again))
    return kept


def cut_in_two(runs: list[Run], random: random.Random) -> tuple[list[Run], list[Run]]:
    """Return all runs in two pieces, in no order."""
    rows = random.sample(runs, len(runs))
    middle = random.randrange(1, len(rows))
    return rows[:middle], rows[middle:]


@pytest.mark.slow
@pytest.mark.skipif(not has_arrow(), reason="tables need the extra spark")
def test_shards_of_intact_or_damaged_events_get_the_findings_of_one_loop(kept: list[_Kept]) -> None:
    rules: set[str] = set()
    for seed in range(200, 212):
        lived(seed, any_mishap, kept)
        lots = random.Random(seed)
        whole = kept[0].runs()
        for runs in (whole, spoilt(whole, lots)):
            verdict = judge(runs, Source(events=len(runs)))
            tables = [rows_of_runs(part) for part in cut_in_two(runs, lots)]
            assert sharded(tables, len(runs)) == verdict, f"seed {seed}"
            rules.update(each.rule for each in verdict.findings)
    assert len(rules) > 3, rules
