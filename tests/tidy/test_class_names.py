"""A public class has its name alone: no other module has one of the same name."""

import ast
from collections import defaultdict

import pytest

from tests.tidy.repository import Sources, parsed, python, refuse, sources

# Kafka names the parts of its messages; every message has its own.
DECLARATIONS = (
    "mockbroker/protocol/messages/",
    "mockbroker/protocol/log_records/",
    "mockbroker/protocol/consumer_protocol.py",
)


def public_classes(text: str) -> list[str]:
    classes = (node for node in parsed(text).body if isinstance(node, ast.ClassDef))
    return [node.name for node in classes if not node.name.startswith("_")]


def duplicates(files: Sources) -> dict[str, list[str]]:
    """Return the modules of each public class name that several modules have."""
    places: dict[str, list[str]] = defaultdict(list)
    for path, text in python(files, "mockbroker/").items():
        for name in () if path.startswith(DECLARATIONS) else public_classes(text):
            places[name].append(path)
    return {name: paths for name, paths in places.items() if len(paths) > 1}


@pytest.mark.slow
def test_no_public_class_name_is_used_twice() -> None:
    found = duplicates(sources())
    refuse([f"{name}: {', '.join(found[name])}" for name in sorted(found)])


def test_a_name_that_is_used_twice_is_detected() -> None:
    planted = {
        "mockbroker/journal/x.py": "class Finding: pass\nclass _Own: pass\n",
        "mockbroker/audit/x.py": "class Finding: pass\nclass _Own: pass\nclass Other: pass\n",
        "mockbroker/protocol/messages/fetch.py": "class Other: pass\n",
    }
    assert duplicates(planted) == {"Finding": ["mockbroker/journal/x.py", "mockbroker/audit/x.py"]}
