"""`mockbroker journal`."""

import json
import os
import signal
import subprocess
from collections.abc import Generator

import pytest

from mockbroker.cli.cluster.journal import SELECTORS
from mockbroker.http.documents.journal_view import JournalSelection
from tests.support.admin_cli import AdminCli
from tests.support.process import PATIENCE_S, command

pytestmark = pytest.mark.slow


def test_every_column_to_choose_by_is_an_option() -> None:
    assert tuple(SELECTORS) == JournalSelection.__struct_fields__


def test_entries_are_printed_once_the_journal_is_on(cli: AdminCli) -> None:
    off = "the journal is off: use `mockbroker journal on`"
    for words in (
        ("journal",),
        ("journal", "clear"),
        ("assert", "error-handled:error=NOT_COORDINATOR,as_=fatal"),
    ):
        assert cli.refusal(*words) == off
    assert cli.text("journal", "on") == "the journal is on\n"
    with cli.producer() as producer:
        producer.add_partition("orders")
    lines = cli.text("journal", "--kind", "request", "--api", "AddPartitionsToTxn").splitlines()
    assert any("AddPartitionsToTxn" in line and "orders-0" in line for line in lines)
    entries = cli.document("journal", "--limit", "1")["entries"]
    assert len(entries) == 1
    behind = cli.document("journal", "--after", "0", "--limit", "2")["entries"]
    assert [each["seq"] for each in behind] <= [1, 2]
    assert cli.text("journal", "clear") == "the journal is empty\n"
    assert cli.text("journal", "--topic", "orders") == ""
    assert cli.text("journal", "off") == "the journal is off\n"


def test_an_invalid_selector_is_refused(cli: AdminCli) -> None:
    cli.text("journal", "on")
    assert "NO_SUCH" in cli.refusal("journal", "--error", "NO_SUCH")


@pytest.fixture
def _interruptible() -> Generator[None]:
    """Let a child be interrupted also where a shell runs the tests in the background: it ignores
    SIGINT, and children inherit that."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("_interruptible")
@pytest.mark.parametrize("ending", ["interrupt", "the server stops"])
def test_new_entries_are_followed(cli: AdminCli, ending: str) -> None:
    cli.text("journal", "on")
    words = ("journal", "-f", "--json", "--kind", "clock", "--admin", cli.url)
    with subprocess.Popen(
        command(*words), stdout=subprocess.PIPE, text=True, env=os.environ | {"NO_COLOR": "1"}
    ) as process:
        assert process.stdout is not None
        # The first may have been there already; the second comes when the stream is open.
        for _ in range(2):
            cli.text("clock", "advance", "1h")
            entry = json.loads(process.stdout.readline())
            assert (entry["_v"], entry["kind"]) == (1, "clock")
        if ending == "interrupt":
            process.send_signal(signal.SIGINT)
            assert process.wait(PATIENCE_S) == 130
        else:
            cli.server.stop()
            assert process.wait(PATIENCE_S) == 0
