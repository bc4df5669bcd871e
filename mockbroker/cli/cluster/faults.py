"""The command `mockbroker faults`: make, show, wait for, release and remove faults."""

import json
from collections.abc import Sequence
from typing import IO, Any, cast

import click

from mockbroker.cli.cluster.admin_command import MILLISECONDS, DefaultingGroup, admin_command
from mockbroker.cli.cluster.fault_words import document_of, effect_forms, fault_options
from mockbroker.cli.cluster.tables import fault_text, faults_table
from mockbroker.cli.command_answer import CommandResult
from mockbroker.events.printable import write_error
from mockbroker.http.admin_client import TIMEOUT_S, AdminClient, path_to
from mockbroker.settings.duration import milliseconds


@click.group(cls=DefaultingGroup, default="list", short_help="Make, watch and remove faults.")
def faults() -> None:
    """Make, watch, wait for, release and remove faults. Without a command they are listed."""


@faults.command("list", short_help="List all faults.")
@admin_command
def list_faults(client: AdminClient) -> CommandResult:
    """List all faults and their counters."""
    found = client.get(path_to("faults"))
    rows = found["faults"]
    return CommandResult(found, faults_table(rows) if rows else ["there are no faults"])


@faults.command(short_help="Show one fault.")
@click.argument("fault")
@admin_command
def show(client: AdminClient, *, fault: str) -> CommandResult:
    """Show one fault, its counters, and the closest call that did not match."""
    found = client.get(path_to("faults", fault))
    return CommandResult(found, [found["story"]])


@admin_command
def _add(
    client: AdminClient,
    *,
    words: Sequence[str],
    file: IO[str] | None,
    fault_id: str | None,
    **values: Any,
) -> CommandResult:
    if file is not None:
        if words or fault_id is not None or any(values.values()):
            raise click.UsageError("name the fault either by --file or by EFFECT and options")
        documents = _documents_in(file)
    else:
        document = document_of(words, values)
        documents = [{"id": fault_id, **document} if fault_id is not None else document]
    found = [client.post(path_to("faults"), document) for document in documents]
    for warning in filter(None, (each["warning"] for each in found)):
        write_error(warning)
    return CommandResult({"faults": found}, [f"{each['id']}: {fault_text(each)}" for each in found])


class _AddCommand(click.Command):
    """Command with an option for each field of the kinds that exist when it runs."""

    def get_params(self, ctx: click.Context) -> list[click.Parameter]:
        """Return its own parameters, those of faults, and those of all commands."""
        own = super().get_params(ctx)
        return [*own[:3], *fault_options(), *own[3:]]

    def format_help_text(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the description, and the effects with their values."""
        super().format_help_text(ctx, formatter)
        with formatter.section("Effects"):
            for form in effect_forms():
                formatter.write_text(form)


faults.add_command(
    _AddCommand(
        "add",
        callback=_add,
        params=[
            click.Argument(["words"], nargs=-1, metavar="[EFFECT [VALUE]]"),
            click.Option(
                ["--id", "fault_id"], metavar="NAME", help="Name of the fault (default: generated)."
            ),
            click.Option(
                ["-f", "--file"],
                type=click.File(encoding="utf-8"),
                metavar="FILE",
                help="Faults as JSON, one or a list; `-` is standard input.",
            ),
            *getattr(_add, "__click_params__"),  # noqa: B009 - click's decorators leave them there
        ],
        short_help="Make a fault.",
        help=(
            "Make a fault from selectors, a trigger (default: the first call) and an effect."
            "\n\n"
            "\b\n    mockbroker faults add --api Produce --topic orders --on-call 2 "
            "lose-response\n\n"
            "A selector may be repeated: any of its values matches. The names are those of "
            "Cluster.fault in Python."
        ),
    )
)


@faults.command(short_help="Wait until a fault has fired.")
@click.argument("fault")
@click.option("--hits", type=int, metavar="N", help="Until it has fired this often (1).")
@click.option("--held", type=int, metavar="N", help="Until it has held this many calls.")
@click.option("--released", type=int, metavar="N", help="Until it has released this many calls.")
@click.option("--timeout", default="5s", metavar="TIME", help="Give up after this time (5s).")
@admin_command
def wait(
    client: AdminClient,
    *,
    fault: str,
    hits: int | None,
    held: int | None,
    released: int | None,
    timeout: str,
) -> CommandResult:
    """Wait until a fault has fired at, held or released a number of calls, counted from the start.

    The exit code is 4 after the timeout; the error names the closest call.
    """
    try:
        timeout_s = milliseconds(timeout) / MILLISECONDS
    except ValueError as error:
        raise click.BadParameter(str(error), param_hint="'--timeout'") from None
    query = {"hits": hits, "held": held, "released": released, "timeout": timeout}
    found = client.get(path_to("faults", fault, "wait"), query, timeout_s + TIMEOUT_S)
    return CommandResult(found, [found["story"]])


@faults.command(short_help="Release the calls that a fault holds.")
@click.argument("fault")
@admin_command
def release(client: AdminClient, *, fault: str) -> CommandResult:
    """Release the calls that a fault holds."""
    found = client.post(path_to("faults", fault, "release"))
    return CommandResult(found, [f"{found['released']} released"])


@faults.command(short_help="Remove faults.")
@click.argument("names", metavar="FAULT...", nargs=-1, required=True)
@admin_command
def rm(client: AdminClient, *, names: Sequence[str]) -> CommandResult:
    """Remove faults; the calls that they hold are released."""
    for name in names:
        client.delete(path_to("faults", name))
    return CommandResult({"removed": list(names)}, [f"{name} is removed" for name in names])


@faults.command(short_help="Remove all faults.")
@admin_command
def clear(client: AdminClient) -> CommandResult:
    """Remove all faults; the calls that they hold are released."""
    client.delete(path_to("faults"))
    return CommandResult({}, ["there are no faults any more"])


def _documents_in(file: IO[str]) -> list[dict[str, Any]]:
    try:
        given: Any = json.load(file)
    except ValueError as error:
        raise click.BadParameter(f"{file.name}: {error}", param_hint="'--file'") from None
    if isinstance(given, dict):
        whole = cast("dict[str, Any]", given)
        given = whole.get("faults", whole.get("rules", whole))
    return cast("list[dict[str, Any]]", given if isinstance(given, list) else [given])
