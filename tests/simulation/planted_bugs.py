"""Bugs that simulations must find, each in another machine of the brokers."""

from typing import Final

from tests.simulation.planting import Planted

_PRODUCERS: Final = "mockbroker.state.producer"
_TRANSACTIONS: Final = "mockbroker.state.transaction"
_GROUPS: Final = "mockbroker.state.group"
_SHARE: Final = "mockbroker.state.share"

PLANTED: Final = (
    Planted(
        "a window of four batches",
        39,
        f"{_PRODUCERS}.producer_state_manager",
        "self._retained_bytes = options.batches_retained * BATCH_BYTES",
        "self._retained_bytes = (options.batches_retained - 1) * BATCH_BYTES",
    ),
    Planted(
        "EndTxn accepts an older epoch",
        27,
        f"{_TRANSACTIONS}.end_txn",
        "if epochs_ahead < 0 or (must_be_equal and epochs_ahead):",
        "if epochs_ahead > 0 and must_be_equal:",
    ),
    Planted(
        "an offset commit of an old generation",
        107,
        f"{_GROUPS}.group_checks",
        "    if committer.generation_id != group.generation_id:\n"
        "        raise illegal_generation(group, committer.generation_id)\n\n\n"
        "def illegal_generation",
        "    if committer.generation_id > group.generation_id:\n"
        "        raise illegal_generation(group, committer.generation_id)\n\n\n"
        "def illegal_generation",
        sharing="classic",
    ),
    Planted(
        "sequences do not wrap",
        3,
        f"{_PRODUCERS}.producer_append_info",
        "expected_sequence = 0 if last_sequence == MAX_SEQUENCE else last_sequence + 1",
        "expected_sequence = last_sequence + 1",
    ),
    Planted(
        "sequences are not compared",
        2,
        f"{_PRODUCERS}.producer_append_info",
        "        if header.base_sequence == expected_sequence:\n",
        "        if header.base_sequence >= 0:\n",
    ),
    Planted(
        "one epoch too many",
        3,
        f"{_TRANSACTIONS}.transaction_metadata",
        "return self.producer_epoch >= LAST_PRODUCER_EPOCH",
        "return self.producer_epoch > LAST_PRODUCER_EPOCH",
    ),
    Planted(
        "a refused append stays pending",
        12,
        f"{_TRANSACTIONS}.transaction_state_manager",
        "            if refusal.code not in keeps_pending_for:\n",
        "            if refusal.code in keeps_pending_for:\n",
    ),
    Planted(
        "a refused marker counts as written",
        20,
        f"{_TRANSACTIONS}.transaction_marker_channel",
        "            elif code in _RETRIED:\n                retried = True\n",
        "",
    ),
    Planted(
        "half of a transaction is aborted",
        0,
        f"{_TRANSACTIONS}.transaction_marker_channel",
        "                pending.marker,\n",
        "                pending.marker._replace(\n"
        "                    is_commit=pending.marker.is_commit and not topic_partition.partition\n"
        "                ),\n",
    ),
    Planted(
        "a new coordinator writes no markers",
        18,
        f"{_TRANSACTIONS}.transaction_coordinator",
        "            if transaction.metadata.state in PREPARED:\n",
        "            if transaction.metadata.state is None:\n",
    ),
    Planted(
        "a new instance does not fence",
        19,
        f"{_TRANSACTIONS}.transaction_metadata",
        "        producer_epoch = self.producer_epoch + 1\n"
        "        last_producer_epoch = NO_PRODUCER_EPOCH\n        if expected",
        "        producer_epoch = max(self.producer_epoch, 0)\n"
        "        last_producer_epoch = NO_PRODUCER_EPOCH\n        if expected",
    ),
    Planted(
        "aborted offsets count",
        4,
        f"{_GROUPS}.offset_metadata_manager",
        "            if is_commit and self._put(group_id, partition, value):\n",
        "            if self._put(group_id, partition, value):\n",
    ),
    Planted(
        "aborted transactions that began before a fetch are not named",
        50,
        f"{_PRODUCERS}.transaction_index",
        "            if transaction.first_offset < up_to_offset:\n",
        "            if fetch_offset <= transaction.first_offset < up_to_offset:\n",
    ),
    Planted(
        "a second open transaction does not hold the last stable offset",
        0,
        f"{_PRODUCERS}.ongoing_transactions",
        "        undecided = next(iter(self._ongoing), STABLE)\n",
        "        undecided = next(iter(self._ongoing), STABLE) if len(self) > 1 else STABLE\n",
    ),
    Planted(
        "a follower keeps what its leader never had",
        4,
        "mockbroker.state.replication.replicas.log_following",
        "            return min(own.end_offset, theirs.end_offset, log.log_end_offset)\n",
        "            return log.log_end_offset\n",
    ),
    Planted(
        "a partition is given away before it is released",
        0,
        f"{_GROUPS}.consumer.consumer_group",
        "        return partition in self._partition_epochs.get(topic_id, {})\n",
        "        return False\n",
        sharing="consumer",
    ),
    Planted(
        "a task is given away before it is released",
        0,
        f"{_GROUPS}.streams.current_assignment",
        "            self._holders.active(task) is not None\n",
        "            self._holders.active(task) is self\n",
        sharing="streams",
    ),
    Planted(
        "deliveries are not counted",
        0,
        f"{_SHARE}.in_flight_state",
        "        self.delivery_count += 1\n",
        "        self.delivery_count = max(1, self.delivery_count)\n",
        sharing="share",
    ),
    Planted(
        "locks end in half of their time",
        0,
        f"{_SHARE}.share_partition",
        "now_ms + self.settings.lock_duration_ms",
        "now_ms + self.settings.lock_duration_ms // 2",
        sharing="share",
    ),
    Planted(
        "each request reads the transaction log",
        0,
        f"{_TRANSACTIONS}.transaction_state_manager",
        "        found = self._transactions.get(transactional_id)\n"
        "        if found is None:\n            self._owner_of(transactional_id)\n",
        "        found = self._transactions.get(transactional_id)\n"
        "        list(self._log.read(self.partition_for(transactional_id)))\n"
        "        if found is None:\n            self._owner_of(transactional_id)\n",
    ),
)
