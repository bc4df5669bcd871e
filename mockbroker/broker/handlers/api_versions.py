"""ApiVersions: list the broker's APIs and versions (KIP-35, KIP-511, KIP-584, KIP-1242)."""

import re
from collections.abc import Iterable
from typing import Final

from mockbroker.broker.api_table import Route
from mockbroker.broker.call import Call
from mockbroker.protocol.api_keys import ApiKey
from mockbroker.protocol.errors import ApiError, ErrorCode
from mockbroker.protocol.messages.api_versions import (
    ApiVersion,
    ApiVersionsRequest,
    ApiVersionsResponse,
    FinalizedFeatureKey,
    SupportedFeatureKey,
)
from mockbroker.state.release.release_versions import Feature

FIRST_WITH_CLIENT_SOFTWARE: Final = 3
FIRST_WITH_FEATURES_FROM_ZERO: Final = 4
FIRST_WITH_CLUSTER: Final = 5
NO_NODE: Final = -1

_SOFTWARE: Final = r"[a-zA-Z0-9]([a-zA-Z0-9.-]*[a-zA-Z0-9])?"


def api_versions(request: ApiVersionsRequest, call: Call) -> ApiVersionsResponse:
    """List the APIs that are served, and the features of the cluster."""
    try:
        _check(request, call)
    except ApiError as refusal:
        call.service.refusals.note("api_versions_refused", refusal, client_id=call.client_id)
        return ApiVersionsResponse(error_code=refusal.code)
    options = call.cluster.options
    return ApiVersionsResponse(
        api_keys=_served(call.service.routes.values()),
        supported_features=_supported(options.features, call.api_version),
        finalized_features=_finalized(options.features),
        finalized_features_epoch=options.finalized_features_epoch,
    )


def unsupported_version(_request: ApiVersionsRequest, call: Call) -> ApiVersionsResponse:
    """Build the response for an unsupported version of ApiVersions, so that the client can retry.

    It is a v0 response that lists no API but this one (KIP-511), or none, as the release does.
    """
    names_itself = call.cluster.options.api_versions_refusal_names_itself
    routes = call.service.routes.values() if names_itself else ()
    return ApiVersionsResponse(
        error_code=ErrorCode.UNSUPPORTED_VERSION,
        api_keys=_served(route for route in routes if route.api_key is ApiKey.API_VERSIONS),
    )


def _check(request: ApiVersionsRequest, call: Call) -> None:
    if call.api_version >= FIRST_WITH_CLIENT_SOFTWARE:
        software = (request.client_software_name, request.client_software_version)
        if not all(re.fullmatch(_SOFTWARE, text) for text in software):
            why = f"invalid client software name {software[0]!r} or version {software[1]!r}"
            raise ApiError(ErrorCode.INVALID_REQUEST, why)
    if call.api_version >= FIRST_WITH_CLUSTER:
        wanted = (request.cluster_id, request.node_id)
        looked_for = f"the client expects cluster {wanted[0]}, broker {wanted[1]}"
        if (request.cluster_id is None) != (request.node_id == NO_NODE):
            raise ApiError(ErrorCode.INVALID_REQUEST, f"{looked_for}: both or neither are needed")
        here = (call.cluster.cluster_id, call.broker_id)
        if request.cluster_id is not None and wanted != here:
            why = f"{looked_for}, but is connected to cluster {here[0]}, broker {here[1]}"
            raise ApiError(ErrorCode.REBOOTSTRAP_REQUIRED, why)


def _served(routes: Iterable[Route]) -> list[ApiVersion]:
    return [
        ApiVersion(
            api_key=route.api_key,
            min_version=route.versions.start,
            max_version=route.versions.stop - 1,
        )
        for route in sorted(routes, key=lambda route: route.api_key)
    ]


def _supported(features: Iterable[Feature], version: int) -> list[SupportedFeatureKey]:
    """List the supported features; older clients reject those whose range starts at 0."""
    return [
        SupportedFeatureKey(
            name=feature.name, min_version=feature.min_version, max_version=feature.max_version
        )
        for feature in features
        if feature.min_version > 0 or version >= FIRST_WITH_FEATURES_FROM_ZERO
    ]


def _finalized(features: Iterable[Feature]) -> list[FinalizedFeatureKey]:
    return [
        FinalizedFeatureKey(
            name=feature.name,
            max_version_level=feature.finalized_level,
            min_version_level=feature.finalized_level,
        )
        for feature in features
        if feature.finalized_level > 0
    ]
