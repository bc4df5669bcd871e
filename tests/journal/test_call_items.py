"""Columns of the items of requests and answers, for every API."""

from typing import Final

import pytest

from mockbroker.broker.api_table import routes
from mockbroker.journal.call_items import answer_facts, request_facts
from mockbroker.journal.entry import Entry
from mockbroker.journal.recorded import Facts
from mockbroker.protocol.api_keys import ApiKey
from mockbroker.protocol.errors import ErrorCode
from mockbroker.protocol.messages import request_type, response_type
from mockbroker.protocol.messages.end_txn import EndTxnRequest, EndTxnResponse
from mockbroker.protocol.messages.fetch import FetchableTopicResponse, FetchResponse, PartitionData
from mockbroker.protocol.messages.metadata import (
    MetadataResponse,
    MetadataResponsePartition,
    MetadataResponseTopic,
)
from mockbroker.protocol.records.batch import build_batch
from mockbroker.protocol.records.message_set import build_message_set
from mockbroker.protocol.records.record import Record
from mockbroker.protocol.schema.message import Message
from mockbroker.protocol.types import BufferChain, Uuid
from tests.protocol.golden.stored import recorded, value_of
from tests.support.faults import produce_to
from tests.support.requests import fetch

TOPIC_ID: Final = Uuid(int=7)


def name_of(topic_id: Uuid) -> str | None:
    return "named" if topic_id == TOPIC_ID else None


def recorded_messages() -> list[tuple[ApiKey, int, bool, Message]]:
    kinds = {request_type(api): (api, True) for api in routes() if not ApiKey(api).is_extension}
    kinds |= {response_type(api): (api, False) for api in routes() if not ApiKey(api).is_extension}
    by_name = {kind.__name__: (kind, *rest) for kind, rest in kinds.items()}
    found: list[tuple[ApiKey, int, bool, Message]] = []
    for row in recorded():
        if row.message in by_name:
            kind, api, is_request = by_name[row.message]
            found.append(
                (ApiKey(api), row.version, is_request, value_of(kind, row.version, row.value))
            )
    return found


def test_every_recorded_request_and_answer_has_rows_of_columns() -> None:
    messages = recorded_messages()
    assert len({api for api, _, _, _ in messages}) > 50
    for api, version, is_request, message in messages:
        rows = (
            request_facts(message, version, name_of)
            if is_request
            else answer_facts(message, [], version, name_of)
        )
        assert rows, (api, version)
        for facts in rows:
            assert set(facts) <= set(Entry._fields), (api, version, facts)
            assert is_request or isinstance(facts["error"], ErrorCode)


def test_a_fetch_answer_is_recorded_with_its_size_and_without_its_records() -> None:
    partitions = [
        PartitionData(partition_index=3, high_watermark=9, records=b"12345"),
        PartitionData(partition_index=4, error_code=ErrorCode.OFFSET_OUT_OF_RANGE),
    ]
    response = FetchResponse(
        responses=[FetchableTopicResponse(topic_id=TOPIC_ID, partitions=partitions)]
    )
    asked: list[Facts] = [{"topic": "named", "partition": 4, "client_id": "me"}]
    first, second = answer_facts(response, asked, 13, name_of)
    assert (first["topic"], first["partition"], first["detail"]) == ("named", 3, {"bytes": 5})
    assert (second["error"], second["detail"]) == (ErrorCode.OFFSET_OUT_OF_RANGE, {"bytes": 0})


def test_a_fetch_answer_has_the_offsets_of_its_whole_batches() -> None:
    def batch(base_offset: int, count: int) -> bytes:
        return build_batch([Record(offset=base_offset + n) for n in range(count)])

    def message(offset: int) -> bytes:
        return build_message_set([Record(offset=offset)], magic=1)

    one, two = batch(4, 2), batch(9, 3)
    old = b"".join(message(offset) for offset in (5, 7))
    for records, offsets in (
        (BufferChain([one, two], len(one) + len(two)), (4, 11)),
        (BufferChain([one, two[:70]], len(one) + 70), (4, 5)),
        (one + two, (4, 11)),
        (old, (5, 7)),
        (one[:20], (None, None)),
        (b"\0" * 80, (None, None)),
        (None, (None, None)),
    ):
        partition = PartitionData(partition_index=3, records=records)
        topic = FetchableTopicResponse(topic="orders", partitions=[partition])
        asked: list[Facts] = [{"detail": {"isolation_level": 1, "max_bytes": 5}}]
        (facts,) = answer_facts(FetchResponse(responses=[topic]), asked, 4, name_of)
        assert (facts.get("base_offset"), facts.get("last_offset")) == offsets
        size = 0 if records is None else len(records)
        assert facts["detail"] == {"bytes": size, "isolation_level": 1}


def test_a_fetch_answer_without_partitions_has_its_own_error() -> None:
    response = FetchResponse(error_code=ErrorCode.FETCH_SESSION_ID_NOT_FOUND)
    assert answer_facts(response, [], 13, name_of) == [
        {"error": ErrorCode.FETCH_SESSION_ID_NOT_FOUND}
    ]


def test_metadata_has_a_row_for_each_topic_and_none_for_partitions() -> None:
    partitions = [MetadataResponsePartition(partition_index=index) for index in range(3)]
    topics = [MetadataResponseTopic(name=name, partitions=partitions) for name in ("a", "b")]
    rows = answer_facts(MetadataResponse(topics=topics), [], 9, name_of)
    assert [facts["topic"] for facts in rows] == ["a", "b"]


def test_a_request_has_the_topic_partition_and_acks_of_each_of_its_items() -> None:
    asked = request_facts(fetch("orders", 2), 12, name_of)
    assert [(facts["topic"], facts["partition"]) for facts in asked] == [("orders", 2)]
    produced = request_facts(produce_to(0, 1), 9, name_of)
    assert [facts["record_count"] for facts in produced] == [1, 1]
    assert {facts["acks"] for facts in produced} == {-1}


def test_an_answer_without_a_producer_keeps_that_of_the_request() -> None:
    request = EndTxnRequest(transactional_id="svc", producer_id=7, producer_epoch=3)
    asked = request_facts(request, 5, name_of)
    refused = EndTxnResponse(error_code=ErrorCode.INVALID_TXN_STATE)
    (facts,) = answer_facts(refused, asked, 5, name_of)
    assert (facts["producer_id"], facts["producer_epoch"]) == (7, 3)
    (facts,) = answer_facts(EndTxnResponse(producer_id=7, producer_epoch=4), asked, 5, name_of)
    assert (facts["producer_id"], facts["producer_epoch"]) == (7, 4)


@pytest.mark.parametrize("code", [0, 3, 999])
def test_an_undefined_code_is_an_unknown_server_error(code: int) -> None:
    (facts,) = answer_facts(FetchResponse(error_code=code), [], 13, name_of)
    known = ErrorCode(code) if code != 999 else ErrorCode.UNKNOWN_SERVER_ERROR
    assert facts["error"] is known
