"""Folders are small enough to be read as a list, and the tests' folders follow the source's."""

from collections import Counter
from pathlib import PurePosixPath

import pytest

from tests.tidy.repository import Sources, python, refuse, sources

TOP_MODULES_MAX = 8
FOLDER_MODULES_MAX = 16
"""Modules of a package beside its `__init__.py`."""
ONE_FILE_PER_API = {"mockbroker/broker/handlers", "mockbroker/protocol/messages"}
BESIDE_THE_TREE = {
    "bench",
    "clients",
    "conformance",
    "container",
    "docs",
    "examples",
    "facts",
    "model",
    "packages",
    "robustness",
    "simulation",
    "support",
    "tidy",
    "tools",
    "types",
}
"""Folders of tests that mirror no package."""
RECORDINGS = "golden"


def crowded_folders(files: Sources) -> list[str]:
    counts = Counter(
        str(PurePosixPath(path).parent)
        for path in python(files, "mockbroker/")
        if PurePosixPath(path).parent.name == "mockbroker" or not path.endswith("__init__.py")
    )
    return [
        f"{folder}: {count} modules"
        for folder, count in counts.items()
        if folder not in ONE_FILE_PER_API
        and count > (TOP_MODULES_MAX if folder == "mockbroker" else FOLDER_MODULES_MAX)
    ]


def orphaned_folders(files: Sources) -> list[str]:
    """Return the folders of tests that have the name of no package."""
    packages = {str(PurePosixPath(path).parent) for path in python(files, "mockbroker/")}
    folders = {PurePosixPath(path).parent for path in files if path.startswith("tests/")}
    return sorted(
        str(folder)
        for folder in folders
        if folder.parts[1:]
        and folder.parts[1] not in BESIDE_THE_TREE
        and RECORDINGS not in folder.parts
        and "/".join(("mockbroker", *folder.parts[1:])) not in packages
    )


def test_no_folder_is_crowded() -> None:
    refuse(crowded_folders(sources()))


def test_every_folder_of_tests_is_named_after_a_package() -> None:
    refuse(orphaned_folders(sources()))


@pytest.mark.parametrize(("folder", "most"), [("mockbroker", 8), ("mockbroker/state/log", 16)])
def test_one_module_too_many_is_detected(folder: str, most: int) -> None:
    full = {f"{folder}/m{n}.py": "" for n in range(most)}
    assert not crowded_folders(full)
    assert crowded_folders({**full, f"{folder}/more.py": ""}) == [f"{folder}: {most + 1} modules"]


def test_a_folder_of_tests_without_a_package_is_detected() -> None:
    planted = {
        "mockbroker/state/log/a.py": "",
        "tests/state/log/test_a.py": "",
        "tests/state/log/golden/a.json": "",
        "tests/conformance/scenarios/a.py": "",
        "tests/test_cluster.py": "",
    }
    assert not orphaned_folders(planted)
    assert orphaned_folders({**planted, "tests/service/test_a.py": ""}) == ["tests/service"]
