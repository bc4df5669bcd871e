"""Well-known differences between the releases."""

from collections.abc import Callable

import pytest

from mockbroker.protocol.errors import ErrorCode
from mockbroker.protocol.types import Compression
from mockbroker.state.release.options import CHANGES, SUPPORTED_RELEASES, Options

Read = Callable[[Options], object]

BROUGHT: list[tuple[Read, str]] = [
    (lambda it: it.producer_state.batches_retained == 5, "1.0"),
    (lambda it: it.produce.newest_codec is Compression.ZSTD, "2.3"),
    (lambda it: it.fetch.pads_converted, "2.3"),
    (lambda it: it.fetch.from_followers, "2.4"),
    (lambda it: it.produce.invalid_record_code is ErrorCode.INVALID_RECORD, "2.4"),
    (lambda it: it.producer_state.outlives_records, "2.4"),
    (lambda it: it.topics.new_topic_counts_have_defaults, "2.4"),
    (lambda it: it.producer_state.accepts_unknown_producer, "2.5"),
    (lambda it: it.finalized_features_epoch >= 0, "2.8"),
    (lambda it: it.producer_state.verifies_transactions, "3.6"),
    (lambda it: not it.topics.admin_only_at_controller, "3.6"),
    (lambda it: it.produce.legacy_versions_close_connection, "4.4"),
    (lambda it: not it.security.acls_may_be_unknown, "2.5"),
    (lambda it: not it.security.acl_filters_may_be_unknown, "2.8"),
    (lambda it: it.quotas.must_be_positive, "3.6"),
    (lambda it: it.transaction_version == 2, "4.4"),
    (lambda it: it.list_offsets_awaits_high_watermark, "2.3"),
    (lambda it: it.high_watermark_needs_min_insync_replicas, "3.9"),
    (lambda it: it.list_offsets_checks_timestamps, "3.9"),
    (lambda it: it.offsets.state_filters_ignore_case, "3.9"),
]
"""A property of all releases from one on, and of none before it."""


def since(release: str) -> list[bool]:
    """Return for each release whether it is at least the given one."""
    position = SUPPORTED_RELEASES.index(release)
    return [index >= position for index in range(len(SUPPORTED_RELEASES))]


def test_every_release_but_the_first_changes_the_one_before_it() -> None:
    assert tuple(CHANGES) == SUPPORTED_RELEASES[1:]
    for before, release in zip(SUPPORTED_RELEASES, CHANGES, strict=False):
        assert CHANGES[release](Options.for_release(before)) != Options.for_release(before)


def test_applying_a_change_twice_has_no_effect() -> None:
    for release, change in CHANGES.items():
        assert change(Options.for_release(release)) == Options.for_release(release)


@pytest.mark.parametrize(("read", "first"), BROUGHT)
def test_the_changes_of_a_release_persist(read: Read, first: str) -> None:
    assert [read(Options.for_release(release)) for release in SUPPORTED_RELEASES] == since(first)
