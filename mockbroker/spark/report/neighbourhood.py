"""Rows around findings, read again with a filter, for the findings that have a timeline."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from mockbroker.audit.finding import Finding
from mockbroker.journal.entry import COLUMNS, Entry
from mockbroker.journal.files.parquet import entry_of
from mockbroker.report.audited import Placed
from mockbroker.report.timeline_rows import (
    OF_A_LOG,
    REACH,
    READ_MAX,
    nearest,
    proof_of,
)
from mockbroker.spark.auditing.evidence import Evidence
from mockbroker.spark.auditing.judging import contents_of
from mockbroker.spark.journal.journal_rows import SCHEMA
from mockbroker.spark.journal.picked_rows import picking
from mockbroker.spark.report.row_windows import windows

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


def rows_around(
    spark: "SparkSession",
    findings: Sequence[Placed],
    evidence: Mapping[str, Sequence[Evidence]],
    partitions: int,
) -> dict[int, list[Entry]]:
    """Read the rows around findings, by the findings' numbers.

    `partitions` is the number of partitions that share the rows' numbers.

    Raises:
        PySparkException, Py4JError: Spark cannot read them.

    """
    reach = REACH * max(partitions, 1)
    by_source: defaultdict[str, list[Placed]] = defaultdict(list)
    for each in findings:
        by_source[each.source].append(each)
    around: dict[int, list[Entry]] = {}
    for source, placed in by_source.items():
        for piece in evidence[source]:
            about = [each for each in placed if piece.topic in {None, each.finding.topic}]
            picked = [each for each in about if piece.parts and each.finding.evidence]
            asked = [each for each in about if each not in picked]
            read = [*_picked(spark, piece, picked, reach), *_read(piece, asked, reach)]
            for each in about:
                around[each.number] = nearest(each.finding, [*around.get(each.number, ()), *read])
    return around


def _picked(
    spark: "SparkSession", evidence: Evidence, placed: Sequence[Placed], reach: int
) -> Iterator[Entry]:
    if not placed:
        return iter(())
    proof = sorted({seq for each in placed for seq in proof_of(each.finding)})
    near = [window for each in placed for window in windows(each.finding, reach)]
    frame = contents_of(spark, evidence.parts).mapInArrow(picking(proof, near), SCHEMA)
    return map(entry_of, frame.limit(READ_MAX).toArrow().to_pylist())


def _read(evidence: Evidence, placed: Sequence[Placed], reach: int) -> Iterator[Entry]:
    names = [column.name for column in COLUMNS]
    wanted = " OR ".join(conditions(placed, reach))
    if not wanted:
        return iter(())
    frame: Any = evidence.rows(names).where(wanted)
    table = frame.select(*names).limit(READ_MAX).toArrow()
    return map(entry_of, table.to_pylist())


def conditions(placed: Sequence[Placed], reach: int) -> Iterator[str]:
    """Yield SQL conditions for the proving rows, and for the rows of their logs around them."""
    proof = sorted({seq for each in placed for seq in proof_of(each.finding)})
    if proof:
        yield f"seq IN ({', '.join(map(str, proof))})"
    for each in placed:
        finding, seqs = each.finding, each.finding.evidence
        for seq in sorted({seqs[0], seqs[-1]} if seqs else ()):
            near = f"seq BETWEEN {seq - reach} AND {seq + reach}"
            yield f"({near} AND ({' OR '.join(_lanes(finding))}))"
        if not seqs and finding.first_offset is not None:
            yield f"({_near_offsets(finding, reach)} AND ({' OR '.join(_lanes(finding))}))"


def _near_offsets(finding: Finding, reach: int) -> str:
    """Return a filter for rows near findings that are proved by record ids only."""
    first_offset = finding.first_offset or 0
    last_offset = first_offset if finding.last_offset is None else finding.last_offset
    return f"last_offset >= {first_offset - reach} AND base_offset <= {last_offset + reach}"


def _lanes(finding: Finding) -> Iterator[str]:
    if finding.topic is not None:
        kinds = ", ".join(f"'{kind}'" for kind in OF_A_LOG)
        yield (
            f"(topic = {_text(finding.topic)} AND partition = {finding.partition}"
            f" AND kind IN ({kinds}))"
        )
    elif finding.producer_id is not None:
        yield f"(producer_id = {finding.producer_id} AND kind IN ('append', 'marker'))"
    if finding.transactional_id is not None:
        name = _text(finding.transactional_id)
        yield f"(transactional_id = {name} AND kind = 'transaction')"
    if finding.topic is None and finding.producer_id is None and finding.transactional_id is None:
        yield "false"


def _text(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace("'", "\\'")
    return f"'{escaped}'"
