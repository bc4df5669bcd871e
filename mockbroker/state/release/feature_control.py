"""UpdateFeatures: validation first, then the change of feature levels (KIP-584).

With KRaft (`FeatureControlManager`) the levels in force are `Options.features`. Every request reads
them, so a change applies from the next request on. With ZooKeeper a broker of the supported
releases supports no features, and cannot change any.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from enum import IntEnum
from typing import Final, NamedTuple

from mockbroker.protocol.errors import ApiError, ErrorCode
from mockbroker.state.cluster_state import ClusterState
from mockbroker.state.release.cluster_admin_options import FeatureUpdates
from mockbroker.state.release.release_versions import Feature
from mockbroker.state.topic.java_hash import texts_in_java_hash_order

METADATA_VERSION: Final = "metadata.version"


class UpgradeType(IntEnum):
    """Direction of a level's change, numbered as on the wire (`FeatureUpdate.UpgradeType`)."""

    UPGRADE = 1
    SAFE_DOWNGRADE = 2
    UNSAFE_DOWNGRADE = 3


_UPGRADE_TYPES: Final = frozenset(UpgradeType)


class FeatureUpdate(NamedTuple):
    """A requested level of one feature."""

    name: str
    level: int
    upgrade_type: int
    """The number in the request."""
    allows_downgrade: bool = False
    """The field of the oldest versions that `upgrade_type` replaced."""


Outcomes = Mapping[str, ApiError | None]
"""By feature: the error if it stays unchanged, or None."""


def update_features(
    cluster: ClusterState,
    updates: Sequence[FeatureUpdate],
    *,
    validate_only: bool,
    paced: Callable[[Iterable[str]], Iterable[str]] = iter,
) -> Outcomes:
    """Apply the valid updates, and return the others' errors; of two updates the last applies.

    Other work may be done while `paced` yields the names of the features to check.
    """
    rules = cluster.options.cluster_admin.feature_updates
    check = _refusal_of_zookeeper if rules is FeatureUpdates.ZOOKEEPER else _refusal
    wanted = {update.name: update for update in updates}
    names = texts_in_java_hash_order(paced(wanted))
    outcomes = {name: check(cluster, wanted[name]) for name in paced(names)}
    is_refused = any(refusal is not None for refusal in outcomes.values())
    if validate_only or (is_refused and rules is FeatureUpdates.TOGETHER):
        return outcomes
    for name, refusal in outcomes.items():
        if refusal is None and _find(cluster, name) is not None:
            cluster.finalize_feature(name, wanted[name].level)
    return outcomes


def _find(cluster: ClusterState, name: str) -> Feature | None:
    return next((each for each in cluster.options.features if each.name == name), None)


# With KRaft


def _refusal(cluster: ClusterState, update: FeatureUpdate) -> ApiError | None:
    feature = _find(cluster, update.name)
    reason = _reason(cluster, update, feature)
    if reason is not None:
        return _invalid(
            f"Invalid update version {update.level} for feature {update.name}. {reason}"
        )
    if update.name == METADATA_VERSION:
        assert feature is not None, update
        return _metadata_refusal(cluster, feature, update)
    return None


def _reason(cluster: ClusterState, update: FeatureUpdate, feature: Feature | None) -> str | None:
    if update.upgrade_type not in _UPGRADE_TYPES:
        return "The controller does not support the given upgrade type."
    if update.level < 0:
        return "A feature version cannot be less than 0."
    controller = f"Local controller {cluster.controller_id}"
    if feature is None:
        if update.level:
            return f"{controller} does not support this feature."
        together = cluster.options.cluster_admin.feature_updates is FeatureUpdates.TOGETHER
        if cluster.options.cluster_admin.brokers_must_know_features:
            return f"Broker {min(cluster.brokers)} does not support this feature."
        return f"Feature {update.name} not found." if together else None
    if not feature.min_version <= update.level <= feature.max_version:
        return f"{controller} only supports versions {feature.min_version}-{feature.max_version}"
    return _reason_of_direction(feature, update)


def _reason_of_direction(feature: Feature, update: FeatureUpdate) -> str | None:
    upgrades = update.upgrade_type == UpgradeType.UPGRADE
    if update.level < feature.finalized_level and upgrades:
        return (
            "Can't downgrade the version of this feature without setting the upgrade type to either"
            " safe or unsafe downgrade."
        )
    if update.level > feature.finalized_level and not upgrades:
        return "Can't downgrade to a newer version."
    if update.level > max(feature.finalized_level, feature.highest_served):
        return "mockbroker does not implement this level."
    return None


def _metadata_refusal(
    cluster: ClusterState, feature: Feature, update: FeatureUpdate
) -> ApiError | None:
    """Reject a lower metadata.version that does not support all present metadata."""
    options = cluster.options.cluster_admin
    if update.level >= min(feature.finalized_level, options.last_change_of_metadata):
        return None
    refusals = cluster.options.cluster_admin_refusals
    if update.level < options.oldest_metadata_version:
        return refusals.metadata_version_too_old.error(update.level)
    refusal = refusals.metadata_version_downgrade
    if update.upgrade_type == UpgradeType.UNSAFE_DOWNGRADE:
        refusal = refusals.metadata_version_unsafe_downgrade
    return refusal.error(feature.finalized_level, update.level)


def _invalid(why: str) -> ApiError:
    return ApiError(ErrorCode.INVALID_UPDATE_VERSION, why)


# With ZooKeeper


def _refusal_of_zookeeper(_cluster: ClusterState, update: FeatureUpdate) -> ApiError | None:
    why = "Could not apply finalized feature update because the provided feature is not supported."
    if not update.name:
        why = "Feature name can not be empty."
    elif update.level < 1 and not update.allows_downgrade:
        why = (
            f"Can not provide maxVersionLevel: {update.level} less than 1 without setting the"
            " allowDowngrade flag to true in the request."
        )
    elif update.level < 1:
        why = "Can not delete non-existing finalized feature."
    return ApiError(ErrorCode.INVALID_REQUEST, why)
