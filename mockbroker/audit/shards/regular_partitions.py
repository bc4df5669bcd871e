"""Partitions that are regular for a machine, as columns tell: it need not see them (extra `spark`).

Most partitions of most journals give no rule a reason to look closer. Each condition here is
necessary for a finding, a loss or an unknown fact of one machine; whether there is one is decided
by the machine. A machine without a condition sees all partitions, and all machines see those whose
logs are not one row of batches, each at the end of the one before.
"""

from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any, Final

import numpy as np

from mockbroker.audit.judgement import machines_of
from mockbroker.audit.rule_context import Machine
from mockbroker.audit.rules.applications.commit_rules import Commits
from mockbroker.audit.rules.applications.dirty_read_rules import READ_COMMITTED, DirtyReads
from mockbroker.audit.rules.applications.order_rules import Order
from mockbroker.audit.rules.applications.unread_rules import UnreadCommits
from mockbroker.audit.rules.groups.delivery_rules import Deliveries
from mockbroker.audit.rules.offset_rules import Offsets
from mockbroker.audit.rules.reader_rules import Readers
from mockbroker.audit.rules.records.acknowledgement_rules import Acknowledgements
from mockbroker.audit.rules.retry_rules import Retries
from mockbroker.audit.rules.rule_table import Need
from mockbroker.audit.rules.sequence_rules import Sequences
from mockbroker.audit.rules.stable_offset_rules import StableOffsets
from mockbroker.audit.rules.visibility_rules import Visibility
from mockbroker.audit.runs.column_arrays import Bools, truths
from mockbroker.audit.runs.run import NO_SEQUENCE, OFFSETS_LOG, SEQUENCES
from mockbroker.audit.runs.scope import ShardScope
from mockbroker.audit.shards.known import Known
from mockbroker.audit.shards.partition_rows import PartitionRows, changes

pc: Any = import_module("pyarrow.compute")

Condition = Callable[[PartitionRows, Known], Bools]
_NO_ERROR: Final = "NONE"
_NEVER: Final = 1 << 62
JUDGING: Final = machines_of(ShardScope.PARTITION)
HARMLESS: Final = (
    *("append", "marker", "request", "answer", "lost", "leader", "log_start", "producer_expired"),
    *("offset_committed", "offset_pending", "offset_removed", "acquired", "acknowledged"),
    *("lock_expired", "session_released", "archived", "share_loaded", "share_reset"),
)
"""Kinds of rows that a partition may have without a closer look of all machines."""


def machines_for(rows: PartitionRows, known: Known) -> list[tuple[type[Machine], ...]]:
    """Return for each partition the machines that have to see its rows, in their order."""
    broken = _is_broken(rows, known)
    wanted = np.zeros(rows.count, np.int64)
    for bit, machine in enumerate(JUDGING):
        is_suspect = broken | CONDITIONS.get(machine, _everywhere)(rows, known)
        wanted |= is_suspect.astype(np.int64) << bit
    chosen = {
        bits: tuple(each for bit, each in enumerate(JUDGING) if bits >> bit & 1)
        for bits in np.unique(wanted).tolist()
    }
    return [chosen[bits] for bits in wanted.tolist()]


def _is_broken(rows: PartitionRows, known: Known) -> Bools:
    """Find logs with a truncation, a deletion, a gap of offsets, or batches of an old leader.

    After a reset of the cluster, all logs are others.
    """
    if known.resets:
        return _everywhere(rows, known)
    found = rows.partitions_of(~rows.are("kind", *HARMLESS))
    topics = rows.column("topic").take(rows.starts).to_pylist()
    found |= np.array([known.is_deleted(each) for each in topics], bool)
    stored = rows.stored
    base, last = stored.base_offset, stored.last_offset
    is_odd = (base < 0) | (last < base)
    is_odd[1:] |= ~stored.begins[1:] & (base[1:] != last[:-1] + 1)
    found |= rows.among(stored.place[is_odd])
    return found | rows.among(stored.place[_are_of_old_leaders(rows)])


def _are_of_old_leaders(rows: PartitionRows) -> Bools:
    """Find stored rows with a lower leader epoch than one before; null is the lowest."""
    tells = rows.are("kind", "leader")
    tells[rows.stored.rows] = True
    # Later partitions have higher numbers, so that one maximum runs over all.
    leader_epoch = rows.numbers("leader_epoch")
    order = np.where(tells, leader_epoch + 1, 0) + (rows.place << 32)
    is_lower: Bools = (order < np.maximum.accumulate(order)) | (leader_epoch < -1)
    return is_lower[rows.stored.rows]


