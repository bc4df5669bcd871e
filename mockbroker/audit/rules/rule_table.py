"""Table of the audit's rules: for each its meaning, the facts that it needs, and its severity.

The page `docs/reference/audit-rules.md` is generated from the rows. The modules that judge a rule
are named after their subject (`sequence_rules.py`, …).
"""

from collections.abc import Mapping
from enum import StrEnum
from typing import Final, NamedTuple

from mockbroker.audit.finding import Severity


class Need(StrEnum):
    """Facts that the evidence must have for a rule to be judged."""

    APPENDS = "appends"
    """The headers of batches and markers, in each log's order."""
    STABLE_OFFSETS = "stable offsets"
    """The last stable offset after each append."""
    TRANSITIONS = "transitions"
    """Transitions of transactional ids in the coordinators' logs."""
    ANSWERS = "answers"
    """Requests of clients, and their responses."""
    READS = "reads"
    """Fetch requests."""
    CONTENTS = "contents"
    """The records' contents, or their checksums."""
    VIEWS = "views"
    """Records that read_committed consumers can read."""


JOURNAL: Final = frozenset(
    {
        *(Need.APPENDS, Need.STABLE_OFFSETS, Need.TRANSITIONS, Need.ANSWERS, Need.READS),
        Need.CONTENTS,
    }
)
"""Facts in every journal."""
TOPIC: Final = frozenset({Need.APPENDS})
"""Facts in the batches of a topic."""


class AuditRule(NamedTuple):
    """A rule of the audit."""

    name: str
    severity: Severity
    sentence: str
    """The violation, as one sentence."""
    legitimate: str
    """Similar behaviour of Kafka that is not a finding."""
    needs: frozenset[Need]
    advice: str = ""


_APPENDS: Final = frozenset({Need.APPENDS})
_COORDINATED: Final = frozenset({Need.APPENDS, Need.TRANSITIONS})
_E: Final = Severity.ERROR
_W: Final = Severity.WARNING

_VERIFY: Final = (
    "brokers before Kafka 3.6 accept such a batch if they have not seen the newer epoch or the "
    "marker; later ones verify it with the coordinator and refuse it (KIP-890)."
)

