"""Nothing in the repository knows the machine or the mirrors that it was made with."""

import re

import pytest

from tests.tidy.repository import Sources, refuse, sources

MACHINE_PATHS = (r"/work/", r"/root/", r"/home/\w", r"/Users/\w", r"/opt/wheels", r"\.\./shared")
# Written apart, so that this file does not name them.
REGISTRY_HOSTS = tuple(
    re.escape(".".join(parts))
    for parts in [
        ("pypi", "org"),
        ("pythonhosted", "org"),
        ("registry", "npmjs", "org"),
        ("registry", "yarnpkg", "com"),
        ("proxy", "golang", "org"),
        ("sum", "golang", "org"),
        ("crates", "io"),
        ("repo1", "maven", "org"),
        ("repo", "maven", "apache", "org"),
        ("repository", "apache", "org"),
        ("deb", "debian", "org"),
    ]
)
PLACE = re.compile("|".join([*(rf"(?<![\w./-]){path}" for path in MACHINE_PATHS), *REGISTRY_HOSTS]))
FIXED_PARTS = [
    part.replace(r"\w", "").replace("\\", "") for part in (*MACHINE_PATHS, *REGISTRY_HOSTS)
]
"""What each of these places has in it: recordings are long, and this is found quickly."""
THIS_FILE = "tests/tidy/test_places.py"


def named_places(files: Sources) -> list[str]:
    return [
        f"{path}:{number}: {found.group()}"
        for path, text in files.items()
        if path != THIS_FILE and any(part in text for part in FIXED_PARTS)
        for number, line in enumerate(text.splitlines(), 1)
        if (found := PLACE.search(line))
    ]


@pytest.mark.slow
def test_no_file_names_a_machine_path_or_a_registry() -> None:
    refuse(named_places(sources()))


@pytest.mark.parametrize(
    "line",
    [
        'PATH = "/work/main"',
        "see ../shared/facts",
        "cd /home/me/src",
        "url = https://pypi" + ".org/simple",
        '"resolved": "https://registry.npmjs' + '.org/x"',
    ],
)
def test_a_named_place_is_detected(line: str) -> None:
    assert len(named_places({"docs/a.md": f"\n{line}\n"})) == 1


def test_ordinary_paths_and_names_are_allowed() -> None:
    assert not named_places({"a.md": "docs/work/x, network/root/y, ./work/, /tmp/x, go.mod\n"})
