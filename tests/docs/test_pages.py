"""The programs of the documentation run as they stand there."""

import ast
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Final
from xml.etree import ElementTree as ET

import pytest

from tests.support.fenced_blocks import texts_of
from tests.support.plugin import PLUGIN
from tests.tidy.repository import ROOT

READERS_HAVE: Final = {
    *("mockbroker", "msgspec", "confluent_kafka", "kafka", "aiokafka", "pytest"),
    *("jwt", "cryptography"),  # with the extra `jwt`
    "opentelemetry",  # with the extra `otel`
    "pyspark",  # with the extra `spark`
    "anyio",  # for the page about async tests
}
FAILING: Final = re.compile(
    r"^```python fails\n(.*?)^```$.*?^```text\n(.*?)^```$", re.MULTILINE | re.DOTALL
)
"""Program that fails, and some lines of its message."""
BLOCK: Final = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)
EXPECTED: Final = re.compile(r"^    with pytest\.raises\(.*\):\n    (    .*\n)", re.MULTILINE)
"""Line of a program that is expected to fail."""
CALL: Final = re.compile(r"call \d+")
"""Number of a call: a client may ask for metadata once more."""
PROOF: Final = "docs/how-to/prove-that-nothing-was-lost.md"
BAD: Final = {"error", "failure", "skipped"}
PAGES: Final = ("README.md", "docs/tutorial.md", *sorted(
    str(page.relative_to(ROOT))
    for folder in ("docs/how-to", "docs/stories")
    for page in (ROOT / folder).glob("*.md")
    if "\n```python\n" in page.read_text("utf-8")
))  # fmt: skip


def python_blocks(text: str) -> list[str]:
    """Give the Python programs of a text in Markdown."""
    return BLOCK.findall(text)


def run_python(*words: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    """Run this Python in a folder that is not the repository."""
    return subprocess.run(
        [sys.executable, "-m", *words],
        cwd=cwd,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.fixture(scope="module")
def outcomes(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[str]]:
    """Run the programs of all pages in one test run, each in a folder of its page.

    By page: for each test that has run, nothing, or why it failed.
    """
    folder = tmp_path_factory.mktemp("pages")
    for page in PAGES:
        (folder / folder_of(page)).mkdir()
        for number, block in enumerate(python_blocks((ROOT / page).read_text("utf-8"))):
            (folder / folder_of(page) / f"test_block_{number}.py").write_text(block, "utf-8")
    report = folder / "report.xml"
    options = ("-q", "-p", "no:cacheprovider", "-p", "no:randomly", "--import-mode=importlib")
    run = run_python(
        "pytest", *PLUGIN, *options, f"--junitxml={report}", "--rootdir=.", ".", cwd=folder
    )
    assert report.exists(), run.stdout + run.stderr
    told: dict[str, list[str]] = {page: [] for page in PAGES}
    page_of = {folder_of(page): page for page in PAGES}
    for case in ET.parse(report).iter("testcase"):
        where = case.get("classname") or case.get("name") or ""
        told[page_of[where.partition(".")[0]]].append(
            "".join(each.text or each.attrib["message"] for each in case if each.tag in BAD)
        )
    return told


def folder_of(page: str) -> str:
    """Name the folder of a page, so that Python can import from there."""
    return re.sub(r"\W", "_", page)


@pytest.mark.slow
@pytest.mark.timeout(600)  # the first one runs them all; one starts a Spark of its own
@pytest.mark.parametrize("page", PAGES)
def test_every_program_of_a_page_passes(page: str, outcomes: dict[str, list[str]]) -> None:
    assert outcomes[page]
    failed = "\n".join(filter(None, outcomes[page]))
    assert not failed, failed


@pytest.mark.slow
def test_the_failing_program_of_the_readme_fails_with_its_drawing(tmp_path: Path) -> None:
    ((program, drawing),) = FAILING.findall((ROOT / "README.md").read_text("utf-8"))
    (tmp_path / "test_fails.py").write_text(program, "utf-8")
    run = run_python("pytest", *PLUGIN, "-q", "-p", "no:cacheprovider", str(tmp_path), cwd=tmp_path)
    assert run.returncode == pytest.ExitCode.TESTS_FAILED, run.stdout + run.stderr
    assert [line for line in drawing.splitlines() if line not in run.stdout] == []


@pytest.mark.slow
def test_without_what_expects_it_an_assertion_fails_with_the_message_on_its_page(
    tmp_path: Path,
) -> None:
    program, removed = EXPECTED.subn(r"\1", texts_of(PROOF, "python")[0])
    message = texts_of(PROOF, "text")[0]
    assert removed == 1
    (tmp_path / "test_fails.py").write_text(program, "utf-8")
    run = run_python("pytest", *PLUGIN, "-q", "-p", "no:cacheprovider", str(tmp_path), cwd=tmp_path)
    assert run.returncode == pytest.ExitCode.TESTS_FAILED, run.stdout + run.stderr
    # A number of a call with more digits wraps a line elsewhere.
    told = re.sub(r"^E\b", "", run.stdout, flags=re.MULTILINE)
    printed, *paragraphs = (
        " ".join(CALL.sub("call #", text).split()) for text in (told, *message.split("\n\n"))
    )
    assert [paragraph for paragraph in paragraphs if paragraph not in printed] == []


@pytest.mark.parametrize("page", PAGES)
def test_a_program_imports_only_what_a_reader_has(page: str) -> None:
    for block in python_blocks((ROOT / page).read_text("utf-8")):
        assert imported(block) <= READERS_HAVE | sys.stdlib_module_names


def imported(program: str) -> set[str]:
    """Name the packages that a program imports."""
    names: set[str] = set()
    for node in ast.walk(ast.parse(program)):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            names.add(node.module or ".")
    return {name.partition(".")[0] for name in names}


def test_a_packages_name_is_found_in_every_form_of_import() -> None:
    assert imported("import a.b, c\nfrom d.e import f\nfrom . import g\n") == {"a", "c", "d", ""}


def test_a_program_is_found_between_its_fences() -> None:
    text = "a\n```python\nx = 1\n```\nb\n```console\n$ y\n```\n```python\nz\n```\n"
    assert python_blocks(text) == ["x = 1\n", "z\n"]
