"""Edges of the state machines: starting states that take long to reach, and appends that fail.

The product has no switches for this. Epochs are records of the transaction log, which the
coordinator knows as its own; sequences are the clients' choice; and appends are refused by a
wrapper around the codec of the brokers' own records.
"""

import random
from typing import Final

from mockbroker.protocol.api_keys import ApiKey
from mockbroker.protocol.types import NO_TIMESTAMP
from mockbroker.state.producer.producer_state_entry import BATCHES_RETAINED, MAX_SEQUENCE
from mockbroker.state.topic.internal_topics import coordinator_partition
from mockbroker.state.topic.topic import CONSUMER_OFFSETS, SHARE_GROUP_STATE, TRANSACTION_STATE
from mockbroker.state.transaction.producer_epochs import LAST_PRODUCER_EPOCH
from mockbroker.state.transaction.topic_transaction_log import TopicTransactionLog
from mockbroker.state.transaction.transaction_log import TransactionLogValue
from mockbroker.state.transaction.transaction_metadata import TransactionMetadata
from mockbroker.state.transaction.transaction_state import TransactionState
from tests.simulation.refusals import MARKERS, REFUSALS, Refusal
from tests.simulation.world import World
from tests.support.in_process import NOW_MS

TRANSACTIONAL_IDS: Final = ("tx-0", "tx-1", "processor", "sharer 0", "sharer 1", "sharer 2")
_OLD_IDS: Final = 0.35
"""How often there are transactional ids whose epochs are nearly exhausted."""
_EPOCHS_LEFT_MAX: Final = 4
_HIGH_SEQUENCES: Final = 0.4
"""How often idempotent producers begin shortly before the sequences wrap."""
_SEQUENCES_LEFT_MAX: Final = 12
_FULL_WINDOWS: Final = 0.4
_COMMITS_ALONE: Final = 0.4
_SKIPPED_MAX: Final = 6
_REFUSED_MAX: Final = 3


def begin_at_edges(world: World) -> None:
    """Start some simulations shortly before the end of epochs and sequences."""
    lots = random.Random(f"{world.seed} edges")
    has = world.plan.has
    if has("old epochs", lots.random() < _OLD_IDS):
        for transactional_id in TRANSACTIONAL_IDS:
            producer_epoch = LAST_PRODUCER_EPOCH - lots.randint(0, _EPOCHS_LEFT_MAX)
            _age(world, transactional_id, producer_epoch)
    if has("high sequences", lots.random() < _HIGH_SEQUENCES):
        world.first_sequence = MAX_SEQUENCE - lots.randint(0, _SEQUENCES_LEFT_MAX)
    world.is_always_full = has("full windows", lots.random() < _FULL_WINDOWS)
    world.commits_alone = has("commits alone", lots.random() < _COMMITS_ALONE)
    world.commits_late = has("late commits", False)


def _age(world: World, transactional_id: str, producer_epoch: int) -> None:
    """Let a transactional id exist that has had nearly all of its epochs."""
    state = world.brokers.state
    index = coordinator_partition(TRANSACTION_STATE, transactional_id, state.configs)
    partition = world.brokers.partition(TRANSACTION_STATE, index)
    value = TransactionLogValue(
        state.producer_ids.generate_producer_id(partition.leader_id),
        producer_epoch,
        world.transaction_timeout_ms,
        int(TransactionState.EMPTY),
        None,
        NOW_MS,
        NO_TIMESTAMP,
    )
    TopicTransactionLog(partition.leader_id, state).append(
        index, transactional_id, value, coordinator_epoch=partition.leader_epoch, now_ms=NOW_MS
    )
    states = state.transaction_coordinator(partition.leader_id).states
    states.put_if_absent(TransactionMetadata.from_log(transactional_id, value))


def refuse_appends(world: World) -> None:
    """Let a coordinator's log, or partitions that are to get a marker, refuse some appends."""
    kinds = [TRANSACTION_STATE, TRANSACTION_STATE, CONSUMER_OFFSETS, MARKERS]
    if world.share_watch is not None:
        kinds.append(SHARE_GROUP_STATE)
    refusal = Refusal(
        world.random.choice(kinds),
        world.random.randint(0, _SKIPPED_MAX),
        world.random.randint(1, _REFUSED_MAX),
        world.random.choice(REFUSALS),
    )
    world.refusals.add(refusal)
    world.note(f"appends are refused: {refusal}")


def lose_a_window(world: World) -> None:
    """Lose as many answers in a row as a broker remembers batches of a producer."""
    made = world.cluster.fault(ApiKey.PRODUCE)
    made.lose_response("silence").times(BATCHES_RETAINED)
    world.note(f"fault {made.state}")
