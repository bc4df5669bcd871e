"""Audit in the caller's Spark session: findings as a data frame, and the verdict."""

from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mockbroker.journal.record_identity import identity_of
from mockbroker.report.summary import summary
from mockbroker.spark.auditing.audit_job import audit as audit_sources
from mockbroker.spark.auditing.audit_request import AuditRequest
from mockbroker.spark.command_session import given_session
from mockbroker.spark.report.findings_table import findings_table
from mockbroker.spark.report.progress import Progress
from mockbroker.spark.report.verdict_document import verdict_document
from mockbroker.wire.security import PLAINTEXT, security_of_file

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession


@dataclass(frozen=True, slots=True, kw_only=True)
class SparkAudit:
    """Result of an audit in the caller's session; its text is the summary of the command."""

    findings: "DataFrame"
    """A row for each finding, with the columns of `findings.parquet`."""
    verdict: dict[str, Any]
    """The members of `verdict.json`."""
    summary: str

    def __str__(self) -> str:
        """Return the summary."""
        return self.summary


def audit(
    spark: "SparkSession",
    *sources: str,
    identity: str | None = None,
    across_topics: bool = False,
    ledger: str | None = None,
    command_config: Path | str | None = None,
    out: Path | str | None = None,
) -> SparkAudit:
    """Audit journals and topics in a session, classic or of Spark Connect.

    The arguments are those of `mockbroker audit`. Workers get this package from the session. Broken
    input is in the verdict.

    Raises:
        ValueError: there is no source, or the identity is none.
        SettingsError: the properties in `command_config` are not right.
        OSError: the results cannot be written to `out`.

    """
    if not sources:
        raise ValueError("name a source: a journal's folder, or kafka://host:port/topic")
    if identity is not None:
        identity_of(identity)
    folder = None if out is None else Path(out)
    if folder is not None:
        folder.mkdir(parents=True, exist_ok=True)
    request = AuditRequest(
        sources=sources,
        out=folder,
        security=PLAINTEXT if command_config is None else security_of_file(Path(command_config)),
        ledger=ledger,
        identity=identity,
        across_topics=across_topics,
    )
    audited = audit_sources(given_session(spark), request, Progress(is_quiet=True))
    return SparkAudit(
        findings=_frame(spark, findings_table(audited.findings())),
        verdict=verdict_document(audited),
        summary=summary(audited),
    )


def _frame(spark: "SparkSession", table: Any) -> "DataFrame":
    """Return a table as a data frame; Spark Connect takes an empty one only with its schema."""
    if table.num_rows:
        return spark.createDataFrame(table)
    types: Any = import_module("pyspark.sql.pandas.types")
    return spark.createDataFrame([], types.from_arrow_schema(table.schema))