def _may_have_lost(rows: PartitionRows, known: Known) -> Bools:
    """Find what was acknowledged without an append, retried at the end, or sent by nobody."""
    del known
    stored, base = rows.stored, rows.numbers("base_offset")
    last = base + rows.numbers("record_count") - 1
    is_batch = rows.are("kind", "append")
    call = rows.numbers("call") * rows.count + rows.place
    is_acknowledged = rows.are("kind", "answer") & rows.are("api", "Produce")
    is_acknowledged &= rows.are("error", _NO_ERROR)
    appended = call[is_batch & rows.are("api", "Produce")]
    found = rows.partitions_of(
        np.flatnonzero(is_acknowledged)[~np.isin(call[is_acknowledged], appended)]
    )
    found |= rows.partitions_of(is_batch & ~rows.is_repeated & (last > rows.numbers("last_offset")))
    retried = np.flatnonzero(rows.is_repeated)
    ends = np.full(rows.count, _NEVER)
    log_end = rows.numbers("log_end_offset")[stored.rows]
    ends[stored.place[log_end >= 0]] = log_end[log_end >= 0]  # the last one stays
    led = rows.numbers("leader_epoch")[stored.rows]
    is_led_anew = rows.among(stored.place[~stored.begins & changes(led)])
    place = rows.place[retried]
    found |= rows.among(place[(last[retried] >= ends[place]) | is_led_anew[place]])
    crc = rows.numbers("crc")
    nobodys = is_batch & (rows.numbers("producer_id") < 0) & (crc >= 0)
    return found | rows.with_many(nobodys, (crc,), 2)


def _may_be_visible(rows: PartitionRows, known: Known) -> Bools:
    """Find transactions beyond whose first offset a last stable offset is."""
    del known
    stored, stable = rows.stored, rows.stored.last_stable_offset
    transactional = stored.is_marker | truths(rows.column("is_transactional"))[stored.rows]
    are_known = stable >= 0
    are_known[1:] &= stored.begins[1:] | (stable[1:] >= stable[:-1])
    found = rows.among(stored.place[~are_known]) & rows.among(stored.place[transactional])
    index = np.flatnonzero(transactional)
    index = index[np.lexsort((index, stored.producer_id[index], stored.place[index]))]
    if not len(index):
        return found
    place, is_marker = stored.place[index], stored.is_marker[index]
    begins = changes(place, stored.producer_id[index])
    opens = ~is_marker
    opens[1:] &= begins[1:] | is_marker[:-1]
    # The row before the marker that ends a transaction; without one, the last row of the log.
    ends = np.append(np.flatnonzero(stored.begins)[1:], len(stored.rows))
    until = ends[np.cumsum(stored.begins)[index] - 1] - 1
    follows = np.where(is_marker, np.arange(len(index)), len(index))
    follows = np.minimum.accumulate(follows[::-1])[::-1]
    group = np.cumsum(begins)
    is_ended = follows < len(index)
    is_ended[is_ended] &= group[follows[is_ended]] == group[is_ended]
    until[is_ended] = index[follows[is_ended]] - 1
    is_visible = opens & (stable[until] > stored.base_offset[index])
    return found | rows.among(place[is_visible])


def _may_be_stuck(rows: PartitionRows, known: Known) -> Bools:
    """Find last stable offsets that stay below the high watermark for longer than the limit."""
    stored = rows.stored
    is_known = rows.column("last_stable_offset").is_valid().to_numpy(zero_copy_only=False)
    index = np.flatnonzero(is_known[stored.rows])
    if not len(index):
        return np.zeros(rows.count, bool)
    stable, place = stored.last_stable_offset[index], stored.place[index]
    at = stored.rows[index]
    time_ms = rows.numbers("virtual_time_ms")[at]
    starts = np.flatnonzero(changes(place, stable))
    is_blocked = stable < np.maximum(rows.numbers("high_watermark")[at], 0)
    row = np.where(is_blocked, np.arange(len(index)), len(index))
    first = np.minimum.reduceat(row, starts)
    place = place[starts]
    moved_ms = np.full(len(starts), known.last_time_ms)
    goes_on = np.flatnonzero(place[1:] == place[:-1])
    moved_ms[goes_on] = time_ms[starts[goes_on + 1]]
    since_ms = np.append(time_ms, _NEVER)[np.minimum(first, len(index))]
    return rows.among(place[moved_ms - since_ms > known.thresholds.stuck_stable_offset_ms])


