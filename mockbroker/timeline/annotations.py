"""Labels of findings in the timelines of partitions, as text and as pictures."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Final, NamedTuple

from mockbroker.audit.finding import Finding

LOST: Final = frozenset({"ACKED_NOT_DURABLE", "LOST_ACKED"})
"""Rules whose findings are batches that were in a log and are no more."""
_LABELS: Final[Mapping[str, str]] = {
    "ABORTED_VISIBLE": "{outcome}, VISIBLE",
    "APPEND_AFTER_MARKER": "LATE, COMMITTED",
    "DUPLICATE_PAYLOAD": "DUPLICATE of {copied}",
    "HANGING_TXN": "HANGING",
    "REPEATED_KEY": "DUPLICATE",
    "ZOMBIE_WRITE_ACCEPTED": "ZOMBIE",
}
"""Label of a batch with a finding; by default the rule's name."""


class Annotations(NamedTuple):
    """Labels of findings in timelines."""

    findings: Mapping[tuple[str, int, int], Finding]
    """Findings by topic, partition and offset; of several the first."""
    lost: Mapping[tuple[str, int], Sequence[Finding]]
    """The batches that were in a log and are no more, by topic and partition."""

    def found_at(
        self, topic: str, partition: int, first_offset: int, last_offset: int
    ) -> Finding | None:
        """Return the finding of a batch, or of its first record that has one."""
        place = topic, partition
        if not self.findings:
            return None
        if len(self.findings) < last_offset - first_offset:
            offsets: Iterable[int] = sorted(
                offset
                for *found, offset in self.findings
                if tuple(found) == place and first_offset <= offset <= last_offset
            )
        else:
            offsets = range(first_offset, last_offset + 1)
        return next(
            (self.findings[*place, each] for each in offsets if (*place, each) in self.findings),
            None,
        )


def annotations_of(findings: Iterable[Finding]) -> Annotations:
    """Sort findings by their position in a timeline."""
    labelled: dict[tuple[str, int, int], Finding] = {}
    lost: dict[tuple[str, int], list[Finding]] = {}
    for each in findings:
        if each.topic is None or each.partition is None or each.first_offset is None:
            continue
        if each.rule in LOST:
            lost.setdefault((each.topic, each.partition), []).append(each)
        else:
            labelled.setdefault((each.topic, each.partition, each.first_offset), each)
    return Annotations(labelled, lost)


def finding_label(found: Finding, outcome: str) -> str:
    """Return the label of a batch with a finding; `outcome` is that of its transaction."""
    label = _LABELS.get(found.rule, found.rule.replace("_", " "))
    return label.format(outcome=outcome.upper(), copied=found.copied_offset)
