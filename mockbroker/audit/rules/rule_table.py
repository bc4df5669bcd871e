"""Table of the audit's rules: for each its meaning, the facts that it needs, and its severity.

The page `docs/reference/audit-rules.md` is generated from the rows. The modules that judge a rule
are named after their subject (`sequence_rules.py`, …).
"""

from collections.abc import Iterable, Mapping
from enum import StrEnum
from typing import Final, NamedTuple

from mockbroker.audit.finding import Finding, Severity
from mockbroker.audit.runs.run import Run
from mockbroker.audit.words import place_text


class Need(StrEnum):
    """Facts that the evidence must have for a rule to be judged."""

    APPENDS = "appends"
    """The headers of batches and markers, in each log's order."""
    STABLE_OFFSETS = "stable offsets"
    """The last stable offset after each append."""
    TRANSITIONS = "transitions"
    """Transitions of transactional ids in the coordinators' logs."""
    STATES = "states of transactional ids"
    """The transactions that coordinators know where the evidence ends."""
    ANSWERS = "answers"
    """Requests of clients, and their responses."""
    READS = "reads"
    """Fetch requests."""
    CONTENTS = "contents"
    """The contents of records, or their checksums."""
    ASSIGNMENTS = "assignments"
    """What members of groups own."""
    DELIVERIES = "deliveries"
    """What share groups deliver, and what their members acknowledge."""
    OFFSETS = "committed offsets"
    """Offsets that groups commit, with the ends of the logs at that moment."""
    FETCHED = "fetched records"
    """The offsets of the batches in responses to Fetch requests."""
    VIEWS = "views"
    """Records that read_committed consumers can read."""


