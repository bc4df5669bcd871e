"""Scripts and recordings, from a working copy and from an archive."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from mockbroker.diff.conversations import Conversations, ConversationsError, installed, left_out
from tests.conformance import conversations
from tools.conversations import LEFT_OUT, write

FROM_ARCHIVE = """
import json, sys
from pathlib import Path
sys.path = [path for path in sys.path if not (Path(path or ".") / "tests").is_dir()]
sys.path.append(sys.argv[2])
from mockbroker.diff.conversations import installed
found = installed(archive=Path(sys.argv[1]))
release = found.releases()[0]
scenarios = found.scenarios(release)
steps = found.recorded(scenarios["fetch_order"], release)
place = Path(sys.modules["tests.conformance.talk"].__file__).parents[2].name
print(json.dumps([place, len(scenarios), len(found.releases()), len(steps), steps[0].asked]))
"""


def test_the_interface_is_implemented() -> None:
    declared = {name for name in vars(Conversations) if not name.startswith("_")}
    assert declared >= {"converse", "recorded"}
    assert declared <= set(vars(conversations))


def test_a_working_copy_has_all_scenarios() -> None:
    found = installed()
    newest = found.releases()[0]
    assert newest.label == "4.4.0"
    assert "fetch_order" in found.scenarios(newest)
    assert found.recorded(found.scenarios(newest)["fetch_order"], newest)
    assert "log" in found.walks()
    assert not left_out()


@pytest.mark.slow
def test_an_archive_has_the_scenarios_but_those_that_need_a_listener(tmp_path: Path) -> None:
    archive = tmp_path / "conversations.zip"
    assert write(archive)
    root = Path(__file__).parents[2]
    command = [sys.executable, "-c", FROM_ARCHIVE, str(archive), str(root)]
    ran = subprocess.run(command, cwd=archive.parent, check=True, capture_output=True, text=True)
    found = installed()
    newest = found.releases()[0]
    scenarios = found.scenarios(newest).values()
    expected = [each for each in scenarios if each.module.rpartition(".")[2] not in LEFT_OUT]
    steps = found.recorded(found.scenarios(newest)["fetch_order"], newest)
    assert left_out(archive) == LEFT_OUT
    assert json.loads(ran.stdout) == [
        archive.name,
        len(expected),
        len(found.releases()),
        len(steps),
        steps[0].asked,
    ]


def test_without_recordings_there_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(ConversationsError, match="no recorded conversations"):
        installed(archive=tmp_path / "none.zip", working_copy=tmp_path)
