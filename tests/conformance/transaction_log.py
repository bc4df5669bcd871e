"""Decoded records of the transaction log, with names for the values that vary."""

import struct
from typing import Final, cast

from mockbroker.protocol.api_keys import ApiKey
from mockbroker.protocol.codec import decode
from mockbroker.protocol.log_records.transaction_log import TransactionLogKey, TransactionLogValue
from mockbroker.protocol.messages.fetch import FetchResponse
from mockbroker.state.topic.java_hash import java_hash_code
from tests.conformance.patience import ATTEMPTS
from tests.conformance.requests import Reading, Wanted, fetch
from tests.conformance.stored import Shown, keys_and_values, shown_records
from tests.conformance.talk import Talk

TOPIC: Final = "__transaction_state"
BY_NAME_UNTIL: Final = 12
"""The last version of Fetch with topic names."""
STATES: Final = (
    "Empty",
    "Ongoing",
    "PrepareCommit",
    "PrepareAbort",
    "CompleteCommit",
    "CompleteAbort",
    "Dead",
    "PrepareEpochFence",
)
WHOLE_LOG: Final = 32 << 20
NOT_KAFKAS: Final = frozenset({"last_producer_epoch"})


def note_transaction_log(talk: Talk, title: str, partition: int) -> None:
    """Record steps with a partition's batches, without contents, and with its records."""
    talk.needs_own_cluster("reads a whole internal topic")
    data = _log(talk, partition)
    asked = f"{TOPIC}-{partition}"
    batches = cast("list[dict[str, Shown]]", shown_records(data, talk.names))
    for each in batches:
        each.pop("records")
    talk.note(f"{title}: batches", asked, cast("Shown", batches))
    records = [_shown(talk, key, value) for key, value in keys_and_values(data)]
    talk.note(f"{title}: records", asked, cast("Shown", records))


def note_states(talk: Talk, title: str, transactional_id: str) -> None:
    """Record a step with the records of one transactional id."""
    records = [_shown(talk, *record) for record in _records_of(talk, transactional_id)]
    talk.note(title, TOPIC, cast("Shown", records))


def settles(talk: Talk, transactional_id: str) -> bool:
    """Wait until no transaction of the id is ending; return whether that was reached."""
    for _ in range(ATTEMPTS):
        _, last = (_records_of(talk, transactional_id) or [(b"", None)])[-1]
        if last is None or not STATES[_read(last).transaction_status].startswith("Prepare"):
            return True
        talk.wait_a_moment()
    return False


def _records_of(talk: Talk, transactional_id: str) -> list[tuple[bytes, bytes | None]]:
    """Return the keys and values of one transactional id in the log."""
    partition = abs(java_hash_code(transactional_id)) % talk.partitions_of(TOPIC)
    return [
        (key, value)
        for key, value in keys_and_values(_log(talk, partition))
        if key is not None and talk.inner(_name(key)) == transactional_id
    ]


def _log(talk: Talk, partition: int) -> bytes:
    version = talk.latest(ApiKey.FETCH, BY_NAME_UNTIL)
    wanted = Wanted(TOPIC, partition, max_bytes=WHOLE_LOG)
    request = fetch(talk, wanted, reading=Reading(max_bytes=WHOLE_LOG))
    answer = talk.expect(FetchResponse, talk.quietly(request, version))
    return bytes(answer.responses[0].partitions[0].records or b"")


def _name(key: bytes) -> str:
    (version,) = struct.unpack_from(">h", key)
    return decode(TransactionLogKey, version, key, 2).transactional_id


def _read(value: bytes) -> TransactionLogValue:
    (version,) = struct.unpack_from(">h", value)
    return decode(TransactionLogValue, version, value, 2)


def _shown(talk: Talk, key: bytes | None, value: bytes | None) -> dict[str, Shown]:
    assert key is not None
    (key_version,) = struct.unpack_from(">h", key)
    fields: dict[str, Shown] = {
        "key version": key_version,
        "transactional_id": talk.inner(_name(key)),
    }
    if value is None:
        return {**fields, "value": None}
    read = _read(value)
    (fields["value version"],) = struct.unpack_from(">h", value)
    fields["producer_id"] = talk.names.producer(read.producer_id)
    fields["previous_producer_id"] = talk.names.producer(read.previous_producer_id)
    fields["next_producer_id"] = talk.names.producer(read.next_producer_id)
    fields["producer_epoch"] = read.producer_epoch
    fields["next_producer_epoch"] = read.next_producer_epoch
    fields["transaction_timeout_ms"] = read.transaction_timeout_ms
    fields["state"] = STATES[read.transaction_status]
    fields["partitions"] = _partitions(talk, read)
    fields["last_update"] = talk.names.time(read.transaction_last_update_timestamp_ms)
    fields["start"] = talk.names.time(read.transaction_start_timestamp_ms)
    fields["client_transaction_version"] = read.client_transaction_version
    return fields


def _partitions(talk: Talk, value: TransactionLogValue) -> Shown:
    if value.transaction_partitions is None:
        return None
    shown: list[Shown] = []
    shown += sorted(
        talk.inner(f"{each.topic}-{index}")
        for each in value.transaction_partitions
        for index in each.partition_ids
    )
    return shown
