"""Write docs/reference/scenario.md and its JSON schema from the table of actions.

python -m tools.scenario_reference
"""

import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final

import msgspec

from mockbroker.control.assertion_table import ASSERTIONS
from mockbroker.faults.conditions import Event
from mockbroker.faults.tagged import details
from mockbroker.scenario.actions import Action, actions
from mockbroker.scenario.scenario import ClusterDocument
from mockbroker.scenario.schema import scenario_schema
from tools.paragraph import paragraph

FOLDER: Final = Path(__file__).parents[1] / "docs" / "reference"
PAGE: Final = FOLDER / "scenario.md"
SCHEMA: Final = FOLDER / "scenario.schema.json"

_HEAD: Final = """\
# Scenario files

<!-- Made by `make docs` (tools/scenario_reference.py) from the code. -->

**You want it when** you write a scenario file and look for a field, an action or an argument.
[How to write a scenario](../how-to/write-a-scenario.md) has examples.
**It needs** the extra `yaml` for files in YAML; files in JSON need nothing but mockbroker.

A file has these sections, all of them optional. [Its JSON schema](scenario.schema.json) is for
editors; `mockbroker check --schema` prints the one of the installed version.

| section | meaning |
| --- | --- |
| `name`, `about` | Texts for readers. |
| `cluster` | The arguments of `Cluster`. |
| `faults` | Faults that exist before the first client connects. |
| `steps` | Actions and waits; each begins when the one before is done. |
| `expect` | Assertions that are checked at the end; without it `run` checks its default ones. |

Scalars are those of YAML 1.2: `on` and `no` are texts. Durations are texts with a unit, such as
`250ms`, `90s`, `7d`.

## Cluster

"""
_FAULTS: Final = """
## Faults

A fault has `id`, `match`, `trigger` and `effect`, as [over HTTP](../how-to/drive-it-over-http.md).
Selectors, effects and triggers have the names of [Python](../how-to/script-a-fault.md).

## Waits

`wait_for` waits for one of these events, and at most for its `timeout`. Without one it waits until
the command, the test or the cluster ends; then it fails. What a fault's `hold` waits for (`until`)
has the same forms.

| event | fields beside it | meaning |
| --- | --- | --- |
"""
_ACTIONS: Final = """
## Actions

The name of an action is that of the method in Python after `cluster.`, and the arguments are its
keyword arguments, after those that name the part:
`cluster.partition("orders", 0).elect(to=2)` is
`partition.elect: {topic: orders, partition: 0, to: 2}`. A value alone is the first argument
(`kill: 1`), and an action without required arguments may be a name alone (`flush`). Arguments in
brackets are optional.

| action | arguments | meaning |
| --- | --- | --- |
"""
_EXPECTATIONS: Final = """
## Expectations

The assertions of [Python](../how-to/test-exactly-once.md) without `assert_`. `no-loss` is accepted
for `no_loss`, and a value alone is the first argument: `no_loss: orders`.

| assertion | arguments | it holds if |
| --- | --- | --- |
"""


def page() -> str:
    """Write the page."""
    return "".join(
        (
            _HEAD,
            _cluster(),
            _FAULTS,
            *_lines(_events()),
            _ACTIONS,
            *_lines(_rows()),
            _EXPECTATIONS,
            *_lines(_assertions()),
        )
    )


def _cluster() -> str:
    fields = ", ".join(f"`{each}`" for each in ClusterDocument.__struct_fields__)
    text = (
        f"The fields are {fields}; the default of each is that of `Cluster`. `topics` maps names to"
        " numbers of partitions, or lists names."
    )
    return paragraph(text) + "\n"


def schema() -> str:
    """Write the JSON schema."""
    return json.dumps(scenario_schema(), indent=1, ensure_ascii=False) + "\n"


def _lines(rows: Iterable[tuple[str, ...]]) -> Iterator[str]:
    return (f"| {' | '.join(row)} |\n" for row in rows)


def _events() -> Iterator[tuple[str, ...]]:
    for name, kind in Event.KINDS.items():
        if name:
            beside = ", ".join(f"`{each}`" for each in details(kind))
            if kind.IS_NESTED:
                fields = ", ".join(f"`{each}`" for each in kind.__struct_encode_fields__)
                beside = f"in an object: {fields}"
            yield f"`{name}`", beside, " ".join((kind.__doc__ or "").split("\n\n")[0].split())


def _rows() -> Iterator[tuple[str, ...]]:
    for action in actions().values():
        yield f"`{action.name}`", _arguments(action), f"{action.about}."


def _arguments(action: Action) -> str:
    return _listed(
        (each.encode_name, each.required) for each in msgspec.structs.fields(action.document)
    )


def _assertions() -> Iterator[tuple[str, ...]]:
    for row in ASSERTIONS.values():
        arguments = _listed((each.name, each.is_required) for each in row.arguments)
        yield f"`{row.word.replace('-', '_')}`", arguments, f"{row.about}."


def _listed(arguments: Iterable[tuple[str, bool]]) -> str:
    return ", ".join(f"`{name}`" if needed else f"[`{name}`]" for name, needed in arguments)


if __name__ == "__main__":
    PAGE.write_text(page(), "utf-8")
    SCHEMA.write_text(schema(), "utf-8")
