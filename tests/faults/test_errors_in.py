"""The error codes of an answer, on every level."""

from mockbroker.faults.errors_in import errors_in, first_error
from mockbroker.protocol.errors import ErrorCode
from mockbroker.protocol.messages.fetch import FetchResponse
from mockbroker.protocol.messages.produce import (
    PartitionProduceResponse,
    ProduceResponse,
    TopicProduceResponse,
)


def answer(*codes: int) -> ProduceResponse:
    partitions = [PartitionProduceResponse(error_code=code) for code in codes]
    return ProduceResponse(responses=[TopicProduceResponse(partition_responses=partitions)])


def test_all_codes_are_found_in_order() -> None:
    assert list(errors_in(answer(0, 6, 3))) == [0, 6, 3]
    assert list(errors_in(FetchResponse(error_code=70))) == [70]


def test_the_first_that_is_an_error_counts() -> None:
    assert first_error(answer(0, 6, 3)) is ErrorCode.NOT_LEADER_OR_FOLLOWER
    assert first_error(answer(0, 0)) is ErrorCode.NONE
