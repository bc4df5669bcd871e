"""Effect that changes a byte of records, so that their checksum no longer matches."""

from mockbroker.broker.call import Answer
from mockbroker.faults.effect import Effect
from mockbroker.faults.strike import Response, Strike
from mockbroker.protocol.api_keys import ApiKey
from mockbroker.protocol.messages.fetch import FetchResponse
from mockbroker.protocol.messages.produce import ProduceRequest
from mockbroker.protocol.types import Buffer, BufferChain

_APIS = frozenset({ApiKey.PRODUCE, ApiKey.FETCH})


class Corrupt(Effect, frozen=True):
    """Change a byte of the records: those of a Produce before they arrive, of a Fetch after."""

    def check(self, api: ApiKey, versions: range) -> None:
        """Check that the API carries records."""
        if api not in _APIS:
            raise ValueError(f"{api.title} carries no records that could be corrupted")

    def strike(self, strike: Strike) -> Answer:
        """Handle the request with corrupted records, or corrupt the records of the answer."""
        request = strike.request
        if isinstance(request, ProduceRequest):
            _corrupt_request(request, strike)
            return strike.proceed()
        return strike.then(strike.proceed(), lambda response: _corrupted_answer(response, strike))


def _corrupt_request(request: ProduceRequest, strike: Strike) -> None:
    chosen = strike.paths
    for at, topic in enumerate(request.topic_data):
        for index, partition in enumerate(topic.partition_data):
            if (("topic_data", at), ("partition_data", index)) in chosen and partition.records:
                partition.records = _corrupted(partition.records)


def _corrupted_answer(response: Response, strike: Strike) -> Response:
    if not isinstance(response, FetchResponse):
        return response
    chosen = {(item.named["topic"], item.named["partition"]) for item in strike.chosen}
    topics = strike.call.cluster.topics
    for topic in response.responses:
        by_id = topics.by_id(topic.topic_id)
        name = topic.topic if by_id is None else by_id.name
        for partition in topic.partitions:
            if (name, partition.partition_index) in chosen and partition.records:
                partition.records = _corrupted(partition.records)
    return response


def _corrupted(records: Buffer | BufferChain) -> bytearray:
    copy = bytearray(bytes(records))
    copy[-1] ^= 0xFF
    return copy
