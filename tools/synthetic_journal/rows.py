"""Conversion of numbered events to the journal's columns, as Arrow."""

from importlib import import_module
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from mockbroker.journal.entry import COLUMNS
from tools.synthetic_journal.cast import Cast
from tools.synthetic_journal.numbering import Numbered
from tools.synthetic_journal.scene import NAMES, PARTITIONS_MAX, EventKind, State

pa: Any = import_module("pyarrow")

_KINDS: Final = [kind.name.lower() for kind in EventKind]
BEGAN_MS: Final = 1_700_000_000_000
ROWS_A_MS: Final = 200
_ARROW: Final[dict[str, Any]] = {
    "int64": pa.int64(),
    "int32": pa.int32(),
    "int16": pa.int16(),
    "bool": pa.bool_(),
    "string": pa.dictionary(pa.int32(), pa.string()),
}
_APIS: Final = ["Produce", "AddPartitionsToTxn", "EndTxn", "InitProducerId"]

Mask = NDArray[np.bool_]


def table_of(numbered: Numbered, cast: Cast) -> Any:
    """Build a table with all columns of a journal, in the order of `seq`."""
    columns = _Columns(numbered, cast).all()
    count = len(numbered.columns["seq"])
    arrays = [
        columns[column.name].cast(_ARROW[column.kind])
        if column.name in columns
        else pa.nulls(count, _ARROW[column.kind])
        for column in COLUMNS
    ]
    table = pa.table(arrays, names=[column.name for column in COLUMNS])
    hidden = numbered.columns["is_hidden"] == 1
    return table.filter(pa.array(~hidden)) if hidden.any() else table


def _values(values: Any, said: Mask) -> Any:
    return pa.array(values, mask=~said)


def _texts(codes: Any, said: Mask, texts: list[str]) -> Any:
    return pa.DictionaryArray.from_arrays(pa.array(codes.astype(np.int32), mask=~said), texts)


