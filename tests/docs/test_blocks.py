"""Every fenced block of the pages is executed or compared; a new one cannot be left out."""

import json
import os
import re
import tomllib
from collections.abc import Mapping
from itertools import pairwise
from typing import Final
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import pytest

from mockbroker import Cluster
from mockbroker.wire import WireProducer
from tests.docs.test_console import EXPLORING, SCENARIOS, SPARK_PAGES, TUTORIAL
from tests.docs.test_console import PAGES as CONSOLE_PAGES
from tests.docs.test_pages import PAGES
from tests.support.command_form import problems
from tests.support.fenced_blocks import (
    FencedBlock,
    all_blocks,
    blocks_of,
    conversations,
    pages_with,
    texts_of,
)
from tests.support.process import run
from tests.tidy.repository import ROOT, refuse

TESTCONTAINERS: Final = "docs/how-to/use-with-testcontainers.md"
REAL_KAFKA: Final = "asks real Kafka, which Maven downloads, for minutes"
ELSEWHERE: Final[Mapping[str, tuple[str, ...]]] = {
    "docs/how-to/add-a-release.md": (
        REAL_KAFKA,
        "reads the jars of a release, which Maven downloads",
        REAL_KAFKA,
        "replays the recordings of a release that is not finished",
        REAL_KAFKA,
        "measures clients for ten minutes",
    ),
    "docs/how-to/audit-a-journal.md": (
        "needs a topic with records; tests/spark audit topics by identity",
        "runs until it is stopped; tests/cli write journals with identities",
        "needs a table of an application's output; tests/cli compare the ids in one",
        "needs a Spark cluster",
    ),
    "docs/how-to/audit-a-real-cluster.md": (
        "needs a real cluster; tests/spark/topics find such a transaction",
        "is the file for such a cluster",
    ),
    "docs/how-to/compare-a-broker.md": (
        "asks a broker for minutes; tests/diff ask some conversations",
        REAL_KAFKA,
        "needs the modules of Go that kfake is built with",
    ),
    "docs/how-to/measure-and-trace.md": (
        "configures Prometheus",
        "exports to a collector; tests/telemetry have one",
    ),
    "docs/how-to/meet-concurrent-transactions.md": (REAL_KAFKA,),
    "docs/how-to/run-it-as-a-container.md": (
        "needs Docker; tests/container runs what the image runs",
    ),
    "docs/how-to/test-in-go.md": ("changes a reader's module; tests/packages follow the page",),
    "docs/how-to/test-in-node.md": (
        "installs into a reader's own project; tests/packages runs what is installed",
        "tests/packages runs both commands",
    ),
    TESTCONTAINERS: ("needs Docker; tests/container reads the Dockerfile instead",),
    "docs/how-to/use-the-command-line.md": ("npm stands for a reader's own tests",),
    "docs/how-to/test-in-java.md": (
        "installs into the reader's Maven repository",
        "runs Maven; tests/packages runs the same generator",
    ),
    "docs/reference/explored-clients.md": (
        "runs for a minute; tests/exploration has small ones",
        "runs for minutes; tests/exploration has one fault of the loop with kafkajs",
        "runs for minutes; tests/exploration has one fault of the loop",
        "runs for minutes; tests/exploration/test_foreach_batch.py has its two faults",
    ),
    "docs/reference/load-ledger.md": ("runs for minutes; tests/spark/load runs smaller loads",),
    "docs/reference/mutants.md": ("runs for hours",),
    "docs/reference/speed.md": ("runs for minutes, and measures the machine",),
    "examples/README.md": ("tests/examples runs the examples",),
}
"""By page: for each block with this mark, why a test cannot run it."""