def _has_broken_sequences(rows: PartitionRows, known: Known) -> Bools:
    """Find producers whose batches do not follow one another, from sequence 0 on."""
    stored = rows.stored
    found = np.zeros(rows.count, bool)
    if Need.TRANSITIONS not in known.source.facts:
        found |= rows.among(stored.place[stored.is_marker])
    index = np.flatnonzero(~stored.is_marker & (stored.producer_id >= 0))
    index = index[np.lexsort((index, stored.producer_id[index], stored.place[index]))]
    if not len(index):
        return found
    place, at = stored.place[index], stored.rows[index]
    producer_epoch, base = rows.numbers("producer_epoch")[at], rows.numbers("base_sequence")[at]
    is_unknown = rows.column("base_sequence").is_null().to_numpy(zero_copy_only=False)
    count = np.maximum(rows.numbers("record_count")[at], 0)
    is_numbered = (base != NO_SEQUENCE) | is_unknown[at]
    is_numbered &= ~rows.are("topic", OFFSETS_LOG)[at]
    after = np.where(base == NO_SEQUENCE, NO_SEQUENCE, (base + count) % SEQUENCES)
    begins = changes(place, stored.producer_id[index])
    is_odd = is_numbered & (base != 0)
    is_new = producer_epoch[1:] > producer_epoch[:-1]
    is_after = (after[:-1] == NO_SEQUENCE) | (base[1:] == after[:-1]) | ~is_numbered[1:]
    is_odd[1:] = np.where(begins[1:] | is_new, is_odd[1:], ~is_after)
    is_odd[1:] |= ~begins[1:] & (producer_epoch[1:] < producer_epoch[:-1])
    return found | rows.among(place[is_odd])


def _has_retries(rows: PartitionRows, known: Known) -> Bools:
    """Find batches with so many tries that it may be a storm."""
    tries = rows.is_repeated | (rows.answers("Produce") & ~rows.are("error", _NO_ERROR))
    names = ("producer_id", "producer_epoch", "base_sequence")
    keys = tuple(map(rows.numbers, names))
    tries &= (keys[0] >= 0) & (keys[2] != NO_SEQUENCE)
    return rows.with_many(tries, keys, known.thresholds.retries)


def _may_have_changed_order(rows: PartitionRows, known: Known) -> Bools:
    """Find batches of producers without an id that may have been sent again."""
    del known
    is_refused = rows.answers("Produce") & ~rows.are("error", _NO_ERROR)
    is_refused |= rows.are("kind", "lost")
    return rows.partitions_of(is_refused & (rows.numbers("producer_id") < 0))


def _may_have_dirty_reads(rows: PartitionRows, known: Known) -> Bools:
    """Find aborts where read_uncommitted readers got records."""
    del known
    is_read = rows.answers("Fetch") & (rows.numbers("last_offset") >= 0)
    detail = rows.column("detail")
    is_committed = pc.fill_null(pc.match_substring(detail.cast("string"), READ_COMMITTED), False)
    is_read &= ~is_committed.to_numpy(zero_copy_only=False)
    aborts = rows.are("kind", "marker") & rows.are("marker", "ABORT")
    return rows.partitions_of(is_read) & rows.partitions_of(aborts)


def _nowhere(rows: PartitionRows, known: Known) -> Bools:
    """Find nothing, for machines that have findings in broken logs only."""
    del known
    return np.zeros(rows.count, bool)


def _everywhere(rows: PartitionRows, known: Known) -> Bools:
    return ~_nowhere(rows, known)


def _has_commits(rows: PartitionRows, known: Known) -> Bools:
    del known
    return rows.partitions_of(rows.are("kind", "offset_committed"))


def _has_deliveries(rows: PartitionRows, known: Known) -> Bools:
    del known
    return rows.partitions_of(rows.are("kind", "acquired", "acknowledged"))


CONDITIONS: Final[Mapping[type[Machine], Condition]] = {
    Acknowledgements: _may_have_lost,
    Visibility: _may_be_visible,
    Offsets: _nowhere,
    StableOffsets: _may_be_stuck,
    Sequences: _has_broken_sequences,
    Retries: _has_retries,
    Readers: _nowhere,
    Order: _may_have_changed_order,
    DirtyReads: _may_have_dirty_reads,
    Commits: _has_commits,
    UnreadCommits: _has_commits,
    Deliveries: _has_deliveries,
}
"""What tells of a partition that a machine has to see it; all of them see broken logs."""
