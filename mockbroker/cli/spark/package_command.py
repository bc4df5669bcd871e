"""Command `mockbroker package`: files for spark-submit on a cluster without mockbroker."""

from pathlib import Path
from typing import Final

import click

from mockbroker.cli import EXIT_USAGE
from mockbroker.cli.command_answer import CommandError
from mockbroker.spark.worker_package import NAME, write_package

SCRIPT: Final = "mockbroker_pipeline.py"
_SCRIPT_TEXT: Final = f'''"""Script for spark-submit, with --py-files {NAME}."""

from mockbroker.cli.commands import commands

commands(prog_name="{SCRIPT}")
'''


@click.command(
    short_help="Write the files that spark-submit needs.",
    help=(
        f"Write {NAME} and {SCRIPT} into FOLDER, for a cluster on which mockbroker is not"
        f" installed: spark-submit --py-files FOLDER/{NAME} FOLDER/{SCRIPT} audit ..."
    ),
)
@click.argument("folder", type=click.Path(file_okay=False, path_type=Path))
def package_command(folder: Path) -> None:
    """Write the files that spark-submit needs."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        (folder / SCRIPT).write_text(_SCRIPT_TEXT, encoding="utf-8")
        path = write_package(folder)
    except OSError as error:
        raise CommandError(f"{folder}: {error.strerror}", EXIT_USAGE) from None
    click.echo(f"spark-submit --py-files {path} {folder / SCRIPT} audit SOURCE --out DIR")
