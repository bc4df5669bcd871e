"""The commands of console blocks run as they stand there, and print what is shown."""

import socket
from collections.abc import Mapping
from contextlib import closing, suppress
from pathlib import Path
from typing import Final

import pytest

from mockbroker import Cluster
from mockbroker.wire import WireProducer
from tests.support.fenced_blocks import conversations, pages_with, texts_of
from tests.support.reader_console import ReaderConsole, numbered, prints, settled

AUDIT: Final = "docs/how-to/audit-a-journal.md"
DECODING: Final = "docs/how-to/decode-a-frame.md"
SPARK_PAGES: Final = (AUDIT, "docs/how-to/use-with-spark.md")
TUTORIAL: Final = "docs/prove-your-spark-job.md"
"""test_spark_tutorial.py follows this page: its commands run its programs."""
SCENARIOS: Final = "docs/how-to/write-a-scenario.md"
"""test_scenario_page.py follows this page: its commands read its files."""
EXPLORING: Final = "docs/how-to/explore-faults.md"
"""test_explore_page.py follows this page: its commands run its program."""

PAGES: Final = [
    page
    for page in pages_with("console")
    if page not in {*SPARK_PAGES, TUTORIAL, SCENARIOS, EXPLORING}
]
OPTIONS: Final[Mapping[str, str]] = {
    AUDIT: "-t orders:3",
    "docs/how-to/compare-a-broker.md": "",
    "docs/how-to/drive-it-over-http.md": "--topic orders",
    "docs/how-to/meet-concurrent-transactions.md": "",
    "docs/how-to/script-a-fault.md": "-t orders",
    "docs/how-to/use-the-command-line.md": "--brokers 2 -t orders:2",
}
"""By page: options of the cluster that its commands find. On other pages they start it."""


def send_an_order(address: str) -> None:
    """Send a record, whose response may be lost."""
    with WireProducer(address) as producer, suppress(ConnectionError):
        producer.produce("orders", b"order-1", base_sequence=-1)


def leave_a_gap(address: str) -> None:
    """Send with two producers, one of which begins in the middle of its sequence."""
    with WireProducer(address) as first, WireProducer(address) as second:
        first.init_producer_id()
        second.init_producer_id()
        for index in range(3):
            first.produce("orders", b"order-1", index=index, base_sequence=0)
        second.produce("orders", b"order-9", base_sequence=5)


def follow(page: str, folder: Path) -> None:
    """Give all commands of a page, in order."""
    if page == DECODING:
        (folder / "answer.bin").write_bytes(answer_to_the_frame())
    meanwhile = leave_a_gap if page == AUDIT else send_an_order
    with closing(ReaderConsole(folder, OPTIONS.get(page, ""), meanwhile)) as console:
        if page in OPTIONS:
            console.serve()
        for block in texts_of(page, "console"):
            for line, shown in conversations(block):
                console.give(line, shown)


def answer_to_the_frame() -> bytes:
    """Send the request that is decoded on a page, and return the response."""
    ((command, _),) = conversations(texts_of(DECODING, "console")[0])
    with Cluster() as cluster:
        host, _, port = cluster.bootstrap_servers.partition(":")
        with socket.create_connection((host, int(port))) as connection:
            connection.sendall(bytes.fromhex(command.split('"')[1]))
            size = connection.recv(4, socket.MSG_WAITALL)
            return connection.recv(int.from_bytes(size), socket.MSG_WAITALL)


@pytest.mark.slow
@pytest.mark.parametrize("page", PAGES)
def test_every_command_of_a_page_prints_the_output_shown(page: str, tmp_path: Path) -> None:
    follow(page, tmp_path)


def test_a_console_block_is_parsed_into_commands_and_outputs() -> None:
    text = "$ a b\nc\nd\n$ e \\\n    f\n"
    assert list(conversations(text)) == [("a b", "c\nd\n"), ("e     f", "")]


def test_what_differs_from_run_to_run_is_not_compared() -> None:
    assert settled("at 127.0.0.1:9092,127.0.0.1:93  |") == "at ~,~|"
    assert numbered("1,203 events at offset 12") == "# events at offset #"


@pytest.mark.parametrize("shown", ["a b\nc\n", "a …\nc\n", "a b\n…\n", "…\n"])
def test_an_ellipsis_stands_for_what_is_left_out(shown: str) -> None:
    assert prints("a b\nc\n", shown)


@pytest.mark.parametrize("shown", ["", "a b\n", "a …\n", "b\n…\n"])
def test_another_output_is_detected(shown: str) -> None:
    assert not prints("a b\nc\n", shown)
