"""Test runs of their own with the plugin, for tests of it."""

from typing import Final

import pytest

BY_NAME: Final = ("-p", "mockbroker.pytest_plugin", "-p", "no:cacheprovider")
"""The only plugin of these runs: the others take a second to import, and none is the subject."""


def run(pytester: pytest.Pytester, *arguments: str) -> pytest.RunResult:
    """Run the files of a pytester in a process, without any plugin that is not asked for."""
    with pytest.MonkeyPatch.context() as environment:
        environment.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
        return pytester.runpytest_subprocess(*BY_NAME, "-q", *arguments)
