"""How a release answers Fetch: what its presets say of it."""

from typing import Final, NamedTuple

from mockbroker.protocol.errors import ErrorCode


class FetchOptions(NamedTuple):
    """What Fetch answers, in which order, and what it converts."""

    refusals_have_aborted_list: bool
    """Whether Fetch answers for an unknown partition with an empty list of aborted transactions."""
    from_followers: bool
    """Whether Fetch v11+ is answered by followers too (KIP-392)."""
    without_replica: ErrorCode
    """What Fetch v11+ answers where the broker has no replica (KIP-392)."""
    always_tells_last_stable_offset: bool
    """Whether readers of uncommitted records are told the last stable offset, or -1."""
    lists_aborted_where_unstable: bool
    """Whether a reader waiting where nothing is decided yet is told of aborted transactions."""
    lists_aborted_beyond_stable: bool
    """Whether so is one that asked for what comes after that."""
    unknown_partitions_come_last: bool
    """Whether unknown partitions of a topic are answered after the others, as unknown topics."""
    bad_isolation_closes_connection: bool
    """Whether an isolation level that is none ends the connection, or fails the request."""
    leader_epoch_may_be_negative: bool
    """Whether a current leader epoch below -1 is an old one, or none."""
    gives_partial_batches: bool
    """Whether Fetch v0-2 gives the beginning of a batch that does not fit (KIP-74)."""
    failed_conversion_has_records: bool
    """Whether records that cannot be converted are answered as none, or as null."""
    pads_converted: bool
    """Whether records converted for old clients take as much space as in the log (KIP-283)."""
    conversion_refuses_headers: bool
    """Whether records with headers cannot be converted, which fails the request (KAFKA-5922)."""
    session_rotates_all_news: bool
    """Whether all answered partitions, not just those with records, move to a session's end."""


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
"""As Kafka 0.11 does it; what later releases changed is told in `options.py`."""
