"""Exploration of a test of pytest, which has the marker `mockbroker_explore`."""

from collections.abc import Mapping
from inspect import iscoroutinefunction
from pathlib import Path
from typing import Any, Final, Protocol

from mockbroker.control.assertions.failure_report import file_name
from mockbroker.control.cluster_handle import ClusterHandle
from mockbroker.control.cluster_options import ClusterOptions
from mockbroker.exploration.exploration import explore

_FIXTURE: Final = "mockbroker"
_REPORT: Final = "mockbroker_report"


class Config(Protocol):
    """Part of pytest's configuration that is read."""

    def getoption(self, name: str, default: Any = None) -> Any:
        """Return the value of an option of the command line."""
        ...


class TestMarker(Protocol):
    """A marker of a test."""

    args: tuple[Any, ...]
    kwargs: Mapping[str, Any]


class ExploredTest(Protocol):
    """Parts of pytest's test item that are used."""

    obj: Any
    """The function."""
    funcargs: dict[str, Any]
    """The values of its fixtures, by name."""
    nodeid: str
    config: Config


def explore_test(test: ExploredTest, options: ClusterOptions | None, marker: TestMarker) -> None:
    """Run a test without faults, then once for each experiment, each time with a new cluster.

    Raises:
        AssertionError: an experiment failed, or none was done.
        TypeError: the test cannot be explored, or the marker has wrong arguments.
        ValueError: an argument of the marker is wrong.

    """
    __tracebackhide__ = True
    if marker.args:
        raise TypeError(f"@pytest.mark.mockbroker_explore takes keywords only, not {marker.args!r}")
    if options is None or _FIXTURE not in test.funcargs:
        raise TypeError("@pytest.mark.mockbroker_explore needs a test with the fixture mockbroker")
    if iscoroutinefunction(test.obj):
        raise TypeError("@pytest.mark.mockbroker_explore cannot run an async test")
    names = test.obj.__code__.co_varnames[: test.obj.__code__.co_argcount]
    given = {name: test.funcargs[name] for name in names if name in test.funcargs}

    def program(cluster: ClusterHandle) -> None:
        test.obj(**{**given, _FIXTURE: cluster})

    report = explore(program, **{**options.as_arguments(), "journal": None, **marker.kwargs})
    if folder := test.config.getoption(_REPORT, None):
        report.write(Path(folder) / Path(file_name(test.nodeid)).stem)
    report.assert_survived()
