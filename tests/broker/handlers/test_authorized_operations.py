"""Without an authorizer all operations are authorized; unrequested ones are not listed."""

import pytest

from mockbroker.broker.handlers.authorized_operations import CLUSTER_OPERATIONS, TOPIC_OPERATIONS
from mockbroker.protocol.messages.metadata import MetadataRequest, MetadataResponse
from tests.support.in_process import Brokers

NOT_ASKED = -(1 << 31)


def test_the_operations_are_those_that_kafka_names() -> None:
    assert (TOPIC_OPERATIONS, CLUSTER_OPERATIONS) == (3576, 8096)


@pytest.mark.parametrize(("release", "not_asked"), [("2.4", 0), ("4.4", NOT_ASKED)])
def test_the_placeholder_for_unrequested_operations_depends_on_the_release(
    release: str, not_asked: int
) -> None:
    brokers = Brokers(release=release)
    for asked, expected in ((True, 8096), (False, not_asked)):
        request = MetadataRequest(topics=[], include_cluster_authorized_operations=asked)
        answer = brokers.ask(request, 8, MetadataResponse)
        assert answer.cluster_authorized_operations == expected
