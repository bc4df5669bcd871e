"""Filters for the rows around a finding, in files."""

from collections.abc import Iterator

from mockbroker.audit.finding import Finding
from mockbroker.report.timeline_rows import OF_A_LOG
from mockbroker.spark.journal.picked_rows import Window


def windows(finding: Finding, reach: int) -> Iterator[Window]:
    """Yield filters for the rows around a finding: around its first and its last proving row."""
    seqs = finding.evidence
    for seq in sorted({seqs[0], seqs[-1]}):
        here = Window(seq - reach, seq + reach, OF_A_LOG)
        if finding.topic is not None:
            yield here._replace(topic=finding.topic, partition=finding.partition)
        elif finding.producer_id is not None:
            yield here._replace(kinds=("append", "marker"), producer_id=finding.producer_id)
        if finding.transactional_id is not None:
            yield here._replace(kinds=("transaction",), transactional_id=finding.transactional_id)
