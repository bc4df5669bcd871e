"""Command `mockbroker record`: what was done to a cluster, as a scenario file."""

from typing import Final

import click

from mockbroker.cli import EXIT_USAGE
from mockbroker.cli.cluster.admin_command import admin_command
from mockbroker.cli.command_answer import CommandError, CommandResult
from mockbroker.cli.scenario.check_command import counted
from mockbroker.errors import ScenarioError
from mockbroker.http.admin_client import AdminClient, path_to
from mockbroker.scenario.recording import Recording

_STDOUT: Final = "-"


@click.command(short_help="Write what was done to a cluster as a scenario.")
@click.option(
    "-o",
    "--output",
    "file",
    default=_STDOUT,
    metavar="FILE",
    help="File to write, JSON if its name ends in .json, else YAML (standard output).",
)
@click.option("--no-waits", is_flag=True, help="Do not wait for what clients had done.")
@admin_command
def record(client: AdminClient, *, file: str, no_waits: bool) -> CommandResult:
    """Write what was done to a cluster since its start, or its reset, as a scenario.

    The file has the settings of the cluster, its faults, and all control calls as steps: of tests,
    of this command line and over HTTP. Between them it waits for the hits of faults and for the
    ends of the logs. It does not have the requests of clients.
    """
    query = {"waits": "false"} if no_waits else {}
    answer = client.get(path_to("scenario"), query)
    recording = Recording(answer["scenario"], tuple(answer["left_out"]))
    try:
        if file == _STDOUT:
            return CommandResult(answer, recording.text(file).splitlines())
        recording.write(file)
    except (OSError, ScenarioError) as error:
        raise CommandError(str(error), EXIT_USAGE) from None
    counts = [
        counted(len(answer["scenario"].get(section, ())), section.removesuffix("s"))
        for section in ("faults", "steps")
    ]
    return CommandResult(answer, [f"{file} has {', '.join(counts)}", *recording.left_out])
