"""`python -m mockbroker.spark`: what Spark needs on this machine, and how it comes there."""

import sys
from typing import Final

import click

from mockbroker.spark.connector import COMPANIONS, connector_jars, package, pyspark_version
from mockbroker.spark.examination import examine
from mockbroker.spark.unavailable import SparkUnavailableError

EXIT_FAILED: Final = 1


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
def commands() -> None:
    """Look after PySpark with its Kafka connector: doctor, jars."""


@commands.command()
@click.option(
    "--spark",
    metavar="VERSION",
    help=f"The release of Spark ({', '.join(COMPANIONS)}); else that of the installed pyspark.",
)
def jars(spark: str | None) -> None:
    """Fetch the Kafka connector and print its jars, as --jars and spark.jars take them.

    spark-submit --jars "$(python -m mockbroker.spark jars)" job.py

    They come by Maven, once, into the user's cache. MOCKBROKER_SPARK_JARS names a folder that has
    them already. Without Maven, Spark fetches them itself when it is started with --packages.
    """
    try:
        release = spark or pyspark_version()
        found = connector_jars(release)
    except SparkUnavailableError as why:
        click.echo(f"mockbroker.spark: {why}", err=True)
        sys.exit(EXIT_FAILED)
    click.echo(",".join(map(str, found)))
    click.echo(f"or let Spark fetch them: --packages {package(release)}", err=True)


@commands.command()
def doctor() -> None:
    """Say whether Spark can run here, and what to do where it cannot: exit code 0 or 1."""
    findings = examine()
    width = max(len(each.subject) for each in findings)
    for each in findings:
        mark = "ok   " if each.is_fine else "WRONG"
        click.echo(f"{mark} {each.subject:<{width}}  {each.text}")
        if each.advice:
            click.echo(f"      {'':<{width}}  -> {each.advice}")
    if not all(each.is_fine for each in findings):
        sys.exit(EXIT_FAILED)