COMPARED: Final[Mapping[str, str]] = {
    "README.md": "tests/docs/test_pages.py",
    "docs/ARCHITECTURE.md": "tests/docs/test_blocks.py",
    "docs/how-to/prove-that-nothing-was-lost.md": "tests/docs/test_pages.py",
    "docs/how-to/test-in-java.md": "tests/packages/test_java_package.py",
    "docs/reference/cli.md": "tests/tools/test_cli_reference.py",
    "docs/reference/client-situations.md": "tests/tools/client_situations/test_page.py",
    "docs/reference/kip-691.md": "tests/clients/test_kip_691.py",  # it is no program: a template
}
"""By page: the tests that compare its text with an output, or follow it."""

EXECUTED: Final[Mapping[str, frozenset[str]]] = {
    "python": frozenset({*PAGES, "docs/break-your-spark-job.md", "docs/prove-your-spark-job.md"}),
    "python fails": frozenset({"README.md"}),
    "console": frozenset({*CONSOLE_PAGES, *SPARK_PAGES, TUTORIAL, SCENARIOS, EXPLORING}),
    "yaml": frozenset({SCENARIOS}),
    "yaml wrong.yaml": frozenset({SCENARIOS}),
    "yaml first line": frozenset({SCENARIOS}),
    "python produce.py": frozenset({SCENARIOS}),
    "python send.py": frozenset({EXPLORING}),
    # tests/container/test_testcontainers.py compares these with the programs that it runs.
    "python orders.py": frozenset({TESTCONTAINERS}),
    # tests/packages run the pages of their languages.
    "java": frozenset({TESTCONTAINERS, "docs/how-to/test-in-java.md"}),
    "go": frozenset({TESTCONTAINERS, "docs/how-to/test-in-go.md"}),
    "javascript": frozenset({TESTCONTAINERS, "docs/how-to/test-in-node.md"}),
    "python beside lost-ack.yaml": frozenset({SCENARIOS}),
    "json": frozenset({"docs/how-to/drive-it-over-http.md"}),
    "properties": frozenset({"docs/how-to/run-it-as-a-container.md"}),
    "text": frozenset(COMPARED),
    "xml": frozenset({"docs/how-to/test-in-java.md"}),
    "{eval-rst}": frozenset(pages_with("{eval-rst}")),  # `make site` fails for an unknown name
}
"""By kind of a block: the pages whose blocks of this kind a test executes or compares."""

MARK: Final = " elsewhere"
LAYER: Final = re.compile(r"^ +((?:\w+)(?: \| \w+)*) {2,}\S", re.MULTILINE)


def left_out(blocks: tuple[FencedBlock, ...]) -> list[str]:
    """Name the blocks that no test executes, and that do not say so."""
    return [
        f"{block.path}: a block of {block.info or 'no language'} is not executed"
        for block in blocks
        if not block.info.endswith(MARK)
        if block.path not in EXECUTED.get(block.info, frozenset())
    ]


def without_reason(blocks: tuple[FencedBlock, ...]) -> list[str]:
    """Name the pages whose marked blocks are more or fewer than their reasons."""
    marked = [block.path for block in blocks if block.info.endswith(MARK)]
    return [
        f"{path}: {marked.count(path)} blocks are marked, {len(ELSEWHERE.get(path, ()))} reasons"
        for path in sorted({*marked, *ELSEWHERE})
        if marked.count(path) != len(ELSEWHERE.get(path, ()))
    ]


def test_every_block_is_executed_or_has_a_reason() -> None:
    assert len(all_blocks()) > 300
    refuse(left_out(all_blocks()) + without_reason(all_blocks()))
    assert all((ROOT / path).exists() for path in COMPARED.values())


@pytest.mark.parametrize("info", ["python", "console elsewhere", "sh", ""])
def test_a_block_of_a_new_page_is_not_left_out(info: str) -> None:
    new = tuple(blocks_of("docs/new.md", f"a\n\n```{info}\nb\n```\n"))
    assert new == (FencedBlock("docs/new.md", info, "b\n"),)
    assert left_out(new) or without_reason((*all_blocks(), *new))


def test_a_command_that_runs_elsewhere_has_targets_and_options_that_exist() -> None:
    refuse(
        [
            f"{block.path}: {line}: {problem}"
            for block in all_blocks()
            if block.info == f"console{MARK}"
            for line, _shown in conversations(block.text)
            for problem in problems(line)
        ]
    )


