"""JSON schema of scenario files, for editors."""

import json
from collections.abc import Iterable, Mapping
from typing import Any, Final

import msgspec

from mockbroker.control.assertion_table import ASSERTIONS, AssertionRow, Kind
from mockbroker.faults.conditions import Event
from mockbroker.faults.documents.fault_document import complete_schemas
from mockbroker.protocol.api_keys import ApiKey
from mockbroker.scenario.actions import Action, actions
from mockbroker.scenario.reading import WAIT_FOR
from mockbroker.scenario.scenario import ScenarioDocument
from mockbroker.state.release.options import SUPPORTED_RELEASES

Schema = dict[str, Any]

_DIALECT: Final = "https://json-schema.org/draft/2020-12/schema"
_OPENAPI: Final = "#/components/schemas/"
_HERE: Final = "#/$defs/"
_KINDS: Final[Mapping[Kind, Schema]] = {
    "text": {"type": "string"},
    "integer": {"type": "integer"},
    "flag": {"type": "boolean"},
    "texts": {"type": "array", "items": {"type": "string"}},
}
_NOTHING: Final = {"type": "null"}


def scenario_schema() -> Schema:
    """Return the schema of a scenario file."""
    documents = [ScenarioDocument, *(each.document for each in actions().values())]
    _, found = msgspec.json.schema_components(documents, ref_template=_OPENAPI + "{name}")
    complete_schemas(found)
    schemas: Schema = json.loads(json.dumps(found).replace(_OPENAPI, _HERE))
    root = schemas.pop(ScenarioDocument.__name__)
    _complete_names(schemas)
    root["properties"]["steps"]["items"] = _reference("Step")
    root["properties"]["expect"]["items"] = _reference("Expectation")
    for section in root["properties"].values():
        section.pop("default", None)
    schemas["WaitFor"] = _wait_for(schemas)
    schemas["Step"] = _one_named("A step: an action, or wait_for", _steps(schemas))
    schemas["Expectation"] = _one_named("An assertion", _expectations())
    return {**root, "$schema": _DIALECT, "title": "mockbroker scenario", "$defs": schemas}


def _complete_names(schemas: Schema) -> None:
    """Add the names that editors complete; others are refused when the file is read."""
    apis = [each.title for each in ApiKey]
    schemas["Match"]["properties"]["api"]["anyOf"].insert(0, {"enum": apis})
    release = schemas["ClusterDocument"]["properties"]["kafka"]
    release["anyOf"] = [{"enum": list(SUPPORTED_RELEASES)}, *release["anyOf"], {"type": "number"}]


def _steps(schemas: Schema) -> Iterable[tuple[str, str, list[Schema]]]:
    for action in actions().values():
        yield action.name, action.about, _forms(action, schemas)
    yield WAIT_FOR, "Wait for an event of the cluster", [_reference("WaitFor")]


def _forms(action: Action, schemas: Schema) -> list[Schema]:
    """Return the forms of an action's value: its arguments, the first of them alone, or nothing."""
    forms: list[Schema] = [_reference(action.document.__name__)]
    first = action.first_argument
    properties = schemas[action.document.__name__]["properties"]
    if first is not None and "$ref" not in properties[first] and action.name != "fault":
        forms += properties[first].get("anyOf", [properties[first]])
    if not action.needs_arguments and _NOTHING not in forms:
        forms.append(_NOTHING)
    return forms


def _wait_for(schemas: Schema) -> Schema:
    """Return the schema of a wait: an event, and a timeout."""
    timeout = {
        "description": "Time after which the step fails; default: when the scenario ends.",
        "type": ["string", "integer"],
    }
    kinds = [schemas[kind.__name__] for name, kind in Event.KINDS.items() if name]
    forms = [{**kind, "properties": {**kind["properties"], "timeout": timeout}} for kind in kinds]
    return {"title": "WaitFor", "description": "An event to wait for.", "oneOf": forms}


def _expectations() -> Iterable[tuple[str, str, list[Schema]]]:
    for row in ASSERTIONS.values():
        for name in dict.fromkeys((row.word.replace("-", "_"), row.word)):
            yield name, _sentence(row.about), _arguments(row)


def _arguments(row: AssertionRow) -> list[Schema]:
    form: Schema = {
        "type": "object",
        "properties": {
            each.name: {"description": _sentence(each.about), **_KINDS[each.kind]}
            for each in row.arguments
        },
        "required": [each.name for each in row.arguments if each.is_required],
        "additionalProperties": False,
    }
    forms = [form]
    if row.arguments:
        forms.append(_KINDS[row.arguments[0].kind])
    return forms if row.needs_arguments else [*forms, _NOTHING]


def _one_named(about: str, rows: Iterable[tuple[str, str, list[Schema]]]) -> Schema:
    """Return the schema of an item that is a name, or a name with arguments."""
    listed = list(rows)
    alone = [name for name, _, forms in listed if _NOTHING in forms]
    properties = {
        name: {"description": text, **(forms[0] if len(forms) == 1 else {"anyOf": forms})}
        for name, text, forms in listed
    }
    named = {
        "type": "object",
        "properties": properties,
        "additionalProperties": False,
        "minProperties": 1,
        "maxProperties": 1,
    }
    return {"description": about, "anyOf": [{"enum": alone}, named]}


def _reference(name: str) -> Schema:
    return {"$ref": _HERE + name}


def _sentence(text: str) -> str:
    return f"{text[0].upper()}{text[1:]}."
