"""Setup of every run: tests that need other tools, no skips in CI, and repeatable examples."""

import gc
import os
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Collection, Generator, Iterable
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Final

import pytest
from hypothesis import settings
from xdist.remote import Producer
from xdist.scheduler import LoadFileScheduling

from tests.support.chromium import CHROMIUM
from tests.support.logged import Logged
from tests.support.rewriting import compile_in_turn
from tools.compilation import stale_modules

IN_CI: Final = os.environ.get("CI", "").lower() in {"1", "true"}

PYENV: Final = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv"))
CONTAINER: Final = "container"
PROGRAMS: Final[dict[str, tuple[str, ...]]] = {
    "browser": () if CHROMIUM else ("chromium",),
    "java": ("java", "javac", "mvn"),
    "go": ("go",),
    "node": ("node", "npm"),
    "spark": ("java", "mvn"),
    "kafka": ("java", "mvn"),
    "python310": () if any(PYENV.glob("versions/3.10.*/bin/python")) else ("python3.10",),
    CONTAINER: ("unshare", "nsenter", "ip"),
    "kcat": () if shutil.which("kcat") else ("apt-get", "dpkg-deb"),
}
PACKAGES: Final[dict[str, tuple[str, ...]]] = {"spark": ("pyspark",)}
SPARK: Final = "spark"
TIDY: Final = "tests/tidy/"
SEPARATE: Final = (
    "tests/examples/test_examples.py",
    "tests/robustness/test_spoiled_frames.py",
    "tests/robustness/test_spoiled_tls.py",
    "tests/simulation/test_planted_bugs.py",
    "tests/simulation/test_simulations.py",
)
"""Files whose tests take seconds each and share nothing: any process may run any of them."""
GROUPS: Final = (
    "browser",
    "java",
    "go",
    "node",
    "spark",
    "kafka",
    "kcat",
    CONTAINER,
    "python310",
    "slow",
)
"""The markers whose tests' time CI shows; a test with several of them counts for each."""
SLOWEST_SHOWN: Final = 40

# The gate is repeatable: the same examples each time. `HYPOTHESIS_PROFILE=explore` draws new ones.
settings.register_profile("gate", derandomize=True, deadline=None)
settings.register_profile("explore", max_examples=2_000, deadline=None, print_blob=True)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "gate"))


pytest_plugins = ("tests.support.closed_clients",)


@pytest.fixture
def logged(monkeypatch: pytest.MonkeyPatch) -> Logged:
    """Record the log events of a test."""
    recorder = Logged()
    recorder.watch(monkeypatch)
    return recorder


def missing_for(markers: Collection[str]) -> list[str]:
    """Return the missing tools of each of these markers."""
    missing = {
        f"{name} is not on the PATH"
        for marker in markers
        for name in PROGRAMS.get(marker, ())
        if shutil.which(name) is None
    } | {
        f"{name} is not installed"
        for marker in markers
        for name in PACKAGES.get(marker, ())
        if find_spec(name) is None
    }
    if CONTAINER in markers and os.geteuid() != 0:
        missing.add("containers need root's rights")
    return sorted(missing)


@pytest.hookimpl(wrapper=True)
def pytest_collection(session: pytest.Session) -> Generator[None, object, object]:
    """Collect without garbage collections: they take a quarter of the time, and find nothing."""
    gc.disable()
    try:
        if "PYTEST_XDIST_WORKER" in os.environ and not sys.dont_write_bytecode:
            compile_in_turn(session.config)
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


def pytest_report_header() -> list[str]:
    """Say at once what cannot be tested here."""
    return ["containers are not tested: the kernel refuses overlays"] if refuses_overlays() else []


