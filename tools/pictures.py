"""Make the pictures of the documentation, in docs/pictures.

    python -m tools.pictures

`failure.svg` is what pytest prints when the failing program of README.md runs, `report.png` the
report of an audit, `overview.png` that of many findings, and `timeline.svg` a partition. They need
confluent-kafka, the extra `spark`, and Chromium on the PATH; `python -m tools.pictures overview`
makes the third, and `python -m tools.pictures timeline` the last, which needs none of them.
Times, addresses and numbers of calls vary: they are left out, or are those of a frozen clock.
"""

import os
import re
import subprocess
import sys
from dataclasses import replace
from io import StringIO
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from rich.console import Console
from rich.text import Text

from mockbroker import Cluster, JournalOptions
from mockbroker.audit.cluster.partition_view import chosen_partitions
from mockbroker.state.cluster_state import ClusterState
from mockbroker.state.topic.topic import Partition
from mockbroker.timeline.partition_timeline import partition_timeline
from mockbroker.timeline.timeline_svg import timeline_svg
from mockbroker.wire import WireProducer

ROOT: Final = Path(__file__).parents[1]
PICTURES: Final = ROOT / "docs" / "pictures"
FAILURE: Final = PICTURES / "failure.svg"
REPORT: Final = PICTURES / "report.png"
OVERVIEW: Final = PICTURES / "overview.png"
TIMELINE: Final = PICTURES / "timeline.svg"
WIDTH: Final = 122
_FROZEN_MS: Final = 1_798_761_600_000
"""Time of the first batch in the picture of a partition: 2027-01-01."""
REPORT_SIZE: Final = "920,780"
OVERVIEW_SIZE: Final = "1200,700"

_PROGRAM: Final = re.compile(r"^```python fails\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_CAPTURED: Final = re.compile(
    r"^\S*-+ Captured .*?(?=^\S*-+ mockbroker timeline)", re.MULTILINE | re.DOTALL
)
_AFTER: Final = re.compile(r"^\S*-+ mockbroker journal.*", re.MULTILINE | re.DOTALL)
_VARYING: Final = re.compile(r"(?<=object at )0x\w+|(?<=call )\d+|(?<=\+)\d+\.\d+(?=s)")
_FONTS: Final = re.compile(r" *@font-face \{.*?\}\n", re.DOTALL)
"""Rich names fonts of another site; without them, a browser takes its own."""


def failure(output: str) -> str:
    """Draw what pytest has printed, up to the timeline, as on a terminal."""
    console = Console(record=True, width=WIDTH, file=StringIO())
    text = _VARYING.sub("…", _AFTER.sub("", _CAPTURED.sub("", output)))
    console.print(Text.from_ansi(text.rstrip()))
    drawn = console.export_svg(title="pytest", unique_id="failure")
    return "".join(f"{line.rstrip()}\n" for line in _FONTS.sub("", drawn).splitlines())


