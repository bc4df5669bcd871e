"""Commands `mockbroker spark`: check the installation of PySpark, and fetch its Kafka connector."""

import sys

import click

from mockbroker.cli import EXIT_FAILED
from mockbroker.cli.command_answer import CommandError
from mockbroker.spark.connector import COMPANIONS, connector_jars, package, pyspark_version
from mockbroker.spark.examination import examine
from mockbroker.spark.unavailable import SparkUnavailableError


@click.group(short_help="Check PySpark, and fetch its Kafka connector.")
def spark() -> None:
    """Check the installation of PySpark, and fetch its Kafka connector."""


@spark.command(short_help="Fetch the Kafka connector, and print its jars.")
@click.option(
    "--spark",
    "release",
    metavar="VERSION",
    help=f"Release of Spark ({', '.join(COMPANIONS)}); default: the installed pyspark's.",
)
def jars(release: str | None) -> None:
    """Fetch the Kafka connector, and print its jars in the form of --jars and spark.jars.

    spark-submit --jars "$(mockbroker spark jars)" job.py

    Maven downloads them once, to the user's cache. MOCKBROKER_SPARK_JARS names a folder that
    already has them. Without Maven, start Spark with --packages, and Spark downloads them.
    """
    try:
        release = release or pyspark_version()
        found = connector_jars(release)
    except SparkUnavailableError as error:
        raise CommandError(str(error), EXIT_FAILED) from None
    click.echo(",".join(map(str, found)))
    click.echo(f"or let Spark download them: --packages {package(release)}", err=True)


@spark.command(short_help="Check whether Spark can run here.")
def doctor() -> None:
    """Check whether Spark can run here, and print what to do if not. The exit code is 0 or 1."""
    findings = examine()
    width = max(len(each.subject) for each in findings)
    for each in findings:
        mark = "ok   " if each.is_fine else "WRONG"
        click.echo(f"{mark} {each.subject:<{width}}  {each.text}")
        if each.advice:
            click.echo(f"      {'':<{width}}  -> {each.advice}")
    if not all(each.is_fine for each in findings):
        sys.exit(EXIT_FAILED)
