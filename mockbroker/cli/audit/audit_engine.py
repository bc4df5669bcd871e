"""Choice of the engine of an audit: this process, or Spark."""

import os
from importlib.util import find_spec
from pathlib import Path
from typing import Final, Literal

from mockbroker.cli import EXIT_USAGE
from mockbroker.cli.command_answer import CommandError
from mockbroker.report.bad_input import BadInputError
from mockbroker.spark.auditing.audit_request import AuditRequest
from mockbroker.spark.auditing.source import SCHEME, TopicSource, source_of
from mockbroker.wire.client import WireError
from mockbroker.wire.cluster import EARLIEST, LATEST
from mockbroker.wire.security import Security

Engine = Literal["auto", "process", "spark"]
ENGINES: Final[tuple[Engine, ...]] = ("auto", "process", "spark")

BYTES_MAX: Final = {".jsonl": 2 << 30, ".parquet": 64 << 20}
"""Size of a journal's parts up to which `auto` judges it in this process: about 5 million rows."""
OFFSETS_MAX: Final = 500_000
"""Number of offsets in topics up to which `auto` judges them in this process."""
_SUBMITTED: Final = ("PYSPARK_GATEWAY_PORT", "SPARK_REMOTE")
"""Variables of a process started by spark-submit, or configured for a Connect server."""


def chosen_engine(
    wanted: Engine, request: AuditRequest, master: str | None = None
) -> Literal["process", "spark"]:
    """Return the engine that is wanted, or with `auto` the one that fits.

    Raises:
        CommandError: the process is wanted for what only Spark can do.

    """
    if wanted == "spark":
        return "spark"
    needed = _needs_spark(request, master)
    if wanted == "process":
        if needed:
            raise CommandError(f"--engine process: {needed} needs --engine spark", EXIT_USAGE)
        return "process"
    is_submitted = any(os.environ.get(name) for name in _SUBMITTED)
    if needed or is_submitted:
        return "spark"
    if find_spec("pyspark") is None:
        return "process"
    is_large = any(_is_large(source, request.security) for source in request.sources)
    return "spark" if is_large else "process"


def _needs_spark(request: AuditRequest, master: str | None) -> str:
    """Return what only Spark can do; empty if there is nothing."""
    others = (source for source in request.sources if not source.startswith(SCHEME))
    elsewhere = next((source for source in others if "://" in source), None)
    if elsewhere is not None:
        return elsewhere
    if request.ledger is not None:
        return "--ledger"
    return "" if master is None else "--master"


def _is_large(source: str, security: Security) -> bool:
    if source.startswith(SCHEME):
        return _offsets(source, security) > OFFSETS_MAX
    folder = Path(source)
    return any(
        sum(path.stat().st_size for path in folder.glob(f"part-*{suffix}")) > most
        for suffix, most in BYTES_MAX.items()
    )


def _offsets(source: str, security: Security) -> int:
    """Return the number of offsets in topics; 0 if they cannot be read, which the audit reports."""
    try:
        topics = source_of(source, security)
        assert isinstance(topics, TopicSource), topics
        with topics.connect() as cluster:
            return sum(
                cluster.offset(each, LATEST) - cluster.offset(each, EARLIEST)
                for topic in topics.topics
                for each in cluster.topic(topic).partitions
            )
    except (WireError, BadInputError):
        return 0
