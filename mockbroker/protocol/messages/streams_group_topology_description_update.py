"""StreamsGroupTopologyDescriptionUpdate: describe a streams group's topology to the broker."""

from mockbroker.protocol.api_keys import ApiKey
from mockbroker.protocol.schema.message import (
    INT8,
    INT16,
    INT32,
    STRING,
    Message,
    Struct,
    array,
    field,
    struct,
)


class TopologyDescriptionNode(Struct):
    name: str = field(STRING)
    node_type: int = field(INT8)
    source_topics: list[str] = field(array(STRING))
    sink_topic: str | None = field(STRING, nullable="0+", default=None)
    stores: list[str] = field(array(STRING))
    successors: list[str] = field(array(STRING))


class TopologyDescriptionSubtopology(Struct):
    subtopology_id: str = field(STRING)
    nodes: list[TopologyDescriptionNode] = field(array(TopologyDescriptionNode))


class TopologyDescriptionGlobalStore(Struct):
    source: TopologyDescriptionNode = field(struct(TopologyDescriptionNode))
    processor: TopologyDescriptionNode = field(struct(TopologyDescriptionNode))


class TopologyDescription(Struct):
    subtopologies: list[TopologyDescriptionSubtopology] = field(
        array(TopologyDescriptionSubtopology)
    )
    global_stores: list[TopologyDescriptionGlobalStore] = field(
        array(TopologyDescriptionGlobalStore)
    )


class StreamsGroupTopologyDescriptionUpdateRequest(
    Message,
    api=ApiKey.STREAMS_GROUP_TOPOLOGY_DESCRIPTION_UPDATE,
    kind="request",
    versions="0",
    flexible="0+",
):
    group_id: str = field(STRING)
    member_id: str = field(STRING)
    topology_epoch: int = field(INT32)
    topology_description: TopologyDescription = field(struct(TopologyDescription))


class StreamsGroupTopologyDescriptionUpdateResponse(
    Message,
    api=ApiKey.STREAMS_GROUP_TOPOLOGY_DESCRIPTION_UPDATE,
    kind="response",
    versions="0",
    flexible="0+",
):
    throttle_time_ms: int = field(INT32)
    error_code: int = field(INT16)
    error_message: str | None = field(STRING, nullable="0+", default=None)
