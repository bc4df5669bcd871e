"""Feature updates: applied, rejected, and in effect."""

import pytest

from mockbroker.protocol.errors import ErrorCode
from mockbroker.state.cluster_state import ClusterState
from mockbroker.state.config.configuration_control import (
    MIN_INSYNC_REPLICAS,
    ConfigChange,
    ConfigOperation,
    ConfigResource,
    ResourceType,
)
from mockbroker.state.release.feature_control import FeatureUpdate, UpgradeType, update_features
from tests.state.cluster_building import new_cluster

TV = "transaction.version"
ELR = "eligible.leader.replicas.version"
UP, DOWN, UNSAFE = UpgradeType.UPGRADE, UpgradeType.SAFE_DOWNGRADE, UpgradeType.UNSAFE_DOWNGRADE


def update(
    cluster: ClusterState, *updates: tuple[str, int, int], validate_only: bool = False
) -> dict[str, str | None]:
    """Update features, and return the error of each."""
    wanted = [FeatureUpdate(*each) for each in updates]
    outcomes = update_features(cluster, wanted, validate_only=validate_only)
    return {name: None if refusal is None else refusal.why for name, refusal in outcomes.items()}


def level(cluster: ClusterState, name: str) -> int:
    return next(each.finalized_level for each in cluster.options.features if each.name == name)


def test_a_level_applies_at_once() -> None:
    cluster = new_cluster()
    epoch = cluster.options.finalized_features_epoch
    for wanted, kind in [(1, DOWN), (0, UNSAFE), (2, UP)]:
        assert update(cluster, (TV, wanted, kind)) == {TV: None}
        assert cluster.options.transaction_version == level(cluster, TV) == wanted
        assert cluster.options.transaction_log_value_version == (1 if wanted else 0)
    assert cluster.options.finalized_features_epoch == epoch + 3


def test_validation_changes_nothing() -> None:
    cluster = new_cluster()
    before = cluster.as_text()
    assert update(cluster, (TV, 0, DOWN), validate_only=True) == {TV: None}
    assert cluster.as_text() == before


@pytest.mark.parametrize(
    ("name", "wanted", "kind", "why"),
    [
        (TV, 3, UP, "Local controller 1 only supports versions 0-2"),
        (TV, -1, DOWN, "A feature version cannot be less than 0."),
        (TV, 1, 9, "The controller does not support the given upgrade type."),
        (TV, 1, UP, "Can't downgrade the version of this feature without setting"),
        ("no.such", 1, UP, "Local controller 1 does not support this feature."),
        ("no.such", 0, UP, "Feature no.such not found."),
        ("kraft.version", 1, UP, "mockbroker does not implement this level."),
    ],
)
def test_a_rejected_update_has_a_reason_and_changes_nothing(
    name: str, wanted: int, kind: int, why: str
) -> None:
    cluster = new_cluster()
    before = cluster.as_text()
    outcome = update(cluster, (name, wanted, kind))[name]
    assert outcome is not None
    assert outcome.startswith(f"Invalid update version {wanted} for feature {name}. {why}")
    assert cluster.as_text() == before


def test_a_downgrade_does_not_raise_a_level() -> None:
    cluster = new_cluster()
    cluster.finalize_feature("share.version", 0)
    outcome = update(cluster, ("share.version", 1, DOWN))["share.version"]
    assert outcome is not None
    assert outcome.endswith("Can't downgrade to a newer version.")


def test_one_rejected_update_rejects_all_in_4_4_but_not_in_3_9() -> None:
    cluster = new_cluster()
    outcomes = update(cluster, (TV, 1, DOWN), ("no.such", 1, UP))
    assert list(outcomes) == ["no.such", TV]
    assert level(cluster, TV) == 2
    older = new_cluster("3.9")
    outcomes = update(older, ("metadata.version", 20, DOWN), ("no.such", 1, UP))
    assert outcomes["metadata.version"] is None
    assert outcomes["no.such"] is not None
    assert level(older, "metadata.version") == 20