JOURNAL: Final = frozenset(
    {
        *(Need.APPENDS, Need.STABLE_OFFSETS, Need.TRANSITIONS, Need.STATES, Need.ANSWERS),
        *(Need.READS, Need.CONTENTS, Need.ASSIGNMENTS, Need.DELIVERIES, Need.OFFSETS),
        Need.FETCHED,
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

    def finding_at(
        self,
        run: Run,
        text: str,
        first_offset: int | None,
        last_offset: int | None,
        evidence: Iterable[int],
    ) -> Finding:
        """Return a violation in the partition, by the producer and at the time of a run."""
        return Finding(
            self.name,
            self.severity,
            f"{place_text(run.place)}: {text}",
            self.advice,
            topic=run.topic,
            partition=run.partition,
            producer_id=run.producer_id,
            producer_epoch=run.producer_epoch,
            first_offset=first_offset,
            last_offset=last_offset,
            virtual_time_ms=run.virtual_time_ms,
            evidence=tuple(sorted(set(evidence))),
        )


_APPENDS: Final = frozenset({Need.APPENDS})
_COORDINATED: Final = frozenset({Need.APPENDS, Need.TRANSITIONS})
_E: Final = Severity.ERROR
_W: Final = Severity.WARNING

_VERIFY: Final = (
    "brokers before Kafka 3.6 accept such a batch if they have not seen the newer epoch or the "
    "marker. Later brokers verify it with the coordinator and refuse it (KIP-890)."
)

_RULES: Final = (
    AuditRule(
        "DUPLICATE_APPEND",
        _E,
        "A batch was appended although the log already has its producer id, epoch and sequence.",
        "A retry that the broker recognised and did not append; a sequence that is used again"
        " after its batch was truncated or its topic deleted; sequence 0 after 2^31 - 1.",
        _APPENDS,
        "check whether the leader had lost its producer state, as after an unclean restart or a"
        " reassignment: it then treats retries as new batches. Readers that must not see a record"
        " twice can drop duplicates by a key of the application.",
    ),
    AuditRule(
        "DUPLICATE_PAYLOAD",
        _E,
        "The same records were appended again, by a producer without sequences or by another one;"
        " if they are compared by identity, the finding names both producers.",
        "Equal records that the application sent twice: the first was acknowledged before the"
        " second was sent.",
        frozenset({Need.APPENDS, Need.ANSWERS, Need.CONTENTS}),
    ),
    AuditRule(
        "SEQUENCE_GAP",
        _E,
        "Batches of a producer and epoch are missing between two others, or before the first.",
        "A producer whose first batch is unknown, because the journal or the log begins later or"
        " the log forgot the producer; a late batch (it is part of the gap's finding).",
        _APPENDS,
        "look for the missing batches: brokers since Kafka 2.5 accept any first sequence of an"
        " unknown producer, except of transactions with transaction.version 2, so a first write can"
        " be lost unnoticed.",
    ),
    AuditRule(
        "LOST_ACKED",
        _E,
        "A batch was acknowledged, and is in no log.",
        "acks=0; a batch that was acknowledged as a retry of one in the log.",
        frozenset({Need.APPENDS, Need.ANSWERS}),
    ),
    AuditRule(
        "ACKED_NOT_DURABLE",
        _E,
        "An acknowledged batch was truncated, or replaced by the batch of another leader; or it was"
        " committed, and the marker of a later transaction aborts it: its own one was truncated.",
        "Records that were removed by retention, by DeleteRecords or with their topic; records of"
        " aborted or open transactions; records that were sent again and stored.",
        frozenset({Need.APPENDS, Need.ANSWERS}),
    ),
    AuditRule(
        "APPEND_AFTER_MARKER",
        _E,
        "A transactional batch was appended after the end of its transaction, and so belongs to the"
        " next one.",
        "The first batch of the next transaction, if the coordinator knows that transaction.",
        _COORDINATED,
        _VERIFY,
    ),
    AuditRule(
        "HANGING_TXN",
        _E,
        "A transaction is open in a log, and no coordinator knows it, so it will never end.",
        "A transaction that is open at the end of the evidence and that its coordinator knows, or"
        " may know again, since the end of the coordinators' log was truncated.",
        frozenset({Need.APPENDS, Need.STATES}),
        "find the producer that wrote a batch after the end of its transaction. Readers continue"
        " after `kafka-transactions.sh abort`; brokers since Kafka 3.6 refuse such a batch"
        " (KIP-890).",
    ),
    AuditRule(
        "LSO_STUCK",
        _W,
        "A partition's last stable offset stayed below the high watermark for too long.",
        "Shorter waits (the threshold is a parameter); a high watermark that waits for replicas.",
        frozenset({Need.APPENDS, Need.STABLE_OFFSETS}),
        "shorten the transactions, or their timeout (transaction.timeout.ms of the producer).",
    ),
    AuditRule(
        "ZOMBIE_WRITE_ACCEPTED",
        _E,
        "A batch was appended after the transactional id of its producer had a newer epoch.",
        "A batch that the abort with the new epoch rolls back.",
        _COORDINATED,
        _VERIFY,
    ),
    AuditRule(
        "UNFENCED_EPOCH",
        _E,
        "A producer id and epoch were assigned twice, so neither producer fences the other.",
        "A repeated response to a producer that names its current id and epoch (KIP-360).",
        frozenset({Need.ANSWERS}),
        "protect the log of the coordinators: give __transaction_state more replicas, and allow no"
        " unclean elections of it.",
    ),
    AuditRule(
        "EPOCH_REGRESSION",
        _E,
        "A partition accepted a batch or marker with a lower epoch than it had of the producer.",
        "A new epoch, which starts at sequence 0; another producer id.",
        _APPENDS,
        "check whether the leader had lost its producer state: it did not know the newer epoch.",
    ),
    AuditRule(
        "MARKER_WITHOUT_TXN",
        _E,
        "A marker was written without a decision of a coordinator, or contradicts the decision.",
        "A marker in a partition that was added and got no data; a manual abort of a hanging"
        " transaction.",
        _COORDINATED,
        "find the writer of the marker: coordinators write markers, and so does"
        " `kafka-transactions.sh abort`.",
    ),
    AuditRule(
        "DOUBLE_MARKER",
        _W,
        "A partition got more than one marker for one transaction.",
        "A marker that a new coordinator sends again after a failover.",
        _COORDINATED,
        "find the sender of the second marker. It does no harm if no transaction is open.",
    ),
    AuditRule(
        "PREPARED_TXN_EXPIRED",
        _E,
        "A transaction timed out and was aborted before its application requested the commit.",
        "A timeout of a transaction that is never committed; a commit in time.",
        frozenset({Need.TRANSITIONS, Need.ANSWERS}),
        "commit within transaction.timeout.ms. A sink whose outcome is decided elsewhere needs"
        " two-phase commit (KIP-939), whose transactions do not expire.",
    ),
    AuditRule(
        "WRONG_TXN_ENDED",
        _E,
        "A transaction was committed or aborted by an EndTxn that was sent for an earlier one and"
        " arrived late.",
        "A late EndTxn that ends nothing, because the next transaction has not begun or has another"
        " epoch; an end by the coordinator, or by an operator.",
        frozenset({Need.TRANSITIONS, Need.ANSWERS}),
        "use clients that know transaction.version 2 (KIP-890, since Kafka 4.0), on brokers where"
        " it is on: each transaction then has its own epoch, and a late EndTxn is refused.",
    ),
    AuditRule(
        "UNKNOWN_PID_RESET",
        _W,
        "A log forgot a producer, which then started again at sequence 0 in the same epoch.",
        "A producer that continues its sequence; a new epoch (KIP-360); another producer id.",
        _APPENDS,
        "set a longer producer.id.expiration.ms, or use clients since Kafka 2.5, which request a"
        " new epoch in this case (KIP-360).",
    ),
    AuditRule(
        "ABORTED_VISIBLE",
        _E,
        "read_committed readers get records of aborted or undecided transactions, or of aborted"
        " ones that the marker of a later transaction commits.",
        "Aborted records that the index of aborted transactions lists; records of a transaction"
        " that commits in the end.",
        frozenset({Need.APPENDS, Need.STABLE_OFFSETS}),
    ),
    AuditRule(
        "OFFSET_GAP_UNEXPLAINED",
        _E,
        "A batch's first offset is not the end of its log, and no truncation explains it.",
        "Records that were truncated, deleted with their topic, or removed from the start of the"
        " log; in an audit of a topic, records that compaction removed.",
        _APPENDS,
        "check whether the evidence is complete: a part of the journal may be missing, or the topic"
        " may be compacted.",
    ),
    AuditRule(
        "TOPIC_ID_CHANGED_UNDER_READER",
        _W,
        "A reader continued at its old offset in a topic that was deleted and created again.",
        "A reader that starts again, or is reset to another offset.",
        frozenset({Need.READS}),
        "recreate a topic only if no group and no checkpoint has offsets of the old topic.",
    ),
    AuditRule(
        "RETRY_STORM",
        _W,
        "A batch was retried or refused at least as often as the threshold.",
        "Fewer retries, with which producers recover from errors.",
        frozenset({Need.ANSWERS}),
        "look for the cause in the errors of the responses. delivery.timeout.ms and"
        " retry.backoff.ms limit the number of retries.",
    ),
    AuditRule(
        "OWNED_TWICE",
        _E,
        "Two members of a group owned a partition, or an active task, at the same time.",
        "A member that was removed from the group and does not know it yet; partitions that members"
        " exchange in one rebalance; members of a share group, which share partitions.",
        frozenset({Need.ASSIGNMENTS}),
        "a partition may be assigned again only once its owner has given it up, or was removed from"
        " the group; in a classic group, the assignor of the leader's client decides.",
    ),
    AuditRule(
        "DELIVERED_BEYOND_LIMIT",
        _E,
        "A share group delivered a record more often than its limit allows.",
        "Deliveries that the share coordinator has not stored when another leader takes over: it"
        " does not count them; one more delivery of a record that was released before the limit was"
        " lowered; records after a reset of the group's offsets.",
        frozenset({Need.DELIVERIES}),
        "check whether the share coordinator's log has lost delivery counts: give"
        " __share_group_state more replicas, and allow no unclean elections of it.",
    ),
    AuditRule(
        "ACKNOWLEDGED_TWICE",
        _E,
        "A share group delivered or accepted a record again after a member had accepted or rejected"
        " it, and got no error.",
        "Records that were released, or whose lock has expired: share groups deliver at least once;"
        " an acknowledgement that was refused; a repeated acknowledgement of records before the"
        " start offset; records after a reset of the group's offsets.",
        frozenset({Need.DELIVERIES}),
        "check whether the share coordinator's log has lost acknowledgements: give"
        " __share_group_state more replicas, and allow no unclean elections of it.",
    ),
    AuditRule(
        "COMMITTED_BEYOND_LOG",
        _E,
        "A group committed an offset beyond the end of the log.",
        "The offset of a record that was truncated since the group read it.",
        frozenset({Need.OFFSETS}),
        "commit the offset after a record that was read. A reader that starts beyond the end of the"
        " log is reset by auto.offset.reset, or misses the records up to there.",
    ),
    AuditRule(
        "COMMITTED_BACKWARDS",
        _W,
        "A group's committed offset went back, although its reader did not.",
        "A reader that goes back (seek), or begins at an older offset, and commits from there, if a"
        " Fetch of it shows that before it closes or loses the partition; a commit of a client that"
        " is no member and uses no transaction, such as a tool that resets offsets; an offset"
        " that was removed, or whose records were truncated.",
        frozenset({Need.OFFSETS, Need.READS}),
        "let one thread commit, and send no older offset again after a newer one: the next owner of"
        " the partition processes these records again.",
    ),
    AuditRule(
        "ABORTED_AFTER_DELIVERY",
        _W,
        "Records were delivered to a read_uncommitted reader, and aborted then.",
        "Records of a transaction that is committed in the end, or that had been aborted when they"
        " were delivered; records that were truncated; read_committed readers; members of a share"
        " group, whatever its share.isolation.level is.",
        frozenset({Need.APPENDS, Need.FETCHED}),
        "set isolation.level=read_committed for readers that must not process what is aborted; it"
        " is not the default of every client.",
    ),
    AuditRule(
        "OFFSETS_OUTSIDE_TRANSACTION",
        _W,
        "A member of a group committed offsets outside of the transactions in which its application"
        " writes: its others are in transactions, or its client id has begun one since it last"
        " joined or committed.",
        "An offset that the group has committed before; another member or partition whose offsets"
        " are in no transaction; a client id of several groups or transactional ids, or one that a"
        " library has chosen; a transaction that writes to the topic which the group reads.",
        frozenset({Need.OFFSETS, Need.READS}),
        "turn enable.auto.commit off, and commit offsets only with sendOffsetsToTransaction: what"
        " was produced from these records may be aborted, and they are not read again. Only a"
        " record that nothing is produced from, as one that cannot be parsed, may be skipped so.",
    ),
    AuditRule(
        "COMMITTED_UNREAD",
        _W,
        "A member of a group committed an offset past records that no response to a Fetch had.",
        "Records before the offset at which a group without an offset began to read; records that"
        " were removed, compacted or truncated; markers; an offset of a client that is no member,"
        " or that has read nothing of the partition and commits for others.",
        frozenset({Need.APPENDS, Need.READS, Need.FETCHED, Need.OFFSETS}),
        "commit the offset after the last record that was processed. If the reader was moved by a"
        " seek or by auto.offset.reset, the group has skipped these records.",
    ),
    AuditRule(
        "ORDER_CHANGED",
        _E,
        "A batch was appended by a retry, after batches that its client had sent later.",
        "Batches with sequences, whose order brokers keep; batches of other connections; a batch"
        " that was appended at the first try, and again later (it is a duplicate); acks=0; a retry"
        " in another batch: librdkafka may join records that it retries with later ones.",
        frozenset({Need.APPENDS, Need.ANSWERS, Need.CONTENTS}),
        "enable.idempotence=true keeps the order of retries; without it,"
        " max.in.flight.requests.per.connection=1 does.",
    ),
)

RULES: Final[Mapping[str, AuditRule]] = {rule.name: rule for rule in _RULES}
"""All rules by name, in the order in which they are listed."""
