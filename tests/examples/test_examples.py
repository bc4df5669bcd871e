"""The examples, run as users run them: by pytest, and by `mockbroker run` around Java and Node."""

import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import pytest

from tests.clients.support.java import compile_java, jars, java_command
from tests.clients.support.node import package
from tests.clients.support.programs import built
from tests.support.plugin import PLUGIN
from tests.tidy.repository import ROOT

EXAMPLES: Final = ROOT / "examples"
INDEX: Final = (EXAMPLES / "README.md").read_text("utf-8")
KEPT_FOR_AN_HOUR: Final = ("-c", "log.retention.ms=3600000")
WITHOUT_ASSERTION: Final = ("--no-assertions",)


def run(
    *words: str | Path, cwd: Path, **environment: str | Path
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [str(word) for word in words],
        cwd=cwd,
        env=os.environ
        | {"PYTHONPATH": str(ROOT)}
        | {name: str(value) for name, value in environment.items()},
        capture_output=True,
        text=True,
        check=False,
    )


def run_beside_a_cluster(
    options: Sequence[str], command: Sequence[str | Path], cwd: Path, **environment: str | Path
) -> None:
    """Run a program with `mockbroker run`; it checks itself."""
    words = (sys.executable, "-m", "mockbroker", "run", "-t", "orders:1", *options, "--", *command)
    done = run(*words, cwd=cwd, **environment)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.slow
@pytest.mark.parametrize("folder", ["", "stories"])
def test_the_examples_in_python_pass(folder: str, tmp_path: Path) -> None:
    files = sorted((EXAMPLES / folder).glob("test_*.py"))
    assert files
    done = run(
        sys.executable, "-m", "pytest", *PLUGIN, "-q", "-p", "no:cacheprovider",
        "--rootdir", tmp_path, *files, cwd=tmp_path,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr


def test_pytest_examples_needs_no_plugin_of_our_tests() -> None:
    ours = [word for name in ("timeout", "xdist", "randomly") for word in ("-p", f"no:{name}")]
    done = run(
        sys.executable, "-m", "pytest", "--collect-only", "-q", *ours, "-p", "no:cacheprovider",
        "examples", cwd=ROOT, PYTEST_ADDOPTS="",
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    assert "test_lost_response.py" in done.stdout


def java_classes() -> list[Path]:
    """Compile the examples in Java; give their class path."""
    sources = sorted((EXAMPLES / "java").glob("*.java"))
    libraries = jars("clients-4.4.0")

    classes = built(
        "examples-java", sources, lambda folder: compile_java(sources, libraries, folder)
    )
    return [classes, libraries / "*"]


@pytest.mark.java
@pytest.mark.slow
@pytest.mark.timeout(300)
@pytest.mark.parametrize(
    ("options", "program"),
    [
        (("--kafka", "2.8", *WITHOUT_ASSERTION), ("LateBatch", "hangs")),
        (("--kafka", "4.4"), ("LateBatch", "ends")),
        (("--kafka", "4.4", "--feature", "transaction.version=1"), ("DelayedEndTxn", "torn")),
        (("--kafka", "4.4"), ("DelayedEndTxn", "fenced")),
        (("--brokers", "3"), ("FencedZombie",)),
        (("--kafka", "2.8"), ("ExpiredId",)),
        (("--kafka", "4.4"), ("ExpiredId",)),
        (("--kafka", "2.8", *KEPT_FOR_AN_HOUR), ("IdleProducer",)),
        (WITHOUT_ASSERTION, ("FirstWriteLost",)),
        (("--kafka", "2.8", "--brokers", "3"), ("BumpAcrossFailover", "fenced")),
        (
            ("--kafka", "2.8", "--brokers", "3", "--proposal", "last-epoch"),
            ("BumpAcrossFailover", "goes on"),
        ),
        (("--kafka", "2.4", "--brokers", "2"), ("ReplicaWithoutState",)),
        (("--kafka", "4.4", "--brokers", "2"), ("ReplicaWithoutState",)),
    ],
)
def test_the_examples_in_java_pass(
    options: tuple[str, ...], program: tuple[str, ...], tmp_path: Path
) -> None:
    run_beside_a_cluster(options, java_command(java_classes(), *program), tmp_path)


@pytest.mark.node
@pytest.mark.slow
@pytest.mark.timeout(300)
def test_the_example_in_node_passes(tmp_path: Path) -> None:
    run_beside_a_cluster(
        (),
        ("node", EXAMPLES / "node" / "expired-id.js"),
        tmp_path,
        NODE_PATH=package("kafkajs") / "node_modules",
    )


def test_the_index_names_every_example() -> None:
    programs = [
        path.relative_to(EXAMPLES).as_posix()
        for kind in ("py", "java", "js", "yaml")
        for path in EXAMPLES.rglob(f"*.{kind}")
    ]
    missing = sorted(path for path in programs if f"({path})" not in INDEX)
    assert not missing