def test_eligible_leader_replicas_pin_min_insync_replicas_while_they_are_on() -> None:
    cluster = new_cluster(configs={MIN_INSYNC_REPLICAS: "2"})
    assert cluster.configs.dynamic_default == {MIN_INSYNC_REPLICAS: "2"}
    assert update(cluster, (ELR, 0, DOWN)) == {ELR: None}
    for broker_id, operation in ((1, ConfigOperation.SET), (None, ConfigOperation.DELETE)):
        resource = ConfigResource(ResourceType.BROKER, str(broker_id or ""))
        change = ConfigChange(MIN_INSYNC_REPLICAS, operation, "1")
        cluster.configuration.incremental_alter(
            resource, [change], asked_broker_id=1, validate_only=False
        )
    assert cluster.configs.broker_value(MIN_INSYNC_REPLICAS, 1) == 1
    assert update(cluster, (ELR, 1, UP)) == {ELR: None}
    assert cluster.configs.dynamic_default == {MIN_INSYNC_REPLICAS: "2"}
    assert cluster.configs.broker_value(MIN_INSYNC_REPLICAS, 1) == 2


def test_of_two_updates_of_a_feature_the_last_applies() -> None:
    cluster = new_cluster()
    assert update(cluster, (TV, 9, UP), (TV, 1, DOWN)) == {TV: None}
    assert level(cluster, TV) == 1


def test_an_unknown_feature_is_off_in_3_9() -> None:
    cluster = new_cluster("3.9")
    before = cluster.as_text()
    assert update(cluster, ("no.such", 0, DOWN)) == {"no.such": None}
    assert cluster.as_text() == before


def test_an_unknown_feature_is_refused_at_every_level_in_3_6() -> None:
    refusal = update(new_cluster("3.6"), ("no.such", 0, DOWN))["no.such"]
    assert refusal is not None
    assert refusal.endswith("Broker 1 does not support this feature.")


@pytest.mark.parametrize(
    ("release", "wanted", "kind", "why"),
    [
        ("4.4", 32, DOWN, "Unsupported metadata.version downgrade from 33 to 32. Refusing"),
        ("4.4", 7, UNSAFE, "Unsupported metadata.version downgrade from 33 to 7. Unsafe"),
        ("3.6", 13, DOWN, "Invalid metadata.version 13. Refusing"),
        ("3.9", 16, DOWN, "Invalid metadata.version 16. Refusing"),
        ("3.9", 16, UNSAFE, "Invalid metadata.version 16. Unsafe"),
        ("3.9", 3, DOWN, "Invalid metadata.version 3. Unable to set"),
    ],
)
def test_a_downgrade_does_not_lose_metadata(release: str, wanted: int, kind: int, why: str) -> None:
    cluster = new_cluster(release)
    outcome = update(cluster, ("metadata.version", wanted, kind))["metadata.version"]
    assert outcome is not None
    assert outcome.startswith(why)


def test_with_zookeeper_no_feature_is_supported() -> None:
    cluster = new_cluster("2.8")
    before = cluster.as_text()
    for wanted, allows_downgrade, why in [
        (1, False, "Could not apply finalized feature update"),
        (0, False, "Can not provide maxVersionLevel: 0 less than 1"),
        (0, True, "Can not delete non-existing finalized feature."),
    ]:
        each = FeatureUpdate("a", wanted, UP, allows_downgrade)
        refusal = update_features(cluster, [each], validate_only=False)["a"]
        assert refusal is not None
        assert refusal.code == ErrorCode.INVALID_REQUEST
        assert refusal.why.startswith(why)
    unnamed = update_features(cluster, [FeatureUpdate("", 1, UP)], validate_only=False)[""]
    assert unnamed is not None
    assert unnamed.why == "Feature name can not be empty."
    assert cluster.as_text() == before
