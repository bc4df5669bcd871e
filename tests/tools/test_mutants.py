"""The score of the mutants."""

import io
import tomllib
from pathlib import Path

import pytest

from tools import mutants

ROOT = Path(__file__).parents[2]
PRODUCER, TRANSACTION, PRODUCE = mutants.PACKAGES


def printed(package: str, **statuses: int) -> str:
    """Return what mutmut prints for so many mutants of each status."""
    names = [name.replace("_", " ") for name, count in statuses.items() for _ in range(count)]
    return "".join(
        f"    {package}.module.x_function__mutmut_{number}: {name}\n"
        for number, name in enumerate(names, 1)
    )


def run(monkeypatch: pytest.MonkeyPatch, text: str) -> int:
    monkeypatch.setattr("sys.stdin", io.StringIO(text))
    return mutants.main()


def test_the_packages_are_those_that_mutmut_mutates() -> None:
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["mutmut"]
    mutated = {path.removesuffix("/*.py").replace("/", ".") for path in settings["only_mutate"]}
    assert mutated == set(mutants.PACKAGES)


def test_a_score_counts_what_was_killed_or_ran_into_its_time_limit() -> None:
    text = printed(PRODUCER, killed=17, timeout=2, survived=1)
    counts = mutants.counted(mutants.results(text.splitlines()))
    assert mutants.score(counts[PRODUCER]) == 95
    assert f"| `{PRODUCER}` | 20 | 17 | 2 | 1 | 0 | 95.0 % |" in mutants.table(counts)


def test_a_mutant_that_no_test_reaches_lowers_the_score() -> None:
    text = printed(PRODUCER, killed=3, no_tests=1)
    assert mutants.score(mutants.counted(mutants.results(text.splitlines()))[PRODUCER]) == 75


@pytest.mark.parametrize("status", ["not_checked", "suspicious", "segfault"])
def test_a_package_has_no_score_until_all_of_its_mutants_have_run(status: str) -> None:
    text = printed(PRODUCER, killed=9, **{status: 1})
    counts = mutants.counted(mutants.results(text.splitlines()))
    assert mutants.score(counts[PRODUCER]) is None
    assert mutants.score(counts[PRODUCE]) is None
    assert f"| `{PRODUCER}` | 10 | 9 | 0 | 0 | 0 | – |" in mutants.table(counts)


def test_mutants_of_a_folder_count_for_their_package() -> None:
    text = printed(f"{PRODUCE}.fast_path", killed=1) + printed(PRODUCE, killed=1)
    assert mutants.counted(mutants.results(text.splitlines()))[PRODUCE].total() == 2


@pytest.mark.parametrize(("survived", "exit_code"), [(10, 0), (11, 1)])
def test_a_score_below_the_target_fails(
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    survived: int,
    exit_code: int,
) -> None:
    text = "mutmut says something else\n" + printed(
        TRANSACTION, survived=survived, killed=100 - survived
    )
    assert run(monkeypatch, text) == exit_code
    out, err = capsys.readouterr()
    assert out.startswith(f"survived: {TRANSACTION}.module.x_function__mutmut_1\n")
    assert err.startswith(f"{TRANSACTION}: the score is below 90 %") is bool(exit_code)
