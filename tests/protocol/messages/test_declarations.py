"""The declarations equal Kafka's message files, field by field and version by version."""

from collections.abc import Iterable, Iterator
from typing import Final, NamedTuple

import pytest

from mockbroker.protocol.api_keys import ApiKey
from mockbroker.protocol.dump.decode import declared_api_keys
from mockbroker.protocol.messages import request_type, response_type
from mockbroker.protocol.schema.message import (
    Field,
    Message,
    Struct,
    Versions,
)
from mockbroker.protocol.types import ZERO_UUID
from tests.support import facts
from tests.support.declared import api_messages, kafkas_messages, versions
from tests.support.facts import FieldFacts, file_of, files_of

# Names in 2.4.1, by path, that 4.4.0 changed: the newest name is used.
OLD_NAMES: Final = {
    "DescribeAclsRequest.resource_type_filter": "resource_type",
    "DescribeAclsResponse.resources.resource_name": "name",
    "DescribeAclsResponse.resources.resource_type": "type",
    "DescribeLogDirsRequest.topics.partitions": "partition_index",
    "FetchRequest.max_wait_ms": "max_wait",
    "FetchRequest.topics.partitions": "fetch_partitions",
    "FetchRequest.topics.partitions.partition": "partition_index",
    "FetchRequest.topics.partitions.partition_max_bytes": "max_bytes",
    "FetchRequest.topics.topic": "name",
    "FetchResponse.responses": "topics",
    "FetchResponse.responses.topic": "name",
    "OffsetCommitRequest.generation_id_or_member_epoch": "generation_id",
    "OffsetForLeaderEpochRequest.topics.partitions.partition": "partition_index",
    "OffsetForLeaderEpochRequest.topics.topic": "name",
    "OffsetForLeaderEpochResponse.topics.partitions.partition": "partition_index",
    "OffsetForLeaderEpochResponse.topics.topic": "name",
    "ProduceRequest.topic_data": "topics",
    "ProduceRequest.topic_data.partition_data": "partitions",
    "ProduceRequest.topic_data.partition_data.index": "partition_index",
    "ProduceResponse.responses.partition_responses": "partitions",
    "ProduceResponse.responses.partition_responses.index": "partition_index",
}
# Defaults that 4.4.0 changed, or of fields that were not of kind records yet.
NEW_DEFAULTS: Final = {
    "FetchRequest.replica_id",
    "FetchResponse.responses.partitions.records",
    "OffsetForLeaderEpochResponse.topics.partitions.end_offset",
    "ProduceRequest.topic_data.partition_data.records",
}
# Structs with the same name in a request and its response are distinguished.
APART: Final = {
    "[]ResponseEntryData": "[]EntryData",
    "[]ResponsePartitionData": "[]PartitionData",
    "[]ResponseTopicData": "[]TopicData",
}
STRUCT: Final = "(a struct)"


class Row(NamedTuple):
    """One field of one version, as a flat line that two lists can be compared by."""

    path: str
    kind: str
    nullable: bool
    tag: int | None
    default: object
    compact: bool


def declared_fields(struct: type[Struct], version: int, *, flexible: bool) -> list[FieldFacts]:
    """Return the fields that a struct declares for one version."""
    return [
        declared_field(name, field, version, flexible=flexible)
        for name, field in struct.FIELDS.items()
        if version in field.versions and not field.is_extension
    ]


def declared_field(name: str, field: Field, version: int, *, flexible: bool) -> FieldFacts:
    compact = flexible if field.flexible is None else version in field.flexible
    inner = (field.kind.element or field.kind).struct
    return FieldFacts(
        name.removesuffix("_"),
        str(field.kind),
        version in field.nullable,
        field.tag if version in field.tagged else None,
        written_default(field),
        compact,
        None if inner is None else tuple(declared_fields(inner, version, flexible=compact)),
    )


def written_default(field: Field) -> object:
    initial = field.initial()
    if isinstance(initial, Struct):
        return "{}"
    return {"[]": "[]", str(ZERO_UUID): "zero"}.get(str(initial), initial)


def declared_rows(message: type[Message], version: int) -> list[Row]:
    fields = declared_fields(message, version, flexible=version in message.FLEXIBLE)
    return list(rows(fields, message.__name__))


def rows(fields: Iterable[FieldFacts], path: str) -> Iterator[Row]:
    for field in fields:
        here = f"{path}.{field.name}"
        kind = APART.get(field.kind, field.kind)
        yield Row(here, kind, field.nullable, field.tag, field.default, field.compact)
        yield from rows(field.fields or (), here)


def as_in_2_4(row: Row) -> Row:
    """Write a row as 2.4.1 has it: with other names, and no kind for records."""
    *parents, name = row.path.split(".")
    steps = [".".join(parents[: i + 1]) for i in range(1, len(parents))]
    path = ".".join([parents[0], *(OLD_NAMES.get(step, step.rpartition(".")[2]) for step in steps)])
    old = OLD_NAMES.get(row.path, name)
    kind = row.kind.replace("records", "bytes")
    return row._replace(path=f"{path}.{old}", kind=without_struct(kind))


def without_struct(kind: str) -> str:
    return STRUCT if kind.removeprefix("[]")[0].isupper() else kind


@pytest.mark.parametrize("message", kafkas_messages(), ids=lambda message: message.__name__)
def test_a_declaration_equals_the_newest_message_file(message: type[Message]) -> None:
    for version in versions(message):
        source, file = file_of(message.__name__, version)
        expected = list(rows(facts.fields_of(file, version), message.__name__))
        declared = declared_rows(message, version)
        if source == "2.4.1":
            expected = [
                row._replace(
                    kind=without_struct(row.kind),
                    default=ours.default if ours.path in NEW_DEFAULTS else row.default,
                )
                for row, ours in zip(expected, declared, strict=True)
            ]
            declared = [as_in_2_4(row) for row in declared]
        assert declared == expected, f"v{version}, {source}"


@pytest.mark.parametrize("message", kafkas_messages(), ids=lambda message: message.__name__)
def test_a_message_has_the_versions_of_both_releases_and_is_flexible_from_the_same_on(
    message: type[Message],
) -> None:
    known = {
        version
        for file in files_of(message.__name__).values()
        for version in range(100)
        if version in Versions.parse(file["validVersions"])
    }
    assert set(versions(message)) == known
    for version in known:
        _, file = file_of(message.__name__, version)
        assert (version in message.FLEXIBLE) == (
            version in Versions.parse(file["flexibleVersions"])
        )


@pytest.mark.parametrize("name", facts.advertised())
def test_every_api_that_a_client_may_find_advertised_is_declared(name: str) -> None:
    key, _, advertised = facts.advertised()[name]
    api_key = ApiKey(key)
    assert api_key in set(declared_api_keys())
    for message in (request_type(api_key), response_type(api_key)):
        assert message.API is api_key
        assert advertised <= set(versions(message))


@pytest.mark.parametrize("message", api_messages(), ids=lambda message: message.__name__)
def test_request_and_response_of_an_api_agree(message: type[Message]) -> None:
    assert message.API is not None
    assert message.KIND in ("request", "response")
    assert message.__name__ == message.API.title + message.KIND.capitalize()
    request, response = request_type(message.API), response_type(message.API)
    assert (request.VERSIONS, request.FLEXIBLE) == (response.VERSIONS, response.FLEXIBLE)
