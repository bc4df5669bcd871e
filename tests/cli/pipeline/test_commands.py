"""The pipeline's commands: each is there, and says what it does without starting Spark."""

import pytest
from click.testing import CliRunner

from mockbroker.cli.pipeline.commands import COMMANDS, commands


@pytest.mark.parametrize("name", COMMANDS)
def test_a_command_explains_itself(name: str) -> None:
    answer = CliRunner().invoke(commands, [name, "-h"])
    assert answer.exit_code == 0, answer.output
    assert "Usage:" in answer.output


def test_help_lists_the_commands() -> None:
    answer = CliRunner().invoke(commands, ["--help"])
    assert all(f"\n  {name}" in answer.output for name in COMMANDS)
