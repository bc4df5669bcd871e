"""Java's own client, the newest release and one of 2020, by one program."""

import pytest

from tests.clients.support.java import programs, run_java
from tests.clients.support.round_trip import assert_all_came_back_equal, round_trip_arguments

pytestmark = [pytest.mark.java, pytest.mark.slow, pytest.mark.timeout(300)]


@pytest.mark.parametrize("version", ["4.4.0", "2.4.1"])
def test_ten_thousand_records_of_each_compression_come_back_equal(
    bootstrap_servers: str, topic: str, version: str
) -> None:
    class_path = programs(f"clients-{version}")
    arguments = round_trip_arguments(bootstrap_servers, topic)
    printed = run_java(class_path, "RoundTrip", *arguments)
    assert_all_came_back_equal(printed, bootstrap_servers, topic)
