"""YAML with the place of each value, by PyYAML (extra `yaml`).

Scalars are those of YAML 1.2: `on`, `off`, `yes` and `no` are texts, and `7:30` is no number.
"""

import re
from importlib import import_module
from typing import Any, Final

from mockbroker.errors import FilePlace, ScenarioError, ScenarioProblem, install_hint
from mockbroker.scenario.located import Located, Scalar, duplicate_key

EXTRA: Final = install_hint("yaml")
_NULL: Final = frozenset({"", "~", "null", "Null", "NULL"})
_BOOLEANS: Final = {
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
}
_INTEGER: Final = re.compile(r"[-+]?\d+")
_FLOAT: Final = re.compile(r"[-+]?(\.\d+|\d+(\.\d*)?)([eE][-+]?\d+)?")
_NODES_MAX: Final = 100_000
"""Values of a document, counted as often as aliases repeat them."""


def read_yaml(text: str, file: str) -> Located:
    """Read a YAML document.

    Raises:
        ScenarioError: it is not YAML, or PyYAML is not installed.

    """
    yaml = _library(file)
    try:
        root = yaml.compose(text, Loader=yaml.SafeLoader)
        return (
            Located(None, FilePlace(file, 1, 1)) if root is None else _YamlNodes(file).located(root)
        )
    except RecursionError:
        raise ScenarioError([ScenarioProblem(FilePlace(file, 1, 1), "nested too deeply")]) from None
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        place = (
            FilePlace(file, 1, 1)
            if mark is None
            else FilePlace(file, mark.line + 1, mark.column + 1)
        )
        why = getattr(error, "problem", None) or str(error)
        raise ScenarioError([ScenarioProblem(place, f"not YAML: {why}")]) from None


def write_yaml(document: Any, file: str) -> str:
    """Write a document as YAML, its innermost collections in one line each.

    Raises:
        ScenarioError: PyYAML is not installed.

    """
    text: str = _library(file).safe_dump(
        document, sort_keys=False, allow_unicode=True, default_flow_style=None, width=100
    )
    return text


def _library(file: str) -> Any:
    try:
        return import_module("yaml")
    except ImportError:
        why = f"YAML needs PyYAML: {EXTRA}; JSON needs nothing more"
        raise ScenarioError([ScenarioProblem(FilePlace(file, 1, 1), why)]) from None


class _YamlNodes:
    """Conversion of PyYAML's nodes."""

    def __init__(self, file: str) -> None:
        self._file = file
        self._count = 0

    def located(self, node: Any) -> Located:
        place = FilePlace(self._file, node.start_mark.line + 1, node.start_mark.column + 1)
        self._count += 1
        if self._count > _NODES_MAX:
            raise ScenarioError([ScenarioProblem(place, f"more than {_NODES_MAX} values")])
        if node.id == "sequence":
            return Located([self.located(each) for each in node.value], place)
        if node.id == "mapping":
            return self._mapping(node, place)
        is_plain = node.style is None
        return Located(_scalar(node.value) if is_plain else node.value, place, node.value)

    def _mapping(self, node: Any, place: FilePlace) -> Located:
        members: dict[str, Located] = {}
        keys: dict[str, FilePlace] = {}
        for key_node, value in node.value:
            key = self.located(key_node)
            if not key.text:
                raise ScenarioError([ScenarioProblem(key.place, "a key is a text")])
            if key.text in members:
                raise duplicate_key(key.place, key.text)
            members[key.text], keys[key.text] = self.located(value), key.place
        return Located(members, place, "", keys)


def _scalar(text: str) -> Scalar:
    """Return the value of a plain scalar by the core schema of YAML 1.2."""
    if text in _NULL:
        return None
    if text in _BOOLEANS:
        return _BOOLEANS[text]
    if _INTEGER.fullmatch(text):
        return int(text)
    return float(text) if _FLOAT.fullmatch(text) else text
