"""Errors of settings, of recordings, and of packages that are missing."""

import tomllib

import pytest
from packaging.requirements import Requirement

from mockbroker.errors import EXTRAS, NotRecordedError, SettingsError, install_hint
from tests.tidy.repository import ROOT


def test_a_settings_error_has_the_setting_and_the_reason() -> None:
    error = SettingsError("--port", "-1", "allowed are 0 to 65535")
    assert str(error) == "--port=-1: allowed are 0 to 65535"
    assert (error.key, error.value, error.why) == ("--port", "-1", "allowed are 0 to 65535")
    assert isinstance(error, ValueError)


def test_an_error_of_a_recording_names_the_command_that_helps() -> None:
    error = NotRecordedError("the journal is off: journal.start()", "mockbroker journal on")
    assert (str(error), error.command) == (
        "the journal is off: journal.start()",
        "mockbroker journal on",
    )
    assert isinstance(error, RuntimeError)


@pytest.mark.parametrize("extra", EXTRAS)
def test_the_packages_of_an_extra_are_those_of_the_project(extra: str) -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    assert list(EXTRAS[extra]) == project["optional-dependencies"][extra]


def test_the_hint_to_install_an_extra_needs_no_index_that_has_mockbroker() -> None:
    assert install_hint("tls") == "pip install 'cryptography>=44' (extra `tls`)"
    for extra in EXTRAS:
        assert all(Requirement(each).name != "mockbroker" for each in EXTRAS[extra])
