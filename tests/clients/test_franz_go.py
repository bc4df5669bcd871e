"""franz-go."""

import pytest

from tests.clients.support.go import program
from tests.clients.support.programs import output_of
from tests.clients.support.round_trip import assert_all_came_back_equal, round_trip_arguments

pytestmark = [pytest.mark.go, pytest.mark.slow, pytest.mark.timeout(300)]


def test_ten_thousand_records_of_each_compression_come_back_equal(
    bootstrap_servers: str, topic: str
) -> None:
    arguments = round_trip_arguments(bootstrap_servers, topic)
    printed = output_of([program("franz-go"), *arguments])
    assert_all_came_back_equal(printed, bootstrap_servers, topic)
