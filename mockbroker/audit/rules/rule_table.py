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
    "brokers before Kafka 3.6 take such a batch where they have not seen the newer epoch or the "
    "marker; later ones verify it with the coordinator and refuse it (KIP-890)."
)

_RULES: Final = (
    AuditRule(
        "DUPLICATE_APPEND",
        _E,
        "A batch was appended although the log has batches of its producer, epoch and sequence.",
        "A retry that was known again and not appended; a sequence that comes again after its"
        " batch was truncated, or its topic deleted; 0 that follows 2^31 - 1.",
        _APPENDS,
        "had the leader lost the producers' state, as after an unclean restart or a reassignment?"
        " Its retries are then taken for new. Readers that must not see a record twice drop them by"
        " a key of theirs.",
    ),
    AuditRule(
        "DUPLICATE_PAYLOAD",
        _E,
        "The same records were appended again, by a producer that has no sequences, or another.",
        "What an application sends twice: the first was acknowledged before the second came.",
        frozenset({Need.APPENDS, Need.ANSWERS, Need.CONTENTS}),
    ),
    AuditRule(
        "SEQUENCE_GAP",
        _E,
        "Batches are missing between two of a producer and epoch, or before its first.",
        "A producer whose beginning is not known: the journal or the log begins later, or the log"
        " forgot it; a batch that comes late (it is part of the gap's finding).",
        _APPENDS,
        "find out what became of the batches before: brokers since Kafka 2.5 take any first"
        " sequence of a producer that they do not know, and so a first write may be lost unseen.",
    ),
    AuditRule(
        "LOST_ACKED",
        _E,
        "A client was told that its batch is stored, and no log got it.",
        "acks=0; what was acknowledged as a retry of a batch that the log has.",
        frozenset({Need.APPENDS, Need.ANSWERS}),
    ),
    AuditRule(
        "ACKED_NOT_DURABLE",
        _E,
        "A batch was acknowledged, and then cut off, or another leader's took its place.",
        "What retention or DeleteRecords removed, or went with its topic; what was aborted, or is"
        " not decided; what was sent again and stored.",
        frozenset({Need.APPENDS, Need.ANSWERS}),
    ),
    AuditRule(
        "APPEND_AFTER_MARKER",
        _E,
        "A transactional batch came after the end of its transaction, and went into the next one.",
        "The first batch of the next transaction, which its coordinator knows of.",
        _COORDINATED,
        _VERIFY,
    ),
    AuditRule(
        "HANGING_TXN",
        _E,
        "A transaction is open in a log, and no coordinator knows of it: nobody will end it.",
        "A transaction that is not over where the evidence ends, and that its coordinator knows.",
        _COORDINATED,
        "find what wrote a batch behind the end of its transaction. Readers get on after"
        " `kafka-transactions.sh abort`; brokers since Kafka 3.6 refuse such a batch (KIP-890).",
    ),
    AuditRule(
        "LSO_STUCK",
        _W,
        "A partition's last stable offset stood still below the high watermark for too long.",
        "Shorter waits (the threshold is a parameter); a high watermark that waits for replicas.",
        frozenset({Need.APPENDS, Need.STABLE_OFFSETS}),
        "let transactions be shorter, or their timeout: transaction.timeout.ms of the producer.",
    ),
    AuditRule(
        "ZOMBIE_WRITE_ACCEPTED",
        _E,
        "A batch of a producer was appended after its transactional id had a newer epoch.",
        "What the abort that comes with the new epoch takes back.",
        _COORDINATED,
        _VERIFY,
    ),
    AuditRule(
        "UNFENCED_EPOCH",
        _E,
        "A producer id and epoch were given out twice: neither writer is fenced by the other.",
        "An answer that is repeated to who names the producer id and epoch that it had (KIP-360).",
        frozenset({Need.ANSWERS}),
        "coordinators must not lose what they logged: more replicas of __transaction_state, and no"
        " unclean elections of it.",
    ),
    AuditRule(
        "EPOCH_REGRESSION",
        _E,
        "A partition took a batch or marker of a lower epoch than it had seen of the producer.",
        "A new epoch, which begins again at sequence 0; another producer id.",
        _APPENDS,
        "the leader did not know the newer epoch: had it lost the producers' state?",
    ),
    AuditRule(
        "MARKER_WITHOUT_TXN",
        _E,
        "A marker was written that no coordinator had decided on, or that says the opposite.",
        "A marker in a partition that was added and got no data; an abort by hand that ends what"
        " hangs.",
        _COORDINATED,
        "find who wrote it: markers are written by coordinators, and by"
        " `kafka-transactions.sh abort`.",
    ),
    AuditRule(
        "DOUBLE_MARKER",
        _W,
        "A partition got more than one marker for one transaction.",
        "A marker that another coordinator sends again after a failover.",
        _COORDINATED,
        "it does no harm where nothing is open; find who sent it twice.",
    ),
    AuditRule(
        "PREPARED_TXN_EXPIRED",
        _E,
        "A transaction was aborted for its age, and then its application asked for the commit.",
        "An abort for its age of what nobody commits; a commit that comes in time.",
        frozenset({Need.TRANSITIONS, Need.ANSWERS}),
        "what is to be committed must be so within transaction.timeout.ms; a sink that decides"
        " elsewhere needs two-phase commit (KIP-939), whose transactions do not expire.",
    ),
    AuditRule(
        "UNKNOWN_PID_RESET",
        _W,
        "A log had forgotten a producer, which began again at sequence 0 under the same epoch.",
        "A producer that goes on where it was; a new epoch (KIP-360); another producer id.",
        _APPENDS,
        "a longer producer.id.expiration.ms, or clients since Kafka 2.5: they ask for a new epoch,"
        " which tells the two apart (KIP-360).",
    ),
    AuditRule(
        "ABORTED_VISIBLE",
        _E,
        "read_committed readers are given records that were aborted, or are not decided.",
        "What was aborted and is in the index of aborted transactions; what is committed in the"
        " end.",
        frozenset({Need.APPENDS, Need.STABLE_OFFSETS}),
    ),
    AuditRule(
        "OFFSET_GAP_UNEXPLAINED",
        _E,
        "A batch's first offset is not the end of its log, and no truncation says why.",
        "What was truncated, deleted with its topic, or removed from the log's beginning; in a"
        " topic that is read back, what compaction removed.",
        _APPENDS,
        "is the evidence whole? A journal may have lost a part; a topic may be compacted.",
    ),
    AuditRule(
        "TOPIC_ID_CHANGED_UNDER_READER",
        _W,
        "A reader went on at its old offset in a topic that had been deleted and made anew.",
        "A reader that begins anew, or is sent to another offset.",
        frozenset({Need.READS}),
        "make a topic anew only when no reader has offsets of the old one, in a group or a"
        " checkpoint.",
    ),
    AuditRule(
        "RETRY_STORM",
        _W,
        "A batch came again, or was refused, as often as the threshold or more.",
        "Fewer retries: they are how producers get over errors.",
        frozenset({Need.ANSWERS}),
        "what refuses it? The answers' errors say so; delivery.timeout.ms and retry.backoff.ms"
        " bound how often it comes.",
    ),
)

RULES: Final[Mapping[str, AuditRule]] = {rule.name: rule for rule in _RULES}
"""All rules by name, in the order in which they are listed."""