class _Columns:
    """The columns of one scene."""

    def __init__(self, numbered: Numbered, cast: Cast) -> None:
        self._rows = numbered.columns
        self._cast = cast
        kind = self._rows["kind"]
        self._append = kind == EventKind.APPEND
        self._answer = kind == EventKind.ANSWER
        self._request = kind == EventKind.REQUEST
        self._ended = self._answer & (self._rows["place"] < 0)
        self._marker = kind == EventKind.MARKER
        self._transition = kind == EventKind.TRANSACTION
        self._truncation = kind == EventKind.TRUNCATION
        self._leader = kind == EventKind.LEADER
        self._said = self._request | (self._answer & ~self._ended)
        self._batch = self._append | self._said
        self._logged = self._append | self._marker

    def all(self) -> dict[str, Any]:
        """Return all columns that are not empty."""
        return {
            **self._of_entry(),
            **self._of_producer(),
            **self._of_place(),
            **self._of_transition(),
        }

    def _of_entry(self) -> dict[str, Any]:
        rows = self._rows
        everywhere = np.ones(len(rows["seq"]), bool)
        time_ms = BEGAN_MS + rows["seq"] // ROWS_A_MS
        asked = rows["call"] >= 0
        ends = self._ended | (self._transition & (rows["after"] >= State.PREPARE_COMMIT))
        apis = np.where(self._batch, 0, np.where(ends, 2, np.where(rows["is_fenced"], 3, 1)))
        return {
            "seq": pa.array(rows["seq"]),
            "kind": _texts(rows["kind"], everywhere, _KINDS),
            "wall_time_us": pa.array(time_ms * 1_000),
            "virtual_time_ms": pa.array(time_ms),
            "call": _values(rows["call"], asked),
            "broker": _values(rows["place"] % 3 + 1, rows["place"] >= 0),
            "connection": _values(rows["producer"] + 1, asked),
            "client_id": _texts(
                rows["producer"],
                asked,
                [f"client-{each}" for each in range(self._cast.producers + self._cast.extra)],
            ),
            "api": _texts(apis, asked, _APIS),
            "version": _values(np.full(len(asked), 11), asked),
            "correlation_id": _values(rows["call"], asked),
            "acks": _values(np.full(len(asked), -1), self._said),
            "error": _texts(np.zeros_like(rows["seq"]), self._answer, ["NONE"]),
        }

    def _of_producer(self) -> dict[str, Any]:
        rows, cast = self._rows, self._cast
        written = self._batch | self._marker | self._transition | self._ended
        number = np.maximum(rows["transaction"], 0)
        epochs = cast.producer_epochs(rows["producer"], number) + rows["epoch_shift"]
        ending = self._marker | (self._transition & (rows["after"] >= State.PREPARE_COMMIT))
        epochs += ending & cast.are_bumping(rows["producer"])
        has_id = (self._said | self._ended | self._transition) & (
            rows["producer"] >= cast.idempotent
        )
        ids = [
            cast.transactional_id(each)
            for each in range(cast.idempotent, cast.producers + cast.extra)
        ]
        return {
            "producer_id": _values(cast.producer_ids(rows["producer"], number), written),
            "producer_epoch": _values(epochs, written),
            "transactional_id": _texts(rows["producer"] - cast.idempotent, has_id, ids),
            "base_sequence": _values(rows["base_sequence"], self._batch),
            "record_count": _values(rows["count"], self._batch),
            "is_transactional": _values(rows["transaction"] >= 0, self._batch),
            "is_duplicate": _values(rows["is_duplicate"] == 1, self._append),
            "marker": _texts(
                1 - rows["is_commit"], self._marker | self._ended, ["COMMIT", "ABORT"]
            ),
            "coordinator_epoch": _values(
                np.zeros_like(rows["seq"]), self._marker | self._transition
            ),
            "crc": _values(rows["base_offset"] * 2_654_435_761 % (1 << 32), self._append),
        }

    def _of_place(self) -> dict[str, Any]:
        rows, cast = self._rows, self._cast
        here = (rows["place"] >= 0) & ~self._transition
        topics = [cast.topic(each * cast.partitions) for each in range(cast.topics)]
        answered = self._answer & ~self._ended
        end = rows["end_offset"]
        last = rows["base_offset"] + np.where(self._append, rows["count"] - 1, 0)
        return {
            "topic": _texts(rows["place"] // cast.partitions, here, topics),
            "partition": _values(rows["place"] % cast.partitions, here),
            "leader_epoch": _values(rows["leader_epoch"], self._logged | self._leader),
            "base_offset": _values(rows["base_offset"], self._logged | answered),
            "last_offset": _values(last, self._logged),
            "log_start_offset": _values(np.zeros_like(end), self._logged | answered),
            "last_stable_offset": _values(rows["stable_offset"], self._logged),
            "high_watermark": _values(end, self._logged),
            "log_end_offset": _values(end, self._logged | self._truncation),
        }

    def _of_transition(self) -> dict[str, Any]:
        rows = self._rows
        texts = partition_details(self._cast)
        listed = np.maximum(rows["partitions"], 1) - 1
        codes = rows["place"] * PARTITIONS_MAX + listed
        some = self._transition & (rows["after"] < State.COMPLETE_COMMIT) & (rows["partitions"] > 0)
        known = self._transition & (rows["after"] != State.NONE)
        return {
            "state_before": _texts(rows["before"], self._transition, [n or "" for n in NAMES]),
            "state_after": _texts(rows["after"], known, [n or "" for n in NAMES]),
            "detail": _texts(np.maximum(codes, 0), some, texts),
        }


def partition_details(cast: Cast) -> list[str]:
    """Format the partitions of transitions: a number of consecutive ones from each place on."""
    texts: list[str] = []
    for place in range(cast.places):
        for count in range(1, PARTITIONS_MAX + 1):
            names = sorted(
                f"{cast.topic(each % cast.places)}-{cast.partition(each % cast.places)}"
                for each in range(place, place + count)
            )
            texts.append('{"partitions":["' + '","'.join(names) + '"]}')
    return texts
