"""Reading of scenario files: all problems of a file at once, each with its line and column."""

import re
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final, TypeVar, cast

import msgspec

from mockbroker.control.assertion_table import ASSERTIONS, find_assertion
from mockbroker.errors import FilePlace, ScenarioError, ScenarioProblem, similar_names
from mockbroker.faults.conditions import Event, FaultHits
from mockbroker.faults.documents.fault_document import (
    FaultDocument,
    FaultDocumentError,
    read_event,
    read_parts,
)
from mockbroker.scenario.actions import find_action
from mockbroker.scenario.json_text import read_json
from mockbroker.scenario.located import Located
from mockbroker.scenario.scenario import (
    ActionStep,
    ClusterDocument,
    Expectation,
    PlacedFault,
    Scenario,
    ScenarioDocument,
    WaitStep,
)
from mockbroker.scenario.yaml_text import read_yaml
from mockbroker.settings.duration import milliseconds

WAIT_FOR: Final = "wait_for"
FAULT: Final = "fault"
_UNKNOWN: Final = re.compile(r"unknown field `(?P<name>[^`]*)`")
_NO_CHOICE: Final = "Invalid enum value"
_PARTITIONS: Final = "a list has names; write numbers of partitions as an object: {orders: 3}"
_TEXTS: Final = ("kafka",)
"""Fields of the cluster whose plain scalars are texts: a release is no number."""

T = TypeVar("T")


def read_scenario(path: str | Path) -> Scenario:
    """Read a scenario file: JSON if its name ends in `.json`, else YAML.

    Raises:
        OSError: it cannot be read.
        ScenarioError: it is not valid; the error has all problems with their places.

    """
    file = str(path)
    try:
        text = Path(path).read_text(encoding="utf-8")
    except UnicodeDecodeError:
        raise ScenarioError(
            [ScenarioProblem(FilePlace(file, 1, 1), "the text is not UTF-8")]
        ) from None
    return scenario_of(text, file)


def scenario_of(text: str, file: str) -> Scenario:
    """Read the text of a scenario file.

    Raises:
        ScenarioError: it is not valid; the error has all problems with their places.

    """
    read = read_json if file.endswith(".json") else read_yaml
    reader = _Reader(read(text, file), file)
    scenario = reader.scenario()
    if reader.problems:
        raise ScenarioError(sorted(reader.problems, key=lambda each: each.place))
    return scenario


