"""Options of `mockbroker diff`, and the commands that it prints."""

import pytest

from mockbroker.cli import diff as module
from mockbroker.cli.command_answer import CommandError
from mockbroker.cli.diff import DiffOptions, diff
from mockbroker.diff.conversations import Conversations, ConversationsError


def test_a_reproduction_has_the_options_that_matter() -> None:
    plain = DiffOptions(against="h:1")
    assert plain.reproduction == "mockbroker diff --against h:1 --kafka 4.4"
    assumed = DiffOptions(against="h:1", kafka="2.8", assume=["a=b c"])
    assert assumed.reproduction == "mockbroker diff --against h:1 --kafka 2.8 --assume 'a=b c'"
    walk = DiffOptions(against="h:1", walk="log", seed=7)
    assert walk.reproduction == "mockbroker diff --against h:1 --kafka 4.4 --walk log --seed 7"


def test_an_installation_without_recordings_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing() -> Conversations:
        raise ConversationsError("this installation has no recorded conversations")

    monkeypatch.setattr(module, "installed", missing)
    with pytest.raises(CommandError, match="no recorded conversations") as caught:
        diff(DiffOptions(against="h:1"))
    assert caught.value.exit_code == 2
