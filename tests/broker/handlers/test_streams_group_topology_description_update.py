"""StreamsGroupTopologyDescriptionUpdate, over the request path."""

import pytest

from mockbroker.protocol.errors import ErrorCode
from mockbroker.protocol.messages.streams_group_topology_description_update import (
    StreamsGroupTopologyDescriptionUpdateRequest,
    StreamsGroupTopologyDescriptionUpdateResponse,
    TopologyDescription,
)
from tests.broker.handlers.streams_requests import brokers_with_groups

NO_PLUGIN = "The broker has no streams group topology description plugin configured."


@pytest.mark.parametrize(("level", "why"), [(0, None), (1, NO_PLUGIN)])
def test_descriptions_are_refused(level: int, why: str | None) -> None:
    brokers = brokers_with_groups(features={"streams.version": level})
    request = StreamsGroupTopologyDescriptionUpdateRequest(
        group_id="g", member_id="m", topology_description=TopologyDescription()
    )
    answer = brokers.ask(request, 0, StreamsGroupTopologyDescriptionUpdateResponse)
    assert isinstance(answer, StreamsGroupTopologyDescriptionUpdateResponse)
    assert answer.error_code == ErrorCode.UNSUPPORTED_VERSION
    assert (answer.error_message or None) == why