class _Reader:
    """Reader of one file, which collects problems."""

    def __init__(self, root: Located, file: str) -> None:
        self._root = root
        self._file = file
        self._fault_ids: set[str] = set()
        self.problems: list[ScenarioProblem] = []

    def scenario(self) -> Scenario:
        root = self._root
        self._check_root()
        cluster = self._cluster(root.member("cluster"))
        sections = {name: self._items(name) for name in ("faults", "steps", "expect")}
        faults = list(filter(None, map(self._fault, sections["faults"])))
        return Scenario(
            file=self._file,
            name=cast("str | None", _plain(root.member("name"))),
            cluster=cluster,
            faults=faults,
            steps=list(filter(None, map(self._step, sections["steps"]))),
            expectations=list(filter(None, map(self._expectation, sections["expect"]))),
            source=root,
        )

    def _check_root(self) -> None:
        root = self._root
        if not isinstance(root.value, dict):
            self._refuse(root.place, "a scenario is an object: cluster, faults, steps, expect")
            return
        known = ScenarioDocument.__struct_encode_fields__
        for key in root.value:
            if key not in known:
                inside = key in ClusterDocument.__struct_encode_fields__
                hint = f"; write it in `cluster`: cluster: {{{key}: ...}}" if inside else ""
                self._refuse(root.keys[key], _unknown("field", key, known) + hint)
        for name in ("$schema", "name", "about"):
            found = root.member(name)
            if found is not None and not isinstance(found.value, str):
                self._refuse(found.place, f"`{name}` is a text")

    def _items(self, name: str) -> list[Located]:
        found = self._root.member(name)
        if found is None or found.value is None:
            return []
        if not isinstance(found.value, list):
            self._refuse(found.place, f"`{name}` is a list")
            return []
        return found.value

    def _cluster(self, found: Located | None) -> ClusterDocument:
        if found is None or found.value is None:
            return ClusterDocument()
        given = found.plain()
        for name in _TEXTS:
            scalar = found.member(name)
            if scalar is not None and isinstance(scalar.value, int | float):
                given[name] = scalar.text
        with self._located(found, ClusterDocument):
            cluster = msgspec.convert(given, ClusterDocument)
            for each in cluster.topics if isinstance(cluster.topics, list) else ():
                if ":" in each:
                    self._refuse(found.place_of("$.topics"), f"{each!r}: {_PARTITIONS}")
            return cluster
        return ClusterDocument()

    def _fault(self, found: Located) -> PlacedFault | None:
        with self._located(found, FaultDocument):
            document = msgspec.convert(found.plain(), FaultDocument)
            for _, part in read_parts(document):
                until = getattr(part, "until", None)
                if isinstance(until, FaultHits) and until.name not in self._fault_ids:
                    why = _unknown(FAULT, until.name, self._fault_ids)
                    self._refuse(found.place_of("$.effect.until.fault"), why)
            if document.id in self._fault_ids:
                self._refuse(found.place_of("$.id"), f"there is a fault {document.id!r} before")
            if document.id is not None:
                self._fault_ids.add(document.id)
            return PlacedFault(document, found)
        return None

    # Steps

    def _step(self, found: Located) -> ActionStep | WaitStep | None:
        name, place, arguments = self._named(found, "an action, or wait_for")
        if name is None:
            return None
        if name == WAIT_FOR:
            return self._wait(place, arguments or found)
        try:
            action = find_action(name)
        except ValueError as error:
            self._refuse(place, str(error))
            return None
        first = action.first_argument
        given, source = _arguments(arguments, first), arguments or found
        if first is None and source is arguments and source.value is not None:
            self._refuse(source.place, f"`{name}` has no arguments")
            return None
        if name == FAULT and self._fault_of_step(source) is None:
            return None
        if name.startswith(f"{FAULT}."):
            self._check_fault_id(source, given.get(FAULT))
        with self._located(source, action.document):
            action.check(given)
            return ActionStep(place=place, action=action, arguments=given, source=source)
        return None

    def _fault_of_step(self, source: Located) -> PlacedFault | None:
        """Read a fault that a step makes, which may replace one."""
        identity = _plain(source.member("id"))
        if isinstance(identity, str):
            self._fault_ids.discard(identity)
        return self._fault(source)

    def _wait(self, place: FilePlace, source: Located) -> WaitStep | None:
        if not isinstance(source.value, dict):
            kinds = ", ".join(name for name in Event.KINDS if name)
            self._refuse(source.place, f"`wait_for` is an object with one of {kinds}")
            return None
        given = source.plain()
        timeout = given.pop("timeout", None)
        with self._located(source, None):
            timeout_ms = None if timeout is None else _checked("$.timeout", timeout)
            event = cast("Event", read_event(given))
            if isinstance(event, FaultHits):
                self._check_fault_id(source, event.name)
            return WaitStep(place=place, event=event, timeout_ms=timeout_ms)
        return None

    def _check_fault_id(self, source: Located, name: object) -> None:
        if isinstance(name, str) and name not in self._fault_ids:
            self._refuse(source.place_of(f"$.{FAULT}"), _unknown(FAULT, name, self._fault_ids))

    # Expectations

    def _expectation(self, found: Located) -> Expectation | None:
        name, place, arguments = self._named(found, "an assertion")
        if name is None:
            return None
        try:
            row = find_assertion(name)
        except ValueError:
            known = [each.removeprefix("assert_") for each in ASSERTIONS]
            self._refuse(place, _unknown("assertion", name, known))
            return None
        first = row.arguments[0].name if row.arguments else None
        given = _arguments(arguments, first)
        try:
            row.refuse_wrong(given)
        except ValueError as error:
            self._refuse((arguments or found).place, str(error))
            return None
        return Expectation(place=place, row=row, arguments=given)

    # Parts

    def _named(self, found: Located, what: str) -> tuple[str | None, FilePlace, Located | None]:
        """Split an item `name`, or `name: arguments`; without a name it is refused."""
        if isinstance(found.value, str) and found.value:
            return found.value, found.place, None
        if isinstance(found.value, dict) and len(found.value) == 1:
            ((name, arguments),) = found.value.items()
            return name, found.keys[name], arguments
        self._refuse(found.place, f"each item is {what}, with its arguments: `name: {{...}}`")
        return None, found.place, None

    def _refuse(self, place: FilePlace, why: str) -> None:
        self.problems.append(ScenarioProblem(place, why))

    @contextmanager
    def _located(self, source: Located, document: type[msgspec.Struct] | None) -> Iterator[None]:
        """Turn the errors of msgspec and of fault documents into problems."""
        try:
            yield
        except msgspec.ValidationError as error:
            why, _, path = str(error).partition(" - at `")
            path = path.rstrip("`") or "$"
            unknown = _UNKNOWN.search(why)
            if unknown is None:
                self._refuse(source.place_of(path), why + _choices_at(document, path, why))
                return
            names = _names_in(document, path)
            place = source.place_of_key(path, unknown["name"])
            self._refuse(place, _unknown("field", unknown["name"], names))
        except FaultDocumentError as error:
            unknown = _UNKNOWN.search(error.why)
            if unknown is None:
                self._refuse(source.place_of(error.path), error.why)
                return
            name = unknown["name"]
            place = source.place_of_key(error.path, name)
            self._refuse(place, _unknown("field", name, error.near))
        except ValueError as error:
            self._refuse(source.place, str(error))


