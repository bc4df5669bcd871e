"""Finding of an audit or an assertion: a violated rule, its location, and the proving rows."""

from enum import StrEnum
from typing import Final, NamedTuple

BE_IDEMPOTENT: Final = (
    "enable.idempotence=true lets the broker recognise retries of a producer. If the application "
    "may send a record again by itself, let readers drop duplicates by a key of the record."
)
"""Advice on a duplicate from a producer without an id."""


class Severity(StrEnum):
    """Severity of a finding; `rank` sorts the worst first."""

    ERROR = "ERROR"
    """Records are, or will be, lost, duplicated, out of order or wrongly visible."""
    WARNING = "WARNING"
    """An event that Kafka avoids, without visible harm in this evidence."""
    INFO = "INFO"
    """Useful information."""

    @property
    def rank(self) -> int:
        """0 for the worst."""
        return _RANKS[self]


_RANKS: Final = {each: rank for rank, each in enumerate(Severity)}


class Finding(NamedTuple):
    """A violation of a rule; fields that do not apply are None or empty.

    All fields except `evidence` and `consequences` are flat values: the files of findings have the
    same columns.
    """

    rule: str
    """A name in `rule_table.RULES`, or of a check that only an assertion has: `NOT_EXPECTED`."""
    severity: Severity
    text: str
    """The violation and its location, as a sentence."""
    advice: str = ""
    """Advice for the reader."""
    topic: str | None = None
    partition: int | None = None
    producer_id: int | None = None
    producer_epoch: int | None = None
    transactional_id: str | None = None
    first_offset: int | None = None
    last_offset: int | None = None
    copied_offset: int | None = None
    """Of a duplicate: the offset of the first copy."""
    virtual_time_ms: int | None = None
    """The cluster's time of the violation."""
    evidence: tuple[int, ...] = ()
    """The `seq` of the journal's rows that prove the finding, in order."""
    copied_topic: str | None = None
    """Of a duplicate whose first copy is in another partition: the topic of that; else None."""
    copied_partition: int | None = None
    """… and its partition."""
    consequences: tuple[str, ...] = ()
    """What follows from it: broken rules with their texts, or what was lost with one truncation."""

    @property
    def place(self) -> str:
        """The partition as `topic-partition`; empty for a finding without a partition."""
        return "" if self.topic is None else f"{self.topic}-{self.partition}"

    @property
    def rules(self) -> frozenset[str]:
        """The rule, and those that are broken as a consequence."""
        said = (each.partition(": ")[0] for each in self.consequences)
        return frozenset({self.rule, *(name for name in said if name.replace("_", "").isupper())})

    @property
    def copied_place(self) -> tuple[str, int]:
        """Topic and partition of the first copy of a duplicate."""
        topic = self.topic if self.copied_topic is None else self.copied_topic
        partition = self.partition if self.copied_partition is None else self.copied_partition
        assert topic is not None, self
        assert partition is not None, self
        return topic, partition


def sort_key(finding: Finding) -> tuple[object, ...]:
    """Order findings: the worst first, then by rule, partition and time. The order never varies."""
    return (
        finding.severity.rank,
        finding.rule,
        finding.topic or "",
        -1 if finding.partition is None else finding.partition,
        -1 if finding.first_offset is None else finding.first_offset,
        -1 if finding.producer_id is None else finding.producer_id,
        finding.transactional_id or "",
        finding.evidence,
        finding.text,
    )
