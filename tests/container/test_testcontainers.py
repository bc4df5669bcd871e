"""Testcontainers' unchanged modules for Kafka start the image, and clients use it."""

import re
import sys
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Final

import docker
import pytest

from tests.clients.support.java import compile_java, jars, java_command
from tests.clients.support.node import package
from tests.clients.support.programs import build_step, built, output_of
from tests.container.engine.running import running_engine
from tests.support.fenced_blocks import texts_of

pytestmark = [pytest.mark.slow, pytest.mark.container, pytest.mark.timeout(300)]

FOLDER: Final = Path(__file__).parent / "testcontainers"
Engine = Mapping[str, str]


PAGE: Final = "docs/how-to/use-with-testcontainers.md"
SHOWN: Final = {
    "java": "java/OrdersTest.java",
    "go": "go/orders_test.go",
    "javascript": "node/orders.test.js",
    "python orders.py": "python/orders.py",
}
"""By kind of a block on the page: the program that it shows."""


def run(engine: Engine, command: Sequence[str | Path]) -> str:
    """Return what a program prints that finds the engine by its variables."""
    return output_of(["env", *(f"{name}={value}" for name, value in engine.items()), *command])


def test_those_of_python(engine: Engine) -> None:
    tests = [FOLDER / "python" / name for name in ("orders.py", "zookeeper.py")]
    told = run(engine, [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *tests])
    assert "2 passed" in told


@pytest.mark.java
def test_those_of_java(engine: Engine) -> None:
    sources = sorted((FOLDER / "java").glob("*.java"))
    libraries = jars("testcontainers", FOLDER / "java")
    classes = built(
        "testcontainers-java",
        [FOLDER / "java/pom.xml", *sources],
        lambda folder: compile_java(sources, libraries, folder),
    )
    launcher = "org.junit.platform.console.ConsoleLauncher"
    options = ("execute", "--select-package=", "--disable-banner", "--details=tree")
    told = run(engine, java_command([classes, libraries / "*"], launcher, *options))
    assert "4 tests successful" in told, told


@pytest.mark.go
def test_those_of_go(engine: Engine) -> None:
    module = FOLDER / "go"

    def build(folder: Path) -> None:
        build_step(["go", "test", "-c", "-mod=readonly", "-o", folder / "tests"], folder=module)

    program = built("testcontainers-go", module.iterdir(), build) / "tests"
    assert re.search(r"^PASS$", run(engine, [program, "-test.v"]), re.MULTILINE)


@pytest.mark.node
def test_those_of_node(engine: Engine) -> None:
    folder = package("testcontainers", FOLDER / "node")
    told = run(engine, ["node", "--test", *sorted(folder.glob("*.test.js"))])
    assert "# pass 3" in told, told


@pytest.mark.parametrize("info", SHOWN)
def test_the_page_shows_the_programs_that_run(info: str) -> None:
    assert texts_of(PAGE, info) == [(FOLDER / SHOWN[info]).read_text("utf-8")]


def test_an_image_that_is_not_there_is_not_started(engine: Engine) -> None:
    client = docker.DockerClient(engine["DOCKER_HOST"])
    with pytest.raises(docker.errors.ImageNotFound, match="No such image: mokcbroker"):
        client.containers.create("mokcbroker")
    client.close()


def test_what_the_engine_does_not_do_is_refused_and_fails_the_test(tmp_path: Path) -> None:
    with ExitStack() as stack:
        engine = stack.enter_context(running_engine(tmp_path))
        client = docker.DockerClient(engine["DOCKER_HOST"])
        with pytest.raises(docker.errors.APIError, match=r"not supported.*Privileged"):
            client.containers.create("mockbroker", privileged=True)
        client.close()
        with pytest.raises(AssertionError, match=r"not supported.*/containers/create.*Privileged"):
            stack.close()
