"""`audit`: judge journals and topics, and write down what came of it."""

import json
import sys
from pathlib import Path

import click

from mockbroker.audit.finding import Severity
from mockbroker.spark import SparkUnavailableError
from mockbroker.spark.audit.audit_job import AuditRequest, audit
from mockbroker.spark.command_session import MASTER, pipeline_session
from mockbroker.spark.report.progress import Progress
from mockbroker.spark.report.summary import summary
from mockbroker.spark.report.verdict_document import verdict_document

_NAME = "mockbroker audit"


@click.command(
    help=(
        "Judge what was written down of a cluster: every SOURCE is the folder of a journal, on any"
        " file system that Spark reads, or kafka://host:port/topic,topic of any cluster.\n\n"
        "DIR gets findings.parquet, verdict.json and report.html. Exit codes: 0 clean, 1 findings,"
        " 2 broken input, of which the rest is judged where that is sound."
    )
)
@click.argument("sources", metavar="SOURCE...", nargs=-1, required=True)
@click.option("--ledger", metavar="L", help="The ledger that `load` has written, to be joined.")
@click.option(
    "--ids",
    "has_ids",
    is_flag=True,
    help="Records carry ids of their own in the header mockbroker.record: an id that readers of"
    " topics find twice is a finding, also without a ledger.",
)
@click.option(
    "--out",
    required=True,
    metavar="DIR",
    type=click.Path(file_okay=False, path_type=Path),
    help="Where the results go; what is there of an earlier audit is replaced.",
)
@click.option(
    "--fail-on",
    type=click.Choice([each.value for each in Severity]),
    default=Severity.INFO.value,
    show_default=True,
    help="The severity from which on a finding makes the exit code 1.",
)
@click.option("--json", "as_json", is_flag=True, help="Print verdict.json instead of a summary.")
@click.option(
    "--master",
    metavar="URL",
    help=f"Where Spark runs: local[4], yarn, spark://…, sc://… (Connect). Default: {MASTER}; under"
    " spark-submit, what was submitted.",
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
    """Judge sources."""
    progress = Progress()
    try:
        out.mkdir(parents=True, exist_ok=True)
        with progress.stage("starting Spark"):
            session = pipeline_session(master, _NAME)
    except (SparkUnavailableError, OSError) as refused:
        raise click.UsageError(str(refused)) from refused
    request = AuditRequest(
        sources=sources, ledger=ledger, has_ids=has_ids, fail_on=Severity(fail_on), out=out
    )
    audited = audit(session, request, progress)
    if as_json:
        document = verdict_document(audited)
        click.echo(json.dumps(document, indent=2, ensure_ascii=False))
    else:
        click.echo(summary(audited))
        click.echo(f"The report: {out / 'report.html'}")
    sys.exit(int(audited.exit_code()))
