"""FindCoordinator for one key or several, once the internal topic exists."""

import pytest

from mockbroker.protocol.errors import ErrorCode
from mockbroker.protocol.messages.find_coordinator import (
    FindCoordinatorRequest,
    FindCoordinatorResponse,
)
from mockbroker.state.topic.internal_topics import coordinator_partition
from tests.support.in_process import Brokers

GROUP, TRANSACTION, SHARE = 0, 1, 2
SHARE_KEY = "group:AAAAAAAAAAAAAAAAAAAABQ:0"
LATER = {"mockbroker.internal.topics.at.once": "false"}
MALFORMED = (
    "This most likely occurs because of a request being malformed by the client library or the"
    " message was sent to an incompatible broker. See the broker logs for more details."
)


def one(
    brokers: Brokers, key: str = "g", key_type: int = GROUP, version: int = 3
) -> FindCoordinatorResponse:
    request = FindCoordinatorRequest(key=key, key_type=key_type)
    return brokers.ask(request, version, FindCoordinatorResponse)


def batch(
    brokers: Brokers, *keys: str, key_type: int = GROUP, version: int = 6
) -> list[tuple[str, int, int, str | None]]:
    request = FindCoordinatorRequest(coordinator_keys=list(keys), key_type=key_type)
    answer = brokers.ask(request, version, FindCoordinatorResponse)
    return [
        (each.key, each.node_id, each.error_code, each.error_message)
        for each in answer.coordinators
    ]


@pytest.mark.parametrize("release", ["2.4", "4.4"])
@pytest.mark.parametrize(
    ("key_type", "topic"), [(GROUP, "__consumer_offsets"), (TRANSACTION, "__transaction_state")]
)
def test_the_first_question_creates_the_topic_and_the_next_is_answered(
    release: str, key_type: int, topic: str
) -> None:
    brokers = Brokers(release=release, brokers=3, configs=LATER)
    first = one(brokers, key_type=key_type)
    assert (first.error_code, first.node_id, first.host, first.port) == (
        ErrorCode.COORDINATOR_NOT_AVAILABLE,
        -1,
        "",
        -1,
    )
    assert first.error_message == "The coordinator is not available."
    second = one(brokers, key_type=key_type)
    index = coordinator_partition(topic, "g", brokers.state.configs)
    assert (second.error_code, second.error_message) == (ErrorCode.NONE, "NONE")
    assert second.node_id == brokers.partition(topic, index).leader_id
    assert second.port == 9091 + second.node_id


@pytest.mark.parametrize("release", ["2.4", "4.4"])
@pytest.mark.parametrize(
    ("key_type", "topic"), [(GROUP, "__consumer_offsets"), (TRANSACTION, "__transaction_state")]
)
def test_the_first_lookup_succeeds_unless_configured_otherwise(
    release: str, key_type: int, topic: str
) -> None:
    brokers = Brokers(release=release, brokers=3)
    assert topic not in brokers.state.topics
    found = one(brokers, key_type=key_type)
    index = coordinator_partition(topic, "g", brokers.state.configs)
    assert found.error_code == ErrorCode.NONE
    assert found.node_id == brokers.partition(topic, index).leader_id
    assert not brokers.state.pending


def test_without_its_topic_a_coordinator_is_not_available() -> None:
    brokers = Brokers(configs={"offsets.topic.replication.factor": "3"})
    assert one(brokers).error_code == ErrorCode.COORDINATOR_NOT_AVAILABLE
    assert "__consumer_offsets" not in brokers.state.topics


def test_the_first_version_has_no_messages() -> None:
    brokers = Brokers(configs=LATER)
    assert one(brokers, version=0).error_code == ErrorCode.COORDINATOR_NOT_AVAILABLE
    assert one(brokers, version=0).node_id == 1


def test_keys_are_spread_over_brokers() -> None:
    brokers = Brokers(brokers=3)
    batch(brokers, "g")
    found = batch(brokers, *(f"group-{number}" for number in range(30)))
    assert {node_id for _, node_id, _, _ in found} == {1, 2, 3}


def test_each_key_of_a_batch_is_answered_in_its_place() -> None:
    brokers = Brokers(topics={"__consumer_offsets": 1})
    found = batch(brokers, "b", "", "b")
    assert [key for key, _, _, _ in found] == ["b", "", "b"]
    outside = ("b", -1, ErrorCode.COORDINATOR_NOT_AVAILABLE, "")
    assert found == [outside, ("", 1, ErrorCode.NONE, ""), outside]


@pytest.mark.parametrize(
    ("release", "code", "why"),
    [
        ("4.4", ErrorCode.INVALID_REQUEST, MALFORMED),
        (
            "2.4",
            ErrorCode.UNKNOWN_SERVER_ERROR,
            "The server experienced an unexpected error when processing the request.",
        ),
    ],
)
@pytest.mark.parametrize("key_type", [SHARE, 9])
def test_an_unknown_type_of_key_is_refused(
    release: str, code: ErrorCode, why: str, key_type: int
) -> None:
    answer = one(Brokers(release=release), key_type=key_type)
    assert (answer.error_code, answer.error_message, answer.node_id) == (code, why, -1)


def test_an_unknown_type_of_key_is_refused_for_each_key_of_a_batch() -> None:
    assert batch(Brokers(), "x", key_type=9) == [("x", -1, ErrorCode.INVALID_REQUEST, MALFORMED)]


def test_share_groups_are_known_from_the_sixth_version_on() -> None:
    brokers = Brokers(configs=LATER)
    refused = [("x", -1, ErrorCode.INVALID_REQUEST, "")]
    assert batch(brokers, "x", key_type=SHARE) == refused
    assert batch(brokers, SHARE_KEY, key_type=SHARE, version=5)[0][2] == ErrorCode.INVALID_REQUEST
    first = batch(brokers, SHARE_KEY, key_type=SHARE)
    assert first == [(SHARE_KEY, -1, ErrorCode.COORDINATOR_NOT_AVAILABLE, "")]
    assert batch(brokers, SHARE_KEY, key_type=SHARE) == [(SHARE_KEY, 1, ErrorCode.NONE, "")]


def test_the_oldest_releases_send_no_messages_and_close_on_unknown_types() -> None:
    brokers = Brokers(release="1.1", configs=LATER)
    assert one(brokers, version=1).error_code == ErrorCode.COORDINATOR_NOT_AVAILABLE
    found = one(brokers, version=1)
    assert (found.error_code, found.error_message) == (ErrorCode.NONE, None)
    peer = brokers.connect()
    peer.send(FindCoordinatorRequest(key="g", key_type=9), 1)
    assert peer.is_hung_up


def test_before_3_9_the_type_of_share_groups_is_unknown() -> None:
    ((_, node_id, code, message),) = batch(
        Brokers(release="3.6"), SHARE_KEY, key_type=SHARE, version=4
    )
    assert (node_id, code) == (-1, ErrorCode.INVALID_REQUEST)
    assert message is not None
    assert message.startswith("This most likely occurs because of a request being malformed")


def test_a_release_without_share_groups_has_no_coordinator_for_them() -> None:
    brokers = Brokers(release="3.9")
    outside = ErrorCode.COORDINATOR_NOT_AVAILABLE
    assert batch(brokers, SHARE_KEY, "x", key_type=SHARE) == [
        (SHARE_KEY, -1, outside, ""),
        ("x", -1, outside, ""),
    ]
