"""ApiVersions: list the APIs and versions of a broker (KIP-35, KIP-511, KIP-584)."""

from mockbroker.protocol.api_keys import ApiKey
from mockbroker.protocol.schema.message import (
    BOOL,
    INT16,
    INT32,
    INT64,
    STRING,
    Message,
    Struct,
    array,
    field,
)


class ApiVersionsRequest(
    Message, api=ApiKey.API_VERSIONS, kind="request", versions="0-5", flexible="3+"
):
    client_software_name: str = field(STRING, "3+")
    client_software_version: str = field(STRING, "3+")
    cluster_id: str | None = field(STRING, "5+", nullable="5+", default=None)
    node_id: int = field(INT32, "5+", default=-1)


class ApiVersion(Struct):
    api_key: int = field(INT16)
    min_version: int = field(INT16)
    max_version: int = field(INT16)


class SupportedFeatureKey(Struct):
    name: str = field(STRING)
    min_version: int = field(INT16)
    max_version: int = field(INT16)


class FinalizedFeatureKey(Struct):
    name: str = field(STRING)
    max_version_level: int = field(INT16)
    min_version_level: int = field(INT16)


class ApiVersionsResponse(
    Message, api=ApiKey.API_VERSIONS, kind="response", versions="0-5", flexible="3+"
):
    error_code: int = field(INT16)
    api_keys: list[ApiVersion] = field(array(ApiVersion))
    throttle_time_ms: int = field(INT32, "1+")
    supported_features: list[SupportedFeatureKey] = field(
        array(SupportedFeatureKey), "3+", tag=0, tagged="3+"
    )
    finalized_features_epoch: int = field(INT64, "3+", default=-1, tag=1, tagged="3+")
    finalized_features: list[FinalizedFeatureKey] = field(
        array(FinalizedFeatureKey), "3+", tag=2, tagged="3+"
    )
    zk_migration_ready: bool = field(BOOL, "3+", tag=3, tagged="3+")
