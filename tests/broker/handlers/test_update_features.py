"""UpdateFeatures in three generations of releases."""

import pytest

from mockbroker.protocol.errors import ErrorCode
from mockbroker.protocol.messages.api_versions import ApiVersionsRequest, ApiVersionsResponse
from mockbroker.protocol.messages.update_features import (
    FeatureUpdateKey,
    UpdateFeaturesRequest,
    UpdateFeaturesResponse,
)
from tests.support.in_process import Brokers

TV = "transaction.version"
DOWN = 2


def ask(
    brokers: Brokers,
    *updates: tuple[str, int, int],
    version: int = 1,
    validate_only: bool = False,
    broker_id: int = 1,
) -> UpdateFeaturesResponse:
    request = UpdateFeaturesRequest(
        feature_updates=[
            FeatureUpdateKey(feature=name, max_version_level=level, upgrade_type=kind)
            for name, level, kind in updates
        ],
        validate_only=validate_only,
    )
    return brokers.ask(request, version, UpdateFeaturesResponse, broker_id=broker_id)


def finalized(brokers: Brokers) -> dict[str, int]:
    request = ApiVersionsRequest(client_software_name="a", client_software_version="1")
    answer = brokers.ask(request, 4, ApiVersionsResponse)
    return {each.name: each.max_version_level for each in answer.finalized_features}


def test_changed_features_are_listed_by_api_versions() -> None:
    brokers = Brokers()
    answer = ask(brokers, (TV, 1, DOWN))
    assert (answer.error_code, answer.error_message) == (ErrorCode.NONE, None)
    assert [(each.feature, each.error_message) for each in answer.results] == [(TV, "NONE")]
    assert finalized(brokers)[TV] == 1
    ask(brokers, (TV, 0, DOWN), validate_only=True)
    assert finalized(brokers)[TV] == 1
    ask(brokers, (TV, 0, DOWN), version=2)
    assert TV not in finalized(brokers)


def test_one_refused_feature_fails_the_request() -> None:
    brokers = Brokers()
    answer = ask(brokers, (TV, 1, DOWN), ("no.such", 1, 1))
    assert answer.error_code == ErrorCode.INVALID_UPDATE_VERSION
    assert answer.error_message == (
        "The update failed for all features since the following feature had an error: Invalid"
        " update version 1 for feature no.such. Local controller 1 does not support this feature."
    )
    assert not answer.results
    assert finalized(brokers)[TV] == 2


@pytest.mark.parametrize(
    ("release", "version", "message", "code"),
    [
        ("3.9", 1, "", ErrorCode.INVALID_UPDATE_VERSION),
        ("2.8", 0, None, ErrorCode.INVALID_REQUEST),
    ],
)
def test_older_releases_report_each_feature(
    release: str, version: int, message: str | None, code: ErrorCode
) -> None:
    answer = ask(Brokers(release=release), ("no.such", 1, 1), version=version)
    assert (answer.error_code, answer.error_message) == (ErrorCode.NONE, message)
    assert [(each.feature, each.error_code) for each in answer.results] == [("no.such", code)]


def test_with_zookeeper_only_the_controller_changes_features() -> None:
    brokers = Brokers(brokers=2, release="2.8")
    answer = ask(brokers, ("no.such", 1, 1), version=0, broker_id=2)
    assert answer.error_code == ErrorCode.NOT_CONTROLLER
    assert not answer.results
