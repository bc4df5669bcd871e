"""Rare states that a batch of simulations has to reach, by the names that `sightings.py` counts."""

from collections.abc import Mapping
from typing import Final

ENOUGH: Final = 500
"""The number of simulations that reach each of them."""
WANTED: Final[Mapping[str, str]] = {
    "sequence wraps within a batch": "it begins before and ends after sequence 2,147,483,647",
    "oldest of five batches is sent again": "the retry that is the longest ago of those remembered",
    "batch of the last epoch": "epoch 32,766",
    "marker of the epoch after the last": "epoch 32,767, which only coordinators use",
    "producer id replaced by Empty": "InitProducerId finds all epochs used",
    "producer id replaced by CompleteCommit": "a commit uses the last epoch",
    "producer id replaced by CompleteAbort": "an abort uses the last epoch",
    "EndTxn answers with a new producer id": "as the client learns of it (KIP-890)",
    "ProducersExpired": "a log forgets producers",
    "transaction times out": "its coordinator aborts it",
    "transactional id expires": "its coordinator forgets it",
    "refused: Empty": "the log refuses a new epoch",
    "refused: Ongoing": "the log refuses a partition that joins a transaction",
    "refused: PrepareCommit": "the log refuses a commit",
    "refused: PrepareAbort": "the log refuses an abort",
    "refused: completion": "the log refuses the end of a transaction, after its markers",
    "refused: Dead": "the log refuses the tombstone of a transactional id",
    "refused: markers": "a partition refuses a marker",
    "refused: __consumer_offsets": "the log refuses what a group wants to remember",
    "refused: __share_group_state": "the log refuses the state of a share partition",
    "PRODUCE: OUT_OF_ORDER_SEQUENCE_NUMBER": "a batch before it is missing",
    "PRODUCE: INVALID_PRODUCER_EPOCH": "a leader fences a producer",
    "PRODUCE: CONCURRENT_TRANSACTIONS": "a leader asks a coordinator that is busy",
    "ADD_PARTITIONS_TO_TXN: PRODUCER_FENCED": "a coordinator fences a producer",
    "END_TXN: PRODUCER_FENCED": "a fenced producer wants to commit",
    "END_TXN: INVALID_TXN_STATE": "there is nothing to commit",
    "INIT_PRODUCER_ID: CONCURRENT_TRANSACTIONS": "a predecessor's transaction is aborted first",
    "OFFSET_FETCH: UNSTABLE_OFFSET_COMMIT": "a transaction may still change the offset",
    "TXN_OFFSET_COMMIT: UNKNOWN_MEMBER_ID": "a group has gone on without its member",
    "OFFSET_COMMIT: UNKNOWN_MEMBER_ID": "the same outside of a transaction",
    "OFFSET_COMMIT: ILLEGAL_GENERATION": "a member commits in an old generation",
    "HEARTBEAT: REBALANCE_IN_PROGRESS": "a classic group rebalances",
    "CONSUMER_GROUP_HEARTBEAT: UNKNOWN_MEMBER_ID": "a session of a consumer group has ended",
    "classic group is Stable": "all members know what they own",
    "consumer group is Reconciling": "a member is to release partitions",
    "streams group is Reconciling": "a member is to release tasks",
    "share group is Stable": "a share group has members",
    "RecordsReleased": "locks of a share group end",
    "RecordsArchived": "a record was delivered as often as allowed",
    "SHARE_ACKNOWLEDGE: INVALID_RECORD_STATE": "an acknowledgement comes too late",
    "LogTruncated": "a log loses records that nobody was promised",
    "LeaderElected": "a partition has another leader",
    "FETCH: OFFSET_OUT_OF_RANGE": "the log starts later, or ends earlier, than a reader knows",
}
"""Each state, and what it means."""


def unreached(counts: Mapping[str, int]) -> list[str]:
    """Return the states that no simulation has reached."""
    return [name for name in WANTED if not counts.get(name)]


def table(counts: Mapping[str, int], runs: int) -> list[str]:
    """Return a line for each state, with the number of simulations that have reached it."""
    return [f"{counts.get(name, 0):7} of {runs}  {name}: {what}" for name, what in WANTED.items()]
