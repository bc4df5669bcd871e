"""Records with a byte that is not what was written: their checksum no longer fits."""

from mockbroker.broker.call import Answer
from mockbroker.events.event_types import Applied
from mockbroker.faults.strike import Response, Strike
from mockbroker.faults.verb import Verb
from mockbroker.protocol.api_keys import ApiKey
from mockbroker.protocol.messages.fetch import FetchResponse
from mockbroker.protocol.messages.produce import ProduceRequest
from mockbroker.protocol.types import Buffer, BufferChain

_APIS = frozenset({ApiKey.PRODUCE, ApiKey.FETCH})


class Corrupt:
    """Spoils the last byte of records: of a Produce on its way in, of a Fetch on its way out."""

    applied: Applied = "before"

    def check(self, api: ApiKey, versions: range) -> None:
        """Check that the API carries records."""
        if api not in _APIS:
            raise ValueError(f"{api.title} carries no records that could be corrupted")

    def strike(self, strike: Strike) -> Answer:
        """Handle the request with spoiled records, or spoil the records of the answer."""
        request = strike.request
        if isinstance(request, ProduceRequest):
            _spoil_produced(request, strike)
            return strike.proceed()
        return strike.then(strike.proceed(), lambda response: _spoilt_fetched(response, strike))

    @property
    def verb(self) -> Verb:
        """The effect as it is called."""
        return Verb("corrupt")

    def __str__(self) -> str:
        """Write the effect as it is called."""
        return "corrupt()"


def _spoil_produced(request: ProduceRequest, strike: Strike) -> None:
    chosen = strike.paths
    for at, topic in enumerate(request.topic_data):
        for index, partition in enumerate(topic.partition_data):
            if (("topic_data", at), ("partition_data", index)) in chosen and partition.records:
                partition.records = _spoilt(partition.records)


def _spoilt_fetched(response: Response, strike: Strike) -> Response:
    if not isinstance(response, FetchResponse):
        return response
    chosen = {(item.named["topic"], item.named["partition"]) for item in strike.chosen}
    topics = strike.call.cluster.topics
    for topic in response.responses:
        by_id = topics.by_id(topic.topic_id)
        name = topic.topic if by_id is None else by_id.name
        for partition in topic.partitions:
            if (name, partition.partition_index) in chosen and partition.records:
                partition.records = _spoilt(partition.records)
    return response


def _spoilt(records: Buffer | BufferChain) -> bytearray:
    copy = bytearray(bytes(records))
    copy[-1] ^= 0xFF
    return copy
