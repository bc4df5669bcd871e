"""ApiVersions lists the served APIs, and reports invalid requests."""

import pytest

from mockbroker.protocol.api_keys import ApiKey
from mockbroker.protocol.errors import ErrorCode
from mockbroker.protocol.messages.api_versions import ApiVersionsRequest, ApiVersionsResponse
from tests.support.in_process import Brokers
from tests.support.logged import Logged

NEWEST = 5


def ask(
    version: int = NEWEST,
    *,
    release: str = "4.4",
    name: str = "client",
    software_version: str = "1.0",
    cluster_id: str | None = None,
    node_id: int = -1,
    brokers: Brokers | None = None,
) -> ApiVersionsResponse:
    request = ApiVersionsRequest(
        client_software_name=name,
        client_software_version=software_version,
        cluster_id=cluster_id,
        node_id=node_id,
    )
    cluster = brokers or Brokers(release=release)
    return cluster.ask(request, version, ApiVersionsResponse)


@pytest.mark.parametrize("release", ["2.4", "4.4"])
def test_served_apis_are_listed_in_the_order_of_the_keys(release: str) -> None:
    answer = ask(0, release=release)
    served = Brokers(release=release).service.routes
    assert {
        each.api_key: range(each.min_version, each.max_version + 1) for each in answer.api_keys
    } == {key: route.versions for key, route in served.items()}
    keys = [each.api_key for each in answer.api_keys]
    assert keys == sorted(keys)


def test_versions_are_those_of_the_release() -> None:
    def versions(release: str) -> dict[int, tuple[int, int]]:
        answer = ask(0, release=release)
        return {each.api_key: (each.min_version, each.max_version) for each in answer.api_keys}

    assert versions("2.4")[ApiKey.FETCH] == (0, 11)
    assert versions("4.4")[ApiKey.FETCH] == (4, 18)
    assert versions("4.4")[ApiKey.PRODUCE] == (0, 13)
    assert ApiKey.DESCRIBE_CLUSTER not in versions("2.4")


def test_features_that_start_at_zero_are_hidden_from_older_clients() -> None:
    assert [each.name for each in ask(3).supported_features] == ["metadata.version"]
    assert len(ask(4).supported_features) == 7
    finalized = {each.name: each.max_version_level for each in ask(3).finalized_features}
    assert finalized["transaction.version"] == 2
    assert "kraft.version" not in finalized


@pytest.mark.parametrize("level", [0, 1, 2])
def test_a_feature_may_have_another_level_and_versions_do_not_follow_it(level: int) -> None:
    answer = ask(brokers=Brokers(features={"transaction.version": level}))
    finalized = {each.name: each.max_version_level for each in answer.finalized_features}
    # A disabled feature is not finalized.
    assert finalized.get("transaction.version", 0) == level
    supported = {each.name: each.max_version for each in answer.supported_features}
    assert supported["transaction.version"] == 2
    newest = {each.api_key: each.max_version for each in answer.api_keys}
    assert (newest[ApiKey.END_TXN], newest[ApiKey.PRODUCE]) == (5, 13)


def test_unstable_versions_are_listed_if_enabled() -> None:
    enabled = Brokers(configs={"unstable.api.versions.enable": "true"})
    for brokers, newest in ((Brokers(), 5), (enabled, 6)):
        served = {each.api_key: each.max_version for each in ask(brokers=brokers).api_keys}
        assert served[ApiKey.INIT_PRODUCER_ID] == newest


def test_older_releases_have_no_features() -> None:
    answer = ask(3, release="2.4")
    assert (answer.supported_features, answer.finalized_features) == ([], [])
    assert answer.finalized_features_epoch == -1


@pytest.mark.parametrize(
    ("name", "software_version"),
    [("", "1"), ("a", ""), ("a b", "1"), ("-a", "1"), ("a_", "1"), ("a1-", "1"), (".", "1")],
)
def test_an_invalid_client_software_name_or_version_is_refused(
    name: str, software_version: str
) -> None:
    answer = ask(name=name, software_version=software_version)
    assert (answer.error_code, answer.api_keys) == (ErrorCode.INVALID_REQUEST, [])


def test_a_refusal_is_logged(logged: Logged) -> None:
    ask(name="a b")
    ask(cluster_id="x", node_id=-1)
    ask(cluster_id="x", node_id=1)
    written, half, elsewhere = (fields["why"] for fields in logged.named("api_versions_refused"))
    assert written == "invalid client software name 'a b' or version '1.0'"
    assert half == "the client expects cluster x, broker -1: both or neither are needed"
    assert str(elsewhere).startswith(
        "the client expects cluster x, broker 1, but is connected to cluster"
    )


def test_a_client_s_software_may_be_named_and_versioned_as_usual() -> None:
    assert ask(name="a.b", software_version="1.0-SNAPSHOT").error_code == ErrorCode.NONE
    assert ask(2, name="").error_code == ErrorCode.NONE


def test_a_client_that_expects_another_broker_must_rebootstrap() -> None:
    brokers = Brokers()
    cluster_id = brokers.state.cluster_id
    outcomes = [
        ask(cluster_id=wanted, node_id=node_id, brokers=brokers).error_code
        for wanted, node_id in [(cluster_id, 1), (cluster_id, 2), ("x", 1), (None, 1), ("x", -1)]
    ]
    assert outcomes == [
        ErrorCode.NONE,
        ErrorCode.REBOOTSTRAP_REQUIRED,
        ErrorCode.REBOOTSTRAP_REQUIRED,
        ErrorCode.INVALID_REQUEST,
        ErrorCode.INVALID_REQUEST,
    ]
