"""`package`: what a cluster is given that has no mockbroker."""

from pathlib import Path
from typing import Final

import click

from mockbroker.spark.worker_package import NAME, write_package

SCRIPT: Final = "mockbroker_pipeline.py"
_SCRIPT_TEXT: Final = '''"""What spark-submit runs, with --py-files mockbroker.zip."""

from mockbroker.cli.pipeline.commands import commands

commands(prog_name="mockbroker_pipeline.py")
'''


@click.command(
    help=(
        f"Write {NAME} and {SCRIPT} into FOLDER, for a cluster on which mockbroker is not"
        f" installed: spark-submit --py-files FOLDER/{NAME} FOLDER/{SCRIPT} audit ..."
    )
)
@click.argument("folder", type=click.Path(file_okay=False, path_type=Path))
def package_command(folder: Path) -> None:
    """Write what spark-submit needs."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        (folder / SCRIPT).write_text(_SCRIPT_TEXT, encoding="utf-8")
        path = write_package(folder)
    except OSError as refused:
        raise click.UsageError(f"{folder}: {refused.strerror}") from refused
    click.echo(f"spark-submit --py-files {path} {folder / SCRIPT} audit SOURCE --out DIR")
