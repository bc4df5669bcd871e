"""A refusal of some items takes their place in the answer about all."""

from mockbroker.protocol.merged_answer import merged
from mockbroker.protocol.messages.add_partitions_to_txn import (
    AddPartitionsToTxnPartitionResult,
    AddPartitionsToTxnResponse,
    AddPartitionsToTxnResult,
    AddPartitionsToTxnTopicResult,
)
from mockbroker.protocol.messages.produce import (
    PartitionProduceResponse,
    ProduceResponse,
    TopicProduceResponse,
)


def answer(*partitions: tuple[str, int, int], throttle_time_ms: int = 0) -> ProduceResponse:
    topics: dict[str, TopicProduceResponse] = {}
    for name, index, code in partitions:
        topic = topics.setdefault(name, TopicProduceResponse(name=name))
        topic.partition_responses.append(
            PartitionProduceResponse(index=index, error_code=code, base_offset=-1 if code else 9)
        )
    return ProduceResponse(responses=list(topics.values()), throttle_time_ms=throttle_time_ms)


def test_an_item_of_the_refusal_replaces_the_handlers_item() -> None:
    handled = answer(("orders", 0, 0), ("orders", 1, 0), throttle_time_ms=5)
    refused = answer(("orders", 1, 6))
    whole = answer(("orders", 0, 0), ("orders", 1, 6), throttle_time_ms=5)
    assert merged(handled, refused, 9) == whole


def test_items_that_the_answer_lacks_come_after_its_own() -> None:
    handled = answer(("orders", 0, 0))
    refused = answer(("orders", 1, 6), ("payments", 0, 6))
    whole = answer(("orders", 0, 0), ("orders", 1, 6), ("payments", 0, 6))
    assert merged(handled, refused, 9) == whole


def test_items_are_distinguished_on_every_level() -> None:
    def result(name: str, *partitions: tuple[int, int]) -> AddPartitionsToTxnResult:
        results = [
            AddPartitionsToTxnPartitionResult(partition_index=index, partition_error_code=code)
            for index, code in partitions
        ]
        topic = AddPartitionsToTxnTopicResult(name="orders", results_by_partition=results)
        return AddPartitionsToTxnResult(transactional_id=name, topic_results=[topic])

    handled = AddPartitionsToTxnResponse(
        results_by_transaction=[result("mine", (0, 0), (1, 0)), result("yours", (0, 0))]
    )
    refused = AddPartitionsToTxnResponse(results_by_transaction=[result("mine", (1, 51))])
    assert merged(handled, refused, 4) == AddPartitionsToTxnResponse(
        results_by_transaction=[result("mine", (0, 0), (1, 51)), result("yours", (0, 0))]
    )
