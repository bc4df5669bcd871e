"""Comparison of the samples with the records that a Python client reads."""

from tests.clients.support.records import Partitions, digest, first_difference, sample_partitions


def checked_digests(received: Partitions) -> list[str]:
    """Return a digest for each partition.

    Raises: AssertionError with the first difference from the samples.
    """
    difference = first_difference(sample_partitions(), received)
    assert difference is None, difference
    return [digest(received[partition]) for partition in sorted(received)]