def _checked(path: str, duration: Any) -> int:
    try:
        return milliseconds(duration)
    except (TypeError, ValueError) as error:
        raise FaultDocumentError(path, str(error)) from None


def _names_in(document: type[msgspec.Struct] | None, path: str) -> Collection[str]:
    """Return the names of fields at a path of a document."""
    if document is None:
        return ()
    if path == "$":
        return document.__struct_encode_fields__
    _, components = msgspec.json.schema_components([document])
    return {name for each in components.values() for name in each.get("properties", {})}


def _choices_at(document: type[msgspec.Struct] | None, path: str, why: str) -> str:
    """Return what a field of a few values may be, if the error is about it."""
    if document is None or not why.startswith(_NO_CHOICE):
        return ""
    _, components = msgspec.json.schema_components([document])
    field = path.rpartition(".")[2]
    found = [each.get("properties", {}).get(field, {}) for each in components.values()]
    choices = {
        name
        for each in found
        for variant in (each, *each.get("anyOf", ()))
        for name in variant.get("enum", ())
        if name is not None
    }
    return f": allowed are {', '.join(sorted(choices))}" if choices else ""


def _arguments(found: Located | None, first: str | None) -> dict[str, Any]:
    """Return arguments by name; a value alone is the first argument."""
    if found is None or found.value is None:
        return {}
    if isinstance(found.value, dict):
        return cast("dict[str, Any]", found.plain())
    return {} if first is None else {first: found.plain()}


def _unknown(kind: str, name: str, known: Collection[str]) -> str:
    near = [each for each in similar_names(name, known, 2) if each != name]
    hint = f"; did you mean {' or '.join(near)}?" if near else ""
    return f"there is no {kind} {name!r}{hint}"


def _plain(found: Located | None) -> object:
    return None if found is None else found.plain()