@cache
def refuses_overlays() -> bool:
    """Tell whether the kernel below a sandbox refuses overlays to root.

    No tool that could be installed would change it, so that it is no reason to fail in CI.
    """
    if missing_for({CONTAINER}):
        return False
    with tempfile.TemporaryDirectory() as folder:
        for name in ("upper", "work", "root"):
            Path(folder, name).mkdir()
        layers = f"lowerdir=/,upperdir={folder}/upper,workdir={folder}/work"
        mount = ["mount", "-t", "overlay", "overlay", "-o", layers, f"{folder}/root"]
        words = ["unshare", "--mount", "--net", "--pid", "--fork", *mount]
        return subprocess.run(words, capture_output=True, check=False).returncode != 0


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Skip what needs a tool that is not here; order what several processes share."""
    contained = [item for item in items if item.get_closest_marker(CONTAINER)]
    if contained and refuses_overlays():
        config.hook.pytest_deselected(items=contained)
        items[:] = [item for item in items if item not in contained]
    for item in items:
        if missing := missing_for({marker.name for marker in item.iter_markers()}):
            item.add_marker(pytest.mark.skip(reason=", ".join(missing)))
    if "PYTEST_XDIST_WORKER" in os.environ:
        sizes: Counter[str] = Counter()
        for item in items:
            scope = scope_of(item.nodeid)
            markers = {mark.name for mark in item.iter_markers()}
            sizes[scope] += weight_of(markers, is_separate=scope == item.nodeid)
        items.sort(key=lambda item: (scope_of(item.nodeid) != SPARK, -sizes[scope_of(item.nodeid)]))


def weight_of(markers: set[str], *, is_separate: bool) -> int:
    """Guess how long a test takes: what takes long begins early, so that no process ends late."""
    if is_separate:
        return 100
    if markers & PROGRAMS.keys():
        return 30
    return 10 if "slow" in markers else 1


@cache
def uses_spark(file_name: str) -> bool:
    """Tell whether a file's tests want the session of PySpark."""
    return "pytest.mark.spark" in Path(file_name).read_text("utf-8")


def scope_of(node_id: str) -> str:
    """Return what one process runs in one piece: a file's tests, or those of several that share.

    A session of PySpark takes long to start, and there is one in a process: so it is one process
    that has it, and that begins with it. Two at once need as long, since the processors are busy
    already, and more memory. Rules of style read the same sources, and parse them.
    """
    file_name = node_id.split("::", 1)[0]
    if file_name in SEPARATE:
        return node_id
    if file_name.startswith(TIDY):
        return TIDY
    return SPARK if uses_spark(file_name) else file_name


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Producer) -> LoadFileScheduling | None:
    """Share out tests by file, those with PySpark together (`--no-loadscope-reorder`)."""
    if config.getoption("dist") != "loadfile":
        return None
    return _SparkTogether(config, log)


class _SparkTogether(LoadFileScheduling):  # type: ignore[misc] # xdist carries no types
    def _split_scope(self, nodeid: str) -> str:
        return scope_of(nodeid)


def refuse_skip(report: pytest.TestReport | pytest.CollectReport) -> None:
    """Turn a skip into a failure in CI; an expected failure is reported as a skip but is none."""
    if IN_CI and report.skipped and not hasattr(report, "wasxfail"):
        reason = report.longrepr[2] if isinstance(report.longrepr, tuple) else report.longrepr
        report.outcome = "failed"
        report.longrepr = f"{report.nodeid}: in CI nothing is skipped. {reason}"


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport() -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Refuse skipped tests in CI."""
    report = yield
    refuse_skip(report)
    return report


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report() -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
    """Refuse modules that skip themselves in CI."""
    report = yield
    refuse_skip(report)
    return report


@pytest.hookimpl(tryfirst=True)
def pytest_configure(config: pytest.Config) -> None:
    """Refuse outdated native code; show the slowest tests in CI, unless options say otherwise."""
    if stale := stale_modules():
        raise pytest.UsageError(f"older than its source: {stale[0]} (run `make compile`)")
    if IN_CI and config.option.durations is None:
        config.option.durations = SLOWEST_SHOWN


def seconds_by_marker(reports: Iterable[pytest.TestReport]) -> dict[str, float]:
    """Add up setup, call and teardown of the tests of each marker, the longest first."""
    seconds: dict[str, float] = {}
    for report in reports:
        for group in [name for name in GROUPS if name in report.keywords] or ["none"]:
            seconds[group] = seconds.get(group, 0.0) + report.duration
    return dict(sorted(seconds.items(), key=lambda item: -item[1]))


def write_skips(terminalreporter: pytest.TerminalReporter) -> None:
    """Say once per reason what was skipped, and how much of it."""
    reports: list[pytest.TestReport] = terminalreporter.getreports("skipped")
    reasons = Counter(
        report.longrepr[2].removeprefix("Skipped: ")
        for report in reports
        if isinstance(report.longrepr, tuple)
    )
    for reason, count in sorted(reasons.items()):
        terminalreporter.write_line(f"skipped {count} test{'s' * (count > 1)}: {reason}")


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Say what was skipped, and in CI how long the tests of each marker took."""
    write_skips(terminalreporter)
    if IN_CI:
        reports = [
            report
            for reports in terminalreporter.stats.values()
            for report in reports
            if isinstance(report, pytest.TestReport)
        ]
        terminalreporter.section("seconds by marker")
        for marker, seconds in seconds_by_marker(reports).items():
            terminalreporter.write_line(f"{seconds:8.1f} s  {marker}")
