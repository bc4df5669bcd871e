"""Differences between releases in Fetch: a part of `Options`."""

from typing import Final, NamedTuple

from mockbroker.protocol.errors import ErrorCode


class FetchOptions(NamedTuple):
    """Content, order and conversion of Fetch responses."""

    refusals_have_aborted_list: bool
    """True if Fetch returns an empty list of aborted transactions for an unknown partition."""
    from_followers: bool
    """True if followers serve Fetch v11+ too (KIP-392)."""
    without_replica: ErrorCode
    """The error of Fetch v11+ on a broker without a replica (KIP-392)."""
    always_tells_last_stable_offset: bool
    """True if read_uncommitted readers get the last stable offset; otherwise -1."""
    lists_aborted_where_unstable: bool
    """True if a read_committed fetch at the last stable offset lists aborted transactions."""
    lists_aborted_beyond_stable: bool
    """True if a read_committed fetch beyond the last stable offset lists them too."""
    unknown_partitions_come_last: bool
    """True if a topic's unknown partitions come after the others, as unknown topics do."""
    bad_isolation_closes_connection: bool
    """True if an invalid isolation level closes the connection; otherwise the request fails."""
    leader_epoch_may_be_negative: bool
    """True if a current leader epoch below -1 is an old epoch; otherwise it is none."""
    gives_partial_batches: bool
    """True if Fetch v0-2 returns the beginning of a batch that does not fit (KIP-74)."""
    failed_conversion_has_records: bool
    """True if records that cannot be converted are returned as empty; otherwise as null."""
    pads_converted: bool
    """True if down-converted records take as much space as in the log (KIP-283)."""
    conversion_refuses_headers: bool
    """True if records with headers cannot be converted, and fail the request (KAFKA-5922)."""
    session_rotates_all_news: bool
    """True if all returned partitions, not only those with records, move to a session's end."""


FETCH_OF_0_11: Final = FetchOptions(
    refusals_have_aborted_list=False,
    from_followers=False,
    without_replica=ErrorCode.REPLICA_NOT_AVAILABLE,
    always_tells_last_stable_offset=False,
    lists_aborted_where_unstable=True,
    lists_aborted_beyond_stable=True,
    unknown_partitions_come_last=False,
    bad_isolation_closes_connection=True,
    leader_epoch_may_be_negative=True,
    gives_partial_batches=True,
    failed_conversion_has_records=True,
    pads_converted=False,
    conversion_refuses_headers=True,
    session_rotates_all_news=True,
)
"""Options of Kafka 0.11; `changes/` has the changes of later releases."""
