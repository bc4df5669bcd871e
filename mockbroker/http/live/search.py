"""Search for keys of records, ids and error codes, with a bound on the work of one search."""

from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Final, NamedTuple

from mockbroker.faults.documents.strict import View
from mockbroker.http.documents.overview_view import Page, group_rows, topic_rows, transaction_rows
from mockbroker.journal.entry import Entry
from mockbroker.protocol.errors import ErrorCode
from mockbroker.protocol.records.batch import records_of
from mockbroker.state.cluster_state import ClusterState
from mockbroker.state.topic.topic import INTERNAL_TOPICS
from mockbroker.timeline.batch_index import BatchIndex

FOUND_MAX: Final = 20
"""Results of one kind."""
KEY_CHARACTERS_MAX: Final = 200
"""Characters of a key in a result; longer keys are cut."""
RECORDS_MAX: Final = 5_000
"""Records in which one search looks for a key, those of the newest batches first."""


class FoundRecord(View):
    """A record whose key contains the text."""

    topic: str
    partition: int
    offset: int
    base_offset: int
    """The base offset of its batch."""
    key: str


class FoundError(View):
    """An entry of the journal with an error whose name contains the text."""

    seq: int
    error: str
    api: str | None
    client_id: str | None
    topic: str | None
    partition: int | None
    transactional_id: str | None
    group: str | None
    wall_time_ms: int
    virtual_time_ms: int


class FoundView(View):
    """Results of a search."""

    topics: list[str]
    transactions: list[str]
    """Transactional ids; producer ids lead to theirs."""
    groups: list[str]
    records: list[FoundRecord]
    errors: list[FoundError]
    are_all_records_searched: bool
    """False if the logs have more records than one search reads."""


class _Keys(NamedTuple):
    found: list[FoundRecord]
    is_complete: bool


def search(cluster: ClusterState, text: str, entries: Sequence[Entry]) -> FoundView:
    """Search names, keys, and the errors of journal entries for a text."""
    page = Page(FOUND_MAX, 0, text)
    keys = _keys(cluster, text.encode())
    ids = (each.transactional_id for each in transaction_rows(cluster, page).transactions)
    return FoundView(
        topics=[each.name for each in topic_rows(cluster, page).topics],
        transactions=list(dict.fromkeys(each for each in ids if each is not None)),
        groups=[each.group_id for each in group_rows(cluster, page).groups],
        records=keys.found,
        errors=list(islice(_errors(entries, text), FOUND_MAX)),
        are_all_records_searched=keys.is_complete,
    )


def _keys(cluster: ClusterState, text: bytes) -> _Keys:
    """Find keys that contain a text, in the newest batches of every partition."""
    found: list[FoundRecord] = []
    left = RECORDS_MAX
    for partition, log in cluster.logs.items():
        if partition.topic_partition.topic in INTERNAL_TOPICS:
            continue  # their keys are binary
        index = BatchIndex(log)
        for number in range(len(index) - 1, -1, -1):
            if left <= 0 or len(found) >= FOUND_MAX:
                return _Keys(found[:FOUND_MAX], is_complete=False)
            data = index.data(number)
            header = cluster.records.read_header(data)
            left -= max(1, header.record_count)
            if header.is_control:
                continue
            found += [
                FoundRecord(
                    topic=partition.topic_partition.topic,
                    partition=partition.topic_partition.partition,
                    offset=record.offset,
                    base_offset=header.base_offset,
                    key=bytes(record.key[: 4 * KEY_CHARACTERS_MAX]).decode(errors="replace")[
                        :KEY_CHARACTERS_MAX
                    ],
                )
                for record in records_of(data)
                if record.key is not None
                and record.offset >= log.log_start_offset
                and text in bytes(record.key)
            ]
    return _Keys(found[:FOUND_MAX], is_complete=len(found) <= FOUND_MAX)


def _errors(entries: Sequence[Entry], text: str) -> Iterator[FoundError]:
    wanted = text.upper().replace("-", "_")
    for entry in reversed(entries):
        error = entry.error
        if error is None or error is ErrorCode.NONE:
            continue
        if wanted in error.name or text == str(error.value):
            yield FoundError(
                seq=entry.seq,
                error=error.name,
                api=None if entry.api is None else entry.api.title,
                client_id=entry.client_id,
                topic=entry.topic,
                partition=entry.partition,
                transactional_id=entry.transactional_id,
                group=entry.group,
                wall_time_ms=entry.wall_time_us // 1000,
                virtual_time_ms=entry.virtual_time_ms,
            )
