"""Group protocols after the classic one, which are turned off."""

from typing import Any

import pytest

from mockbroker.broker.api_table import routes
from mockbroker.protocol.api_keys import ApiKey
from mockbroker.protocol.errors import ErrorCode
from mockbroker.protocol.messages import response_type
from mockbroker.protocol.messages.alter_share_group_offsets import AlterShareGroupOffsetsRequest
from mockbroker.protocol.messages.consumer_group_describe import (
    ConsumerGroupDescribeRequest,
    ConsumerGroupDescribeResponse,
)
from mockbroker.protocol.messages.consumer_group_heartbeat import ConsumerGroupHeartbeatRequest
from mockbroker.protocol.messages.share_fetch import ShareFetchRequest
from mockbroker.protocol.messages.share_group_heartbeat import ShareGroupHeartbeatRequest
from mockbroker.protocol.messages.streams_group_heartbeat import StreamsGroupHeartbeatRequest
from mockbroker.protocol.schema.message import Message
from mockbroker.state.release.options import Options
from tests.support.in_process import Brokers
from tests.support.logged import Logged

OFF = {"group.version": 0, "share.version": 0, "streams.version": 0}
SAID = "The version of API is not supported."


@pytest.mark.parametrize(
    ("request_", "version", "message"),
    [
        (ConsumerGroupHeartbeatRequest(group_id="g", member_id="m"), 1, None),
        (ShareGroupHeartbeatRequest(group_id="g", member_id="m"), 1, None),
        (ShareFetchRequest(group_id="g", member_id="m"), 2, None),
        (StreamsGroupHeartbeatRequest(group_id="g", member_id="m"), 1, None),
        (AlterShareGroupOffsetsRequest(group_id="g"), 0, SAID),
    ],
)
def test_a_disabled_protocol_is_refused(
    request_: Message, version: int, message: str | None
) -> None:
    assert request_.API is not None
    answer: Any = Brokers(features=OFF).ask(request_, version, response_type(request_.API))
    assert (answer.error_code, answer.error_message) == (ErrorCode.UNSUPPORTED_VERSION, message)


def test_each_group_that_is_to_be_described_is_refused() -> None:
    answer = Brokers(features=OFF).ask(
        ConsumerGroupDescribeRequest(group_ids=["g", "h"]), 1, ConsumerGroupDescribeResponse
    )
    assert [(each.group_id, each.error_code) for each in answer.groups] == [
        ("g", ErrorCode.UNSUPPORTED_VERSION),
        ("h", ErrorCode.UNSUPPORTED_VERSION),
    ]


def test_the_log_names_the_missing_feature(monkeypatch: pytest.MonkeyPatch) -> None:
    logged = Logged()
    logged.watch(monkeypatch)
    Brokers(features=OFF).connect().send(
        ConsumerGroupHeartbeatRequest(group_id="g", member_id="m"), 1
    )
    (fields,) = logged.named("feature_refused")
    assert str(fields["why"]).startswith("group.version is 0")


def test_every_advertised_version_of_the_newer_group_apis_is_served() -> None:
    advertised = Options.for_release("4.4").api_versions
    for api_key in range(ApiKey.SHARE_GROUP_HEARTBEAT, ApiKey.SHARE_ACKNOWLEDGE + 1):
        assert routes()[ApiKey(api_key)].versions == advertised[ApiKey(api_key)], api_key
