"""Command `mockbroker audit`: check journals and topics, and write a report."""

import json
import sys
from importlib import import_module
from pathlib import Path
from typing import Any, Final

import click

from mockbroker.audit.finding import Severity
from mockbroker.cli import EXIT_USAGE
from mockbroker.cli.audit.audit_engine import ENGINES, Engine, chosen_engine
from mockbroker.cli.command_answer import CommandError
from mockbroker.cli.text_table import write_line
from mockbroker.errors import SettingsError
from mockbroker.journal.record_identity import FORMS
from mockbroker.report.audited import Audited
from mockbroker.report.summary import summary
from mockbroker.spark import SparkUnavailableError
from mockbroker.spark.auditing.audit_request import AuditRequest
from mockbroker.spark.command_session import MASTER, command_session
from mockbroker.spark.report.progress import Progress
from mockbroker.spark.report.verdict_document import verdict_document
from mockbroker.wire.security import PLAINTEXT, Security, security_of_file

_NAME = "mockbroker audit"
_PROCESS: Final = "mockbroker.cli.audit.process_audit"
"""Loaded by name: the help of the command needs no rules."""
_LOADS: Final = "header:mockbroker.record"
_COLUMN: Final = "column:"


def _checked_identity(
    _context: click.Context, _option: click.Parameter, text: str | None
) -> str | None:
    # Imported late: by name, as above.
    identities: Any = import_module("mockbroker.journal.record_identity")
    try:
        is_column = text is not None and text.startswith(_COLUMN) and text != _COLUMN
        _ = text is None or is_column or identities.identity_of(text)
    except ValueError as error:
        raise click.BadParameter(str(error)) from None
    return text


@click.command(
    short_help="Check journals and topics of any size.",
    help=(
        "Check recorded evidence of clusters. Each SOURCE is the folder of a journal, or topics of"
        " any Kafka cluster: kafka://host:port/topic,topic.\n\n"
        "A source is judged in this process. With PySpark (extra `spark`, and Java) it is judged"
        " if it is larger than 2 GiB of JSON lines, 64 MiB of Parquet or half a million offsets of"
        " topics, on another file system (hdfs://, s3a://), or on request; --ledger needs"
        " PySpark.\n\n"
        "With --out, the results are findings.parquet, verdict.json and report.html in DIR."
        "\n\n\b\n"
        "Exit codes:\n"
        "  0  no findings (at or above --fail-on)\n"
        "  1  findings\n"
        "  2  broken input, or wrong usage; the sound rest of the input is still judged"
    ),
)
@click.argument("sources", metavar="SOURCE...", nargs=-1, required=True)
@click.option("--ledger", metavar="L", help="Ledger of `mockbroker load` to join.")
@click.option(
    "--identity",
    metavar="ID",
    callback=_checked_identity,
    help=f"What identifies a record of a topic: {FORMS}. One that readers"
    " find twice in a topic is a finding. off: nothing does. Without this option, such duplicates"
    " are not judged.",
)
@click.option(
    "--ids",
    "has_ids",
    is_flag=True,
    help=f"The same as --identity {_LOADS}, where `mockbroker load` puts its ids.",
)
@click.option(
    "--found",
    metavar="TABLE",
    help="Parquet with the records that readers found: topic, partition, offset, and the column of"
    " --identity column:NAME.",
)
@click.option(
    "--across-topics",
    is_flag=True,
    help="An identity may occur once in all topics of a source, and not once in each of them.",
)
@click.option(
    "--command-config",
    metavar="FILE",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Settings of a Kafka client for connections with TLS and SASL, as Kafka's own tools take"
    " them: security.protocol, sasl.jaas.config, ssl.truststore.location, …",
)
@click.option(
    "--out",
    metavar="DIR",
    type=click.Path(file_okay=False, path_type=Path),
    help="Folder for the results; those of an earlier audit are replaced.",
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
@click.option(
    "--engine",
    type=click.Choice(ENGINES),
    default="auto",
    show_default=True,
    help="Judge in this process, or with Spark.",
)
def audit_command(
    *,
    sources: tuple[str, ...],
    ledger: str | None,
    identity: str | None,
    has_ids: bool,
    found: str | None,
    across_topics: bool,
    command_config: Path | None,
    out: Path | None,
    fail_on: str,
    as_json: bool,
    master: str | None,
    engine: Engine,
) -> None:
    """Check the sources."""
    _check_found(found, identity, len(sources))
    if has_ids and identity is not None:
        raise CommandError("--ids is an identity: leave it or --identity out", EXIT_USAGE)
    wanted = _LOADS if has_ids or (ledger is not None and identity is None) else identity
    if ledger is not None and wanted != _LOADS:
        said = f"--ledger compares the ids in {_LOADS}: leave --identity out"
        raise CommandError(said, EXIT_USAGE)
    request = AuditRequest(
        sources=sources,
        out=out,
        ledger=ledger,
        identity=wanted,
        found=found,
        across_topics=across_topics,
        security=_security(command_config),
        fail_on=Severity(fail_on),
    )
    is_in_process = chosen_engine(engine, request, master) == "process"
    progress = Progress(has_bars=not as_json)
    try:
        if out is not None:
            out.mkdir(parents=True, exist_ok=True)
        if is_in_process:
            audited: Audited = import_module(_PROCESS).audit(request, progress)
        else:
            audited = _with_spark(request, master, progress)
    except (ImportError, SparkUnavailableError, OSError) as error:
        raise CommandError(str(error), EXIT_USAGE) from None
    if as_json:
        document = verdict_document(audited)
        write_line(json.dumps(document, indent=2, ensure_ascii=False))
    else:
        _summarise(audited, out)
    sys.exit(int(audited.exit_code()))


def _summarise(audited: Audited, out: Path | None) -> None:
    write_line(summary(audited))
    report = "--out DIR writes one" if out is None else out / "report.html"
    click.echo(f"The report: {report}")


def _check_found(found: str | None, identity: str | None, source_count: int) -> None:
    is_column = identity is not None and identity.startswith(_COLUMN) and identity != _COLUMN
    if is_column != (found is not None):
        said = "--found TABLE and --identity column:NAME belong together"
        raise CommandError(said, EXIT_USAGE)
    if found is not None and source_count > 1:
        raise CommandError("--found has the records of one source", EXIT_USAGE)


def _security(command_config: Path | None) -> Security:
    try:
        return PLAINTEXT if command_config is None else security_of_file(command_config)
    except SettingsError as error:
        raise CommandError(str(error), EXIT_USAGE) from None


def _with_spark(request: AuditRequest, master: str | None, progress: Progress) -> Audited:
    with progress.stage("starting Spark"):
        session = command_session(master, _NAME)
    # Imported late: the help of the command needs no pyspark, which may be missing.
    from mockbroker.spark.auditing.audit_job import audit

    return audit(session, request, progress)
