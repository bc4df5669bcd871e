"""Prefixes that leave a name's partition of an internal topic as it is."""

from random import Random

from mockbroker.diff.prefix import neutral_prefix
from mockbroker.state.topic.java_hash import java_hash_code

SEEDS = range(100)


def test_a_name_has_the_same_hash_with_the_prefix() -> None:
    for seed in SEEDS:
        prefix = neutral_prefix("diff", Random(seed))
        assert java_hash_code(prefix) == 0
        assert java_hash_code(f"{prefix}group-1") == java_hash_code("group-1")


def test_a_prefix_begins_as_wanted_and_is_a_valid_name() -> None:
    prefix = neutral_prefix("diffab1", Random(1))
    assert prefix.startswith("diffab1")
    assert prefix.removesuffix("-").isalnum()


def test_two_prefixes_differ() -> None:
    random = Random(1)
    assert len({neutral_prefix("diff", random) for _ in range(100)}) == 100
