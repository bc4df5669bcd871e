"""UpdateFeatures: upgrade or downgrade finalized features (KIP-584, KIP-1022)."""

from collections.abc import Iterable
from typing import Final

from mockbroker.broker.call import Call
from mockbroker.broker.handlers.admin_requests import check_asked_controller
from mockbroker.broker.handlers.alter_partition_reassignments import NOT_CONTROLLER
from mockbroker.protocol.errors import ApiError
from mockbroker.protocol.messages.update_features import (
    UpdatableFeatureResult,
    UpdateFeaturesRequest,
    UpdateFeaturesResponse,
)
from mockbroker.state.release import feature_control
from mockbroker.state.release.cluster_admin_options import FeatureUpdates
from mockbroker.state.release.feature_control import FeatureUpdate, Outcomes

_SPOILED: Final = "The update failed for all features since the following feature had an error: {}"


def update_features(request: UpdateFeaturesRequest, call: Call) -> UpdateFeaturesResponse:
    """Update features, or only validate the updates."""
    try:
        check_asked_controller(call, NOT_CONTROLLER)
    except ApiError as refusal:
        call.service.refusals.note("update_features_refused", refusal)
        return UpdateFeaturesResponse(error_code=refusal.code, error_message=refusal.why)
    updates = [
        FeatureUpdate(each.feature, each.max_version_level, each.upgrade_type, each.allow_downgrade)
        for each in call.paced(request.feature_updates)
    ]
    outcomes = feature_control.update_features(
        call.cluster, updates, validate_only=request.validate_only, paced=call.paced
    )
    for name, why in call.paced(outcomes.items()):
        if why is not None:
            call.service.refusals.note("update_features_refused", why, feature=name)
    rules = call.cluster.options.cluster_admin.feature_updates
    if rules is FeatureUpdates.TOGETHER:
        return _answer_together(outcomes, call)
    message = "" if rules is FeatureUpdates.EACH else None
    return UpdateFeaturesResponse(
        error_message=message, results=_results(call.paced(outcomes.items()), None)
    )


def _answer_together(outcomes: Outcomes, call: Call) -> UpdateFeaturesResponse:
    refused = next((refusal for refusal in outcomes.values() if refusal is not None), None)
    if refused is None:
        return UpdateFeaturesResponse(
            error_message=None, results=_results(call.paced(outcomes.items()), "NONE")
        )
    return UpdateFeaturesResponse(
        error_code=refused.code, error_message=_SPOILED.format(refused.why)
    )


def _results(
    outcomes: Iterable[tuple[str, ApiError | None]], message: str | None
) -> list[UpdatableFeatureResult]:
    return [
        UpdatableFeatureResult(feature=name, error_message=message)
        if refusal is None
        else UpdatableFeatureResult(
            feature=name, error_code=refusal.code, error_message=refusal.why
        )
        for name, refusal in outcomes
    ]
