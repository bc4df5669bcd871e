"""Recordings are found, read and written one by one; equal responses give equal bytes."""

import fcntl
import os
from collections import defaultdict
from collections.abc import Sequence
from itertools import product
from pathlib import Path

import pytest

from mockbroker import Cluster
from tests.conformance import golden
from tests.conformance.record import no_other_writer, record_one
from tests.conformance.recordings import read
from tests.conformance.releases import RELEASES, Release
from tests.conformance.replay import addresses_of
from tests.conformance.script import Scenario, scenarios
from tests.conformance.steps import Step
from tests.conformance.stored import Shown
from tests.conformance.talk import Talk

NEWEST, OLDEST = RELEASES[0], RELEASES[-1]
VARIANT = next(each for each in RELEASES if each.label == f"{NEWEST.label}-tv1")
ANSWERS: list[Shown] = [
    {"error_code": "NONE", "topics": [{"name": f"topic {index}"} for index in range(20)]},
    {"text": 'line\nseparators \u2028 \x85, "quotes", ünïcode', "number": 2**63 - 1},
    [],
    True,
    None,
    "closed",
]


def made_up(name: str, module: str = "scenarios.made_up") -> Scenario:
    def script(talk: Talk) -> None:
        """Ask nothing."""

    script.__module__ = f"tests.conformance.{module}"
    return Scenario(
        name=name,
        script=script,
        brokers=1,
        settings={},
        listeners=(),
        is_alone=False,
        keeps_internal_topics=False,
        has_authorizer=False,
        is_slow=False,
        presets=(),
    )


FETCH, FETCH_LATER = made_up("fetch"), made_up("fetch_later")


def steps(*answers: Shown) -> list[Step]:
    return [
        Step(name=f"step {index}: [a]", asked=f"Fetch v{index}", answer=answer)
        for index, answer in enumerate(answers)
    ]


RECORDED: Sequence[tuple[Scenario, Release, list[Step]]] = [
    (FETCH, NEWEST, steps(*ANSWERS)),
    (FETCH, VARIANT, steps({"variant": 1})),
    (FETCH, OLDEST, steps()),
    (FETCH_LATER, NEWEST, steps("fetch 4.4.0 \nfetch 4.4.0 []")),
    (FETCH_LATER, OLDEST, steps(1, 2)),
]


@pytest.fixture(name="folder")
def small_store(tmp_path: Path) -> Path:
    for scenario, release, answered in RECORDED:
        assert golden.write(scenario, release, answered, tmp_path)
    return tmp_path


@pytest.mark.parametrize(("scenario", "release", "answered"), RECORDED)
def test_a_written_recording_is_read_back(
    folder: Path, scenario: Scenario, release: Release, answered: list[Step]
) -> None:
    assert read(scenario, release, folder) == answered


@pytest.mark.parametrize(("scenario", "release", "answered"), RECORDED)
def test_the_same_answers_leave_the_file_as_it_is(
    folder: Path, scenario: Scenario, release: Release, answered: list[Step]
) -> None:
    path = golden.path_of(scenario, folder)
    before, written_at = path.read_bytes(), path.stat().st_mtime_ns
    assert not golden.write(scenario, release, answered, folder)
    assert (path.read_bytes(), path.stat().st_mtime_ns) == (before, written_at)


@pytest.mark.parametrize(("scenario", "release", "answered"), RECORDED)
def test_other_answers_change_their_recording_alone(
    folder: Path, scenario: Scenario, release: Release, answered: list[Step]
) -> None:
    path = golden.path_of(scenario, folder)
    before = path.read_text("utf-8")
    assert golden.write(scenario, release, steps("another", "answer"), folder)
    for other_scenario, other_release, others in RECORDED:
        is_it = (other_scenario, other_release) == (scenario, release)
        expected = steps("another", "answer") if is_it else others
        assert read(other_scenario, other_release, folder) == expected
    assert golden.write(scenario, release, answered, folder)
    assert path.read_text("utf-8") == before


def test_the_order_of_recording_does_not_change_the_file(folder: Path, tmp_path: Path) -> None:
    for scenario, release, answered in reversed(RECORDED):
        golden.write(scenario, release, answered, tmp_path / "again")
    again = golden.path_of(FETCH, tmp_path / "again")
    assert again.read_bytes() == golden.path_of(FETCH, folder).read_bytes()


def test_scenarios_of_a_module_share_a_file_newest_release_first(folder: Path) -> None:
    path = folder / "scenarios" / "made_up.txt"
    assert list(golden.recordings(folder)) == [
        golden.Recording(path, scenario.name, release.label) for scenario, release, _ in RECORDED
    ]
    assert golden.path_of(made_up("walk_log_1", "walks.log"), folder) == folder / "walks/log.txt"


def test_every_step_has_a_heading_above_its_indented_answer(folder: Path) -> None:
    golden.write(FETCH, NEWEST, steps({"a": 1}, {"b": ["b" * 40] * 3}), folder)
    lines = golden.path_of(FETCH, folder).read_text("utf-8").split("\n")
    assert lines[:11] == [
        'fetch 4.4.0 ["step 0: [a]", "Fetch v0"]',
        ' {"a": 1}',
        'fetch 4.4.0 ["step 1: [a]", "Fetch v1"]',
        " {",
        '  "b": [',
        *[f'   "{"b" * 40}",'] * 2,
        f'   "{"b" * 40}"',
        "  ]",
        " }",
        'fetch 4.4.0-tv1 ["step 0: [a]", "Fetch v0"]',
    ]


@pytest.mark.parametrize(
    ("scenario", "release"),
    [(FETCH_LATER, VARIANT), (made_up("fetch_l"), NEWEST), (made_up("fetch", "walks.log"), NEWEST)],
)
def test_a_missing_recording_is_named(folder: Path, scenario: Scenario, release: Release) -> None:
    with pytest.raises(LookupError, match=f"{scenario.name} is not recorded on {release.label}"):
        read(scenario, release, folder)


def test_recording_a_cluster_again_changes_no_byte(tmp_path: Path) -> None:
    scenario = scenarios()["api_versions"]
    path = golden.path_of(scenario, tmp_path)
    with Cluster(kafka=NEWEST.preset) as cluster:
        assert record_one(scenario, NEWEST, addresses_of(cluster), tmp_path)
        recorded = path.read_bytes()
        assert record_one(scenario, NEWEST, addresses_of(cluster), tmp_path)
    assert read(scenario, NEWEST, tmp_path)
    assert path.read_bytes() == recorded


def test_recorders_exclude_each_other(tmp_path: Path) -> None:
    descriptor = os.open(tmp_path, os.O_RDONLY)
    try:
        with no_other_writer(tmp_path), pytest.raises(BlockingIOError):
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    finally:
        os.close(descriptor)


@pytest.mark.slow
def test_writing_all_recordings_again_changes_no_byte() -> None:
    files: defaultdict[Path, dict[tuple[str, str], str]] = defaultdict(dict)
    for scenario, release in product(scenarios().values(), RELEASES):
        if scenario.applies_to(release):
            recorded = read(scenario, release)
            key = scenario.name, release.label
            files[golden.path_of(scenario)][key] = golden.written(*key, recorded)
    for path, sections in files.items():
        assert path.read_text("utf-8") == golden.joined(sections), path
