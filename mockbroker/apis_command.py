"""The command `mockbroker apis`: what each release of Kafka serves, and how it behaves."""

import click

from mockbroker.release_table import api_rows, option_rows, written
from mockbroker.state.options import SUPPORTED_RELEASES, Options


@click.command(short_help="Show releases side by side.")
@click.option(
    "--kafka",
    "names",
    metavar="RELEASE",
    multiple=True,
    help="A release to show; repeatable (all).",
)
@click.option("--differences", is_flag=True, help="Leave out what the releases have in common.")
def apis(names: tuple[str, ...], *, differences: bool) -> None:
    """Show releases of Kafka side by side: the versions of APIs they serve, and how they behave.

    Everything in which mockbroker's releases differ is in these rows, but for the wording of
    errors.
    """
    try:
        releases = [Options.for_release(name) for name in names or SUPPORTED_RELEASES]
    except ValueError as error:
        raise click.UsageError(str(error)) from None
    for title, rows in (("API", api_rows(releases)), ("Option", option_rows(releases))):
        kept = [row for row in rows if row.tells_apart or not differences]
        for line in written(releases, kept, title):
            click.echo(line)
        click.echo("")