def output_of_failure(folder: Path) -> str:
    """Run the failing program of README.md, and return what pytest prints."""
    ((program,),) = [_PROGRAM.findall((ROOT / "README.md").read_text("utf-8"))]
    (folder / "test_orders.py").write_text(program, "utf-8")
    options = ("-q", "--color=yes", "-p", "no:cacheprovider", "-p", "no:randomly")
    run = subprocess.run(
        [sys.executable, "-W", "ignore", "-m", "pytest", *options, "test_orders.py"],
        cwd=folder,
        env=os.environ | {"COLUMNS": str(WIDTH), "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 1, run.stdout + run.stderr
    return run.stdout


def write_journal(folder: Path) -> None:
    """Write the journal of a cluster in which a producer begins in the middle of its sequence."""
    options = JournalOptions(path=folder / "journal", format="parquet")
    with Cluster(topics={"orders": 1}, journal=options, clock="manual") as cluster:
        cluster.clock.set("2027-01-01T00:00:00Z")
        with (
            WireProducer(cluster.bootstrap_servers) as shop,
            WireProducer(cluster.bootstrap_servers) as store,
        ):
            for number, producer in enumerate((shop, store)):
                producer.init_producer_id()
                producer.produce("orders", b"order-1", b"order-2", base_sequence=3 * number)
            shop.produce("orders", b"order-3", base_sequence=2)


def write_long_journal(folder: Path) -> None:
    """Write the journal of an hour in which producers restart: some begin in the middle."""
    options = JournalOptions(path=folder / "journal", format="parquet")
    topics = {"orders": 4, "payments": 3}
    with Cluster(topics=topics, journal=options, clock="manual") as cluster:
        cluster.clock.set("2027-01-01T00:00:00Z")
        for number in range(120):
            cluster.clock.advance(f"{20 + number * number % 23}s")
            topic = "payments" if number * 7 % 5 < 2 else "orders"
            index = number * 5 % topics[topic]
            with WireProducer(cluster.bootstrap_servers) as producer:
                producer.init_producer_id()
                first = 3 if number % 11 in {1, 2, 6, 9} else 0
                producer.produce(topic, b"order", base_sequence=first, index=index)


def draw_report(folder: Path, to: Path = REPORT, size: str = REPORT_SIZE) -> None:
    """Audit the journal in a folder, and photograph the report."""
    audit = [sys.executable, "-m", "mockbroker", "audit", "journal", "--out", "report"]
    run = subprocess.run(audit, cwd=folder, capture_output=True, text=True, check=False)
    assert run.returncode == 1, run.stdout + run.stderr  # it has a finding
    subprocess.run(
        [
            *("chromium", "--headless", "--no-sandbox", "--hide-scrollbars"),
            *(f"--window-size={size}", f"--screenshot={to}"),
            (folder / "report" / "report.html").as_uri(),
        ],
        check=True,
        capture_output=True,
    )


def timeline() -> str:
    """Draw a partition with a committed, an aborted and a hanging transaction."""
    with (
        Cluster(topics={"orders": 1}, kafka="2.8") as cluster,
        WireProducer(cluster.bootstrap_servers) as shop,
        WireProducer(cluster.bootstrap_servers, "payments") as payments,
        WireProducer(cluster.bootstrap_servers, "billing") as billing,
    ):
        shop.produce("orders", b"order-1", b"order-2", base_sequence=-1)
        for producer, end in ((payments, payments.commit), (billing, billing.abort)):
            producer.init_producer_id()
            producer.add_partition("orders")
            producer.produce("orders", b"paid", base_sequence=0)
            end()
        billing.produce("orders", b"late", base_sequence=1)
        shop.produce("orders", b"order-3", base_sequence=-1)
        drawn = cluster.look(lambda state, _now_ms: partition_timeline(state, _orders(state)))
    columns = [
        column._replace(cluster_time_ms=at_ms, wall_time_ms=at_ms)
        for column, at_ms in zip(drawn.columns, count(_FROZEN_MS, 40), strict=False)
    ]
    return timeline_svg(replace(drawn, columns=tuple(columns))) + "\n"


def _orders(state: ClusterState) -> Partition:
    (partition,) = chosen_partitions(state, "orders")
    return partition


def draw_overview() -> None:
    """Photograph the top of the report of many findings."""
    with TemporaryDirectory() as made:
        write_long_journal(Path(made))
        draw_report(Path(made), OVERVIEW, OVERVIEW_SIZE)


if __name__ == "__main__":
    PICTURES.mkdir(exist_ok=True)
    if sys.argv[1:] in ([], ["timeline"]):
        TIMELINE.write_text(timeline(), "utf-8")
    if sys.argv[1:] in ([], ["overview"]):
        draw_overview()
    if not sys.argv[1:]:
        with TemporaryDirectory() as made:
            FAILURE.write_text(failure(output_of_failure(Path(made))), "utf-8")
            write_journal(Path(made))
            draw_report(Path(made))
