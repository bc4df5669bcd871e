"""Command `mockbroker check FILE...`: whether scenario files are valid."""

import json
from collections.abc import Iterator, Sequence
from typing import Any

import click

from mockbroker.cli import EXIT_USAGE
from mockbroker.cli.command_answer import CommandResult, answering
from mockbroker.errors import FilePlace, ScenarioError, ScenarioProblem
from mockbroker.scenario.reading import read_scenario
from mockbroker.scenario.scenario import Scenario
from mockbroker.scenario.schema import scenario_schema
from mockbroker.scenario.trial import try_scenario


@click.command(short_help="Check scenario files.")
@click.argument("files", metavar="FILE...", nargs=-1)
@click.option("--schema", "is_schema", is_flag=True, help="Print the JSON schema, for editors.")
@answering
def check(*, files: Sequence[str], is_schema: bool) -> CommandResult:
    """Check scenario files, and print all problems with their lines and columns.

    The cluster of each file is made with its faults, but opens no port. The exit code is 2 if a
    file is not valid.
    """
    if is_schema:
        schema = scenario_schema()
        return CommandResult({"schema": schema}, [json.dumps(schema, indent=1)])
    if not files:
        raise click.UsageError("name a scenario file")
    results = [(file, *_checked(file)) for file in files]
    lines = [
        line for file, scenario, problems in results for line in _lines(file, scenario, problems)
    ]
    is_valid = not any(problems for _, _, problems in results)
    document = {
        "ok": is_valid,
        "files": [
            {"file": file, "ok": not problems, "problems": [_as_json(each) for each in problems]}
            for file, _, problems in results
        ],
    }
    return CommandResult(document, lines, 0 if is_valid else EXIT_USAGE)


def _checked(file: str) -> tuple[Scenario | None, Sequence[ScenarioProblem]]:
    try:
        scenario = read_scenario(file)
        try_scenario(scenario)
    except ScenarioError as error:
        return None, error.problems
    except OSError as error:
        return None, [ScenarioProblem(FilePlace(file, 1, 1), f"cannot be read: {error.strerror}")]
    return scenario, ()


def _lines(
    file: str, scenario: Scenario | None, problems: Sequence[ScenarioProblem]
) -> Iterator[str]:
    yield from map(str, problems)
    if scenario is not None:
        counts = (
            counted(len(scenario.faults), "fault"),
            counted(len(scenario.steps), "step"),
            counted(len(scenario.expectations), "expectation"),
        )
        yield f"{file} is valid: {', '.join(counts)}"


def counted(count: int, what: str) -> str:
    """Write a number of things: `1 step`, `2 steps`."""
    return f"{count} {what}" if count == 1 else f"{count} {what}s"


def _as_json(problem: ScenarioProblem) -> dict[str, Any]:
    place = problem.place
    return {"line": place.line, "column": place.column, "why": problem.why}
