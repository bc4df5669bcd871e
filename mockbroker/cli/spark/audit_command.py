"""Command `mockbroker audit`: check journals and topics, and write a report."""

import json
import sys
from pathlib import Path

import click

from mockbroker.audit.finding import Severity
from mockbroker.cli import EXIT_USAGE
from mockbroker.cli.command_answer import CommandError
from mockbroker.cli.text_table import write_line
from mockbroker.spark import SparkUnavailableError
from mockbroker.spark.command_session import MASTER, command_session
from mockbroker.spark.report.progress import Progress
from mockbroker.spark.report.summary import summary
from mockbroker.spark.report.verdict_document import verdict_document

_NAME = "mockbroker audit"


@click.command(
    short_help="Check journals and topics of any size with PySpark.",
    help=(
        "Check recorded evidence of clusters with PySpark (extra `spark`). Each SOURCE is the"
        " folder of a journal, on any file system that Spark reads, or topics of any Kafka cluster:"
        " kafka://host:port/topic,topic.\n\n"
        "The results are findings.parquet, verdict.json and report.html in DIR. Exit codes: 0 no"
        " findings, 1 findings, 2 broken input; the sound rest of the input is still checked."
    ),
)
@click.argument("sources", metavar="SOURCE...", nargs=-1, required=True)
@click.option("--ledger", metavar="L", help="Ledger of `mockbroker load` to join.")
@click.option(
    "--ids",
    "has_ids",
    is_flag=True,
    help="Records have ids in the header mockbroker.record: an id that occurs twice in a topic is a"
    " finding, even without a ledger.",
)
@click.option(
    "--out",
    required=True,
    metavar="DIR",
    type=click.Path(file_okay=False, path_type=Path),
    help="Folder of the results; those of an earlier audit are replaced.",
)
@click.option(
    "--fail-on",
    type=click.Choice([each.value for each in Severity]),
    default=Severity.INFO.value,
    show_default=True,
    help="Minimum severity of findings that set the exit code to 1.",
)
@click.option("--json", "as_json", is_flag=True, help="Print verdict.json instead of a summary.")
@click.option(
    "--master",
    metavar="URL",
    help=f"Spark's master: local[4], yarn, spark://…, sc://… (Connect). Default: {MASTER}, or that"
    " of spark-submit.",
)
def audit_command(
    *,
    sources: tuple[str, ...],
    ledger: str | None,
    has_ids: bool,
    out: Path,
    fail_on: str,
    as_json: bool,
    master: str | None,
) -> None:
    """Check the sources."""
    progress = Progress()
    try:
        out.mkdir(parents=True, exist_ok=True)
        with progress.stage("starting Spark"):
            session = command_session(master, _NAME)
    except (SparkUnavailableError, OSError) as error:
        raise CommandError(str(error), EXIT_USAGE) from None
    # Imported late: the help of the command needs no pyspark, which may be missing.
    from mockbroker.spark.audit.audit_job import AuditRequest, audit

    request = AuditRequest(
        sources=sources, ledger=ledger, has_ids=has_ids, fail_on=Severity(fail_on), out=out
    )
    audited = audit(session, request, progress)
    if as_json:
        document = verdict_document(audited)
        write_line(json.dumps(document, indent=2, ensure_ascii=False))
    else:
        write_line(summary(audited))
        click.echo(f"The report: {out / 'report.html'}")
    sys.exit(int(audited.exit_code()))
