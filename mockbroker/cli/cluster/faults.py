"""The command `mockbroker faults`: faults made, looked at, waited for, released, removed."""

import json
from collections.abc import Sequence
from typing import IO, Any, cast

import click

from mockbroker.cli.cluster.admin_command import MILLISECONDS, DefaultingGroup, admin_command
from mockbroker.cli.cluster.fault_words import effects, rule_of, rule_options
from mockbroker.cli.cluster.tables import faults_table, rule_text
from mockbroker.cli.command_answer import Answer
from mockbroker.http.admin_client import TIMEOUT_S, AdminClient, path_to
from mockbroker.settings.duration import milliseconds


@click.group(cls=DefaultingGroup, default="list", short_help="Make, watch and remove faults.")
def faults() -> None:
    """Make, watch, wait for, release and remove faults. Without a command they are listed."""


@faults.command("list", short_help="List all faults.")
@admin_command
def list_faults(client: AdminClient) -> Answer:
    """List all faults, and what has come of them."""
    found = client.get(path_to("rules"))
    rules = found["rules"]
    return Answer(found, faults_table(rules) if rules else ["there are no faults"])


@faults.command(short_help="Show one fault.")
@click.argument("fault")
@admin_command
def show(client: AdminClient, *, fault: str) -> Answer:
    """Show one fault, what has come of it, and what came nearest to it."""
    found = client.get(path_to("rules", fault))
    return Answer(found, [found["story"]])


@admin_command
def _add(
    client: AdminClient,
    *,
    words: Sequence[str],
    file: IO[str] | None,
    fault_id: str | None,
    **values: Any,
) -> Answer:
    if file is not None:
        if words or fault_id is not None or any(values.values()):
            raise click.UsageError("a fault comes from --file or from words: give one of them")
        rules = _rules_in(file)
    else:
        rule = rule_of(words, values)
        rules = [{"id": fault_id, **rule} if fault_id is not None else rule]
    found = [client.post(path_to("rules"), rule) for rule in rules]
    for warning in filter(None, (each["warning"] for each in found)):
        click.echo(f"mockbroker: {warning}", err=True)
    return Answer({"rules": found}, [f"{each['id']}: {rule_text(each)}" for each in found])


faults.add_command(
    click.Command(
        "add",
        callback=_add,
        params=[
            click.Argument(["words"], nargs=-1, metavar="[EFFECT [VALUE]]"),
            click.Option(["--id", "fault_id"], metavar="NAME", help="Its name (one is made up)."),
            click.Option(
                ["-f", "--file"],
                type=click.File(encoding="utf-8"),
                metavar="FILE",
                help="Rules as JSON, one or a list; `-` is standard input.",
            ),
            *rule_options(),
            *getattr(_add, "__click_params__"),  # noqa: B009 - click's decorators leave them there
        ],
        short_help="Make a fault.",
        help=(
            "Make a fault: which calls it is about, at which of them it strikes (the first), "
            "and what happens to them.\n\n"
            "\b\n    mockbroker faults add --api Produce --topic orders --on-call 2 "
            "lose-response\n\n"
            "The effects, and what they are told:\n\n\b\n"
            + "\n".join(f"    {effect}" for effect in effects())
            + "\n\nSelectors may be repeated: any of their values fits. Words are those of "
            "Cluster.fault in Python."
        ),
    )
)


@faults.command(short_help="Wait until a fault has struck.")
@click.argument("fault")
@click.option("--hits", type=int, metavar="N", help="Until it has struck so many calls (1).")
@click.option("--held", type=int, metavar="N", help="Until it has held so many.")
@click.option("--released", type=int, metavar="N", help="Until it has let so many go again.")
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
) -> Answer:
    """Wait until a fault has struck, held or released so many calls, all counted from the start.

    The exit code is 4 when it has not in time; the nearest call is named then.
    """
    try:
        timeout_s = milliseconds(timeout) / MILLISECONDS
    except ValueError as error:
        raise click.BadParameter(str(error), param_hint="'--timeout'") from None
    query = {"hits": hits, "held": held, "released": released, "timeout": timeout}
    found = client.get(path_to("rules", fault, "wait"), query, timeout_s + TIMEOUT_S)
    return Answer(found, [found["story"]])


@faults.command(short_help="Let the calls go that a fault holds.")
@click.argument("fault")
@admin_command
def release(client: AdminClient, *, fault: str) -> Answer:
    """Let the calls go that a fault holds."""
    found = client.post(path_to("rules", fault, "release"))
    return Answer(found, [f"{found['released']} released"])


@faults.command(short_help="Remove faults.")
@click.argument("names", metavar="FAULT...", nargs=-1, required=True)
@admin_command
def rm(client: AdminClient, *, names: Sequence[str]) -> Answer:
    """Remove faults; what they hold is released."""
    for name in names:
        client.delete(path_to("rules", name))
    return Answer({"removed": list(names)}, [f"{name} is removed" for name in names])


@faults.command(short_help="Remove all faults.")
@admin_command
def clear(client: AdminClient) -> Answer:
    """Remove all faults; what they hold is released."""
    client.delete(path_to("rules"))
    return Answer({}, ["there are no faults any more"])


def _rules_in(file: IO[str]) -> list[dict[str, Any]]:
    try:
        said: Any = json.load(file)
    except ValueError as error:
        raise click.BadParameter(f"{file.name}: {error}", param_hint="'--file'") from None
    if isinstance(said, dict):
        whole = cast("dict[str, Any]", said)
        said = whole.get("rules", whole)
    return cast("list[dict[str, Any]]", said if isinstance(said, list) else [said])