_RULES: Final = (
    AuditRule(
        "DUPLICATE_APPEND",
        _E,
        "A batch was appended although the log has batches of its producer, epoch and sequence.",
        "A retry that was recognised and not appended; a sequence that is used again after its"
        " batch was truncated, or its topic deleted; 0 after 2^31 - 1.",
        _APPENDS,
        "check whether the leader lost its producer state, as after an unclean restart or a"
        " reassignment: it then takes retries for new batches. Consumers that must not process a"
        " record twice can drop duplicates by a key of their own.",
    ),
    AuditRule(
        "DUPLICATE_PAYLOAD",
        _E,
        "The same records were appended again, by a producer without sequences, or by another one.",
        "Records that an application sends twice: the first was acknowledged before the second was"
        " sent.",
        frozenset({Need.APPENDS, Need.ANSWERS, Need.CONTENTS}),
    ),
    AuditRule(
        "SEQUENCE_GAP",
        _E,
        "Batches are missing between two of a producer and epoch, or before its first.",
        "A producer whose start is unknown: the journal or the log begins later, or the log forgot"
        " the producer; a batch that arrives late (it is part of the gap's finding).",
        _APPENDS,
        "find out why the earlier batches are missing: brokers since Kafka 2.5 accept any first"
        " sequence of an unknown producer, so its first write may be lost without an error.",
    ),
    AuditRule(
        "LOST_ACKED",
        _E,
        "A batch was acknowledged to its client, and no log has it.",
        "acks=0; a batch that was acknowledged as a retry of one that the log has.",
        frozenset({Need.APPENDS, Need.ANSWERS}),
    ),
    AuditRule(
        "ACKED_NOT_DURABLE",
        _E,
        "A batch was acknowledged, and then truncated, or replaced by a new leader's batch.",
        "Records that retention, DeleteRecords or the deletion of the topic removed; records of"
        " aborted or undecided transactions; records that were sent again and stored.",
        frozenset({Need.APPENDS, Need.ANSWERS}),
    ),
    AuditRule(
        "APPEND_AFTER_MARKER",
        _E,
        "A transactional batch was appended after the end of its transaction, in the next one.",
        "The first batch of the next transaction, which its coordinator knows.",
        _COORDINATED,
        _VERIFY,
    ),
    AuditRule(
        "HANGING_TXN",
        _E,
        "A transaction is open in a log and unknown to every coordinator, so it never ends.",
        "A transaction that is open at the end of the evidence, and that its coordinator knows.",
        _COORDINATED,
        "find the client that wrote a batch after the end of its transaction."
        " `kafka-transactions.sh abort` unblocks the consumers; brokers since Kafka 3.6 refuse such"
        " a batch (KIP-890).",
    ),
    AuditRule(
        "LSO_STUCK",
        _W,
        "A partition's last stable offset stayed below the high watermark for too long.",
        "Shorter waits (the threshold is a parameter); a high watermark that waits for replicas.",
        frozenset({Need.APPENDS, Need.STABLE_OFFSETS}),
        "use shorter transactions, or a shorter timeout: transaction.timeout.ms of the producer.",
    ),
    AuditRule(
        "ZOMBIE_WRITE_ACCEPTED",
        _E,
        "A batch of a producer was appended after its transactional id had a newer epoch.",
        "Batches that the abort with the new epoch removes.",
        _COORDINATED,
        _VERIFY,
    ),
    AuditRule(
        "UNFENCED_EPOCH",
        _E,
        "A producer id and epoch were assigned twice: neither producer is fenced by the other.",
        "A repeated answer to a producer that sends its present producer id and epoch (KIP-360).",
        frozenset({Need.ANSWERS}),
        "coordinators must not lose their log: use more replicas of __transaction_state, and no"
        " unclean elections of it.",
    ),
    AuditRule(
        "EPOCH_REGRESSION",
        _E,
        "A partition accepted a batch or marker with a lower epoch than an earlier one had.",
        "A new epoch, which begins again at sequence 0; another producer id.",
        _APPENDS,
        "the leader did not know the newer epoch: check whether it lost its producer state.",
    ),
    AuditRule(
        "MARKER_WITHOUT_TXN",
        _E,
        "A marker was written without a coordinator's decision, or against it.",
        "A marker in a partition that was added and got no data; a manual abort of a hanging"
        " transaction.",
        _COORDINATED,
        "find its writer: markers are written by coordinators, and by `kafka-transactions.sh"
        " abort`.",
    ),
    AuditRule(
        "DOUBLE_MARKER",
        _W,
        "A partition got more than one marker for one transaction.",
        "A marker that another coordinator repeats after a failover.",
        _COORDINATED,
        "a repeated marker does no harm if no transaction is open; find its writer.",
    ),
    AuditRule(
        "PREPARED_TXN_EXPIRED",
        _E,
        "A transaction was aborted by its timeout, and then its application requested the commit.",
        "A timeout of a transaction without a commit; a commit in time.",
        frozenset({Need.TRANSITIONS, Need.ANSWERS}),
        "commit within transaction.timeout.ms; a sink whose decision is made elsewhere needs"
        " two-phase commit (KIP-939), whose transactions do not expire.",
    ),
    AuditRule(
        "UNKNOWN_PID_RESET",
        _W,
        "A log had forgotten a producer, which began again at sequence 0 under the same epoch.",
        "A producer that continues its sequence; a new epoch (KIP-360); another producer id.",
        _APPENDS,
        "use a longer producer.id.expiration.ms, or clients since Kafka 2.5: they request a new"
        " epoch, which distinguishes a restart from a loss (KIP-360).",
    ),
    AuditRule(
        "ABORTED_VISIBLE",
        _E,
        "read_committed consumers can read records that were aborted, or are undecided.",
        "Aborted records in the index of aborted transactions; records that are committed in the"
        " end.",
        frozenset({Need.APPENDS, Need.STABLE_OFFSETS}),
    ),
    AuditRule(
        "OFFSET_GAP_UNEXPLAINED",
        _E,
        "A batch's first offset is not the end of its log, without a truncation that explains it.",
        "Batches that were truncated, deleted with their topic, or removed at the log's start; in"
        " a topic that is read back, batches that compaction removed.",
        _APPENDS,
        "check that the evidence is complete: a journal may lack a part, and a topic may be"
        " compacted.",
    ),
    AuditRule(
        "TOPIC_ID_CHANGED_UNDER_READER",
        _W,
        "A consumer continued at its old offset in a topic that was deleted and recreated.",
        "A consumer that starts again, or moves to another offset.",
        frozenset({Need.READS}),
        "recreate a topic only if no consumer has offsets of the old one, in a group or a"
        " checkpoint.",
    ),
    AuditRule(
        "RETRY_STORM",
        _W,
        "A batch was sent again, or refused, at least as often as the threshold.",
        "Fewer retries, which are the normal reaction to errors.",
        frozenset({Need.ANSWERS}),
        "find the cause in the errors of the responses; delivery.timeout.ms and retry.backoff.ms"
        " limit the number of retries.",
    ),
)

RULES: Final[Mapping[str, AuditRule]] = {rule.name: rule for rule in _RULES}
"""All rules by name, in the order in which they are listed."""
