"""Batches that are validated without their keys and values."""

import pytest

from mockbroker.protocol.records.validation.batch_rules import (
    RULES_OF_2_4,
    RULES_OF_4_4,
    BatchRules,
)
from mockbroker.protocol.types import Compression


@pytest.mark.parametrize(
    ("kept_in", "codec", "skips"),
    [
        (None, Compression.NONE, False),
        (None, Compression.GZIP, True),
        (Compression.GZIP, Compression.GZIP, True),
        (Compression.LZ4, Compression.GZIP, False),
        (Compression.NONE, Compression.GZIP, False),
    ],
)
def test_keys_and_values_are_skipped_if_a_compressed_batch_is_stored_unchanged(
    kept_in: int | None, codec: int, skips: bool
) -> None:
    rules = BatchRules(topic_partition="t-0", release=RULES_OF_4_4, codec=kept_in)
    assert rules.skips_bodies_of(codec) is skips


def test_older_releases_read_everything() -> None:
    rules = BatchRules(topic_partition="t-0", release=RULES_OF_2_4)
    assert not rules.skips_bodies_of(Compression.GZIP)