@pytest.mark.parametrize(
    "line",
    [
        "mockbroker serve --no-such-option",
        "mockbroker elcet orders:0",
        "docker run --rm mockbroker apis --no-such-option",
        "make no-such-target",
        "python -m tools.no_such_module",
        "python -m tests.conformance.record --no-such-option",
        "java -cp jars tools/kafka/NoSuchProgram.java",
        "pytest no_such_folder",
        "pip install '.[no-such-extra]'",
        "pip install no-such-package",
    ],
)
def test_a_command_that_does_not_exist_has_a_problem(line: str) -> None:
    assert len(problems(line)) == 1


def test_a_command_that_exists_has_no_problem() -> None:
    assert not problems("KAFKA_NUM_PARTITIONS=3 mockbroker serve -t orders:2  # in a shell")
    assert not problems("pip install '.[http,tls]' pytest aiokafka")
    assert not problems("docker run --rm -p 9092:9092 mockbroker")


def test_the_problem_in_json_is_what_the_admin_port_answers() -> None:
    ((expected,),) = [texts_of("docs/how-to/drive-it-over-http.md", "json")]
    fault = {"match": {"topc": "orders"}, "effect": {"lose_response": "after_apply"}}
    with Cluster(admin_port=0) as cluster:
        request = Request(
            f"{cluster.admin_url}/api/v1/faults",
            json.dumps(fault).encode(),
            {"Content-Type": "application/json"},
        )
        with pytest.raises(HTTPError) as refused:
            urlopen(request)
        with refused.value:
            assert json.load(refused.value) == json.loads(expected)


@pytest.mark.slow
def test_a_cluster_takes_the_settings_of_the_container(monkeypatch: pytest.MonkeyPatch) -> None:
    ((settings,),) = [texts_of("docs/how-to/run-it-as-a-container.md", "properties")]
    for line in settings.splitlines():
        monkeypatch.setenv(*line.split("=", 1))
    shown = run("config", "--show-origin", "--json")
    assert shown.returncode == 0, shown.stderr
    assert "INSIDE://kafka:29092" in shown.stdout
    assert os.environ["KAFKA_LISTENERS"] in shown.stdout


def test_the_drawing_of_the_layers_is_what_the_linter_checks() -> None:
    ((drawing,),) = [texts_of("docs/ARCHITECTURE.md", "text")]
    linter = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["importlinter"]
    height = {
        name: number
        for number, layer in enumerate(linter["contracts"][0]["layers"])
        for name in layer.split(" | ")
    }
    drawn = [found.split(" | ") for found in LAYER.findall(drawing)]
    assert {name for row in drawn for name in row} == height.keys() - {"__main__", "version"}
    for upper, lower in pairwise(drawn):
        assert max(height[name] for name in upper) < min(height[name] for name in lower)


def test_the_timeline_with_a_hanging_transaction_is_drawn_as_on_the_page() -> None:
    _, expected = texts_of("docs/how-to/prove-that-nothing-was-lost.md", "text")
    with (
        Cluster(kafka="2.8", brokers=2, topics={"orders": 1}) as cluster,
        WireProducer(cluster.bootstrap_servers, "orders-svc") as elsewhere,
        WireProducer(cluster.bootstrap_servers, "till") as shop,
        WireProducer(cluster.bootstrap_servers, "billing") as billing,
    ):
        for producer in (elsewhere, shop, billing):  # the ids of a second broker begin at 1000
            producer.init_producer_id()
        shop.add_partition("orders")
        shop.produce("orders", b"order-1", b"order-2", b"order-3", base_sequence=0)
        shop.commit()
        billing.add_partition("orders")
        billing.produce("orders", b"invoice-1", base_sequence=0)
        shop.add_partition("orders")
        shop.produce("orders", b"order-4", base_sequence=3)
        shop.abort()
        shop.produce("orders", b"order-4", base_sequence=4)
        assert cluster.lanes(width=120).startswith(expected)
