"""Clients old and new against brokers that are of Kafka 2.4: they agree on what both speak."""

from collections.abc import Callable

import pytest

from tests.clients.support.go import program
from tests.clients.support.java import programs, run_java
from tests.clients.support.programs import output_of
from tests.clients.support.round_trip import assert_all_came_back_equal, round_trip_arguments

pytestmark = [pytest.mark.slow, pytest.mark.timeout(300)]


@pytest.fixture
def old_brokers(brokers_of: Callable[[str], str]) -> str:
    """The bootstrap servers of three brokers of that release."""
    return brokers_of("2.4")


@pytest.mark.java
@pytest.mark.parametrize("version", ["4.4.0", "2.4.1"])
def test_java_reads_back_what_it_wrote(old_brokers: str, topic: str, version: str) -> None:
    class_path = programs(f"clients-{version}")
    printed = run_java(class_path, "RoundTrip", *round_trip_arguments(old_brokers, topic))
    assert_all_came_back_equal(printed, old_brokers, topic)


@pytest.mark.go
def test_franz_go_reads_back_what_it_wrote(old_brokers: str, topic: str) -> None:
    printed = output_of([program("franz-go"), *round_trip_arguments(old_brokers, topic)])
    assert_all_came_back_equal(printed, old_brokers, topic)
