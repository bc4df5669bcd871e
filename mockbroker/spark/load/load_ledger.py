"""Ledger of a load: the sent records, their results, and the records visible at its end.

It is a folder: `ledger.json` is its manifest, `part-*.parquet` have a row for each record
sent, and `visible-*.parquet` the records that a reader of committed records found afterwards. The
columns are declared here; the page `docs/reference/load-ledger.md` is generated from them.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any, Final, Literal, NamedTuple, TypeAlias

from mockbroker.journal.files.manifest import make_own_folder, write_whole
from mockbroker.version import __version__

SCHEMA_VERSION: Final = 1
MANIFEST: Final = "ledger.json"
RECORD_HEADER: Final = "mockbroker.record"
"""Header with the `record_id` of each record."""

Outcome: TypeAlias = Literal["acked", "failed", "unknown"]
TransactionOutcome: TypeAlias = Literal["none", "committed", "aborted", "unknown"]


_NOWHERE: Final[Mapping[tuple[str, int], int]] = {}


class LedgerError(Exception):
    """A folder is not a readable ledger of a load; the text is one sentence."""


@dataclass(slots=True, kw_only=True)
class SentRow:
    """One send of a record; a second send has another row with the same `record_id`."""

    task: int
    attempt: int
    client: str
    transactional_id: str | None
    transaction: int | None
    record_id: str
    topic: str
    partition: int
    sent_us: int
    outcome: Outcome = "unknown"
    offset: int | None = None
    error: str | None = None
    transaction_outcome: TransactionOutcome = "none"


class VisibleRecord(NamedTuple):
    """A record of a load, at the position where a read_committed consumer found it."""

    topic: str
    partition: int
    offset: int
    record_id: str


class LedgerColumn(NamedTuple):
    """A column of the ledger's files."""

    name: str
    kind: str
    """`int64`, `int32` or `string`."""
    about: str


SENT_COLUMNS: Final = (
    LedgerColumn("task", "int32", "Number of the task that sent it, from 0."),
    LedgerColumn("attempt", "int32", "Spark's attempt number of the task, from 0."),
    LedgerColumn("client", "string", "`confluent`, `kafka-python`, or `spark`: Spark's own sink."),
    LedgerColumn("transactional_id", "string", "The producer's id; empty if none."),
    LedgerColumn(
        "transaction", "int32", "Number of the attempt's transaction, from 0; empty if none."
    ),
    LedgerColumn(
        "record_id", "string",
        "The application's id, which should be visible once. It is in the record's header"
        f" `{RECORD_HEADER}`; a second send has the same id.",
    ),
    LedgerColumn("topic", "string", "The topic's name."),
    LedgerColumn("partition", "int32", "The partition's number."),
    LedgerColumn("sent_us", "int64", "Time of the call of the client, in microseconds since 1970."),
    LedgerColumn(
        "outcome", "string",
        "`acked`: the client reported success. `failed`: the client reported that it is not stored."
        " `unknown`: no report, or an error that leaves both possible.",
    ),
    LedgerColumn("offset", "int64", "The offset that the client reported; empty if none."),
    LedgerColumn("error", "string", "The error that the client reported, if any."),
    LedgerColumn(
        "transaction_outcome", "string",
        "`none`: no transaction. `committed` or `aborted`: the outcome of its transaction, reported"
        " by the client, or `aborted` because its successor fenced it. `unknown`: not reported.",
    ),
)  # fmt: skip
"""The columns of `part-*.parquet`, in the order of `SentRow`."""

VISIBLE_COLUMNS: Final = (
    LedgerColumn("topic", "string", "The topic's name."),
    LedgerColumn("partition", "int32", "The partition's number."),
    LedgerColumn("offset", "int64", "The record's offset."),
    LedgerColumn("record_id", "string", f"The value of its header `{RECORD_HEADER}`."),
)
"""The columns of `visible-*.parquet`, in the order of `VisibleRecord`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LoadCounts:
    """Counts of a load."""

    records: int = 0
    """Number of records that the application wants to store once."""
    sent: int = 0
    """Number of rows; a record that was sent twice counts twice."""
    acked: int = 0
    failed: int = 0
    unknown: int = 0
    attempts: int = 0
    """Number of task attempts that wrote a part of the ledger."""
    visible: int | None = None
    """Number of records that a read_committed consumer found afterwards; None if not read."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LedgerManifest:
    """Contents of `ledger.json`."""

    seed: int
    plan: str
    delivery: str
    """`plain`, `idempotent` or `transactional`."""
    expected: Sequence[str]
    """Rules of the audit with expected findings; empty if nothing goes wrong."""
    topic: str
    partitions: int
    tasks: int
    records: int
    """Number of records per task."""
    clients: Sequence[str]
    started_us: int
    ended_us: int | None = None
    counts: LoadCounts = field(default_factory=LoadCounts)
    waiting: Mapping[str, int] = field(default_factory=dict[str, int])
    """By partition: the offset from which open transactions blocked readers, if any."""
    is_closed: bool = False
    """True if the load completed; otherwise rows may be missing."""
    schema_version: int = SCHEMA_VERSION
    mockbroker: str = __version__
    """The version that wrote it."""

    def create(self, folder: Path) -> None:
        """Create the folder of a ledger.

        Raises:
            FileExistsError: the folder is not empty.
            OSError: it cannot be created.

        """
        make_own_folder(folder, "ledger")
        self.write(folder)

    def close(
        self,
        folder: Path,
        counts: LoadCounts,
        ended_us: int,
        waiting: Mapping[tuple[str, int], int] = _NOWHERE,
    ) -> "LedgerManifest":
        """Write the manifest of a complete load, with its counts and blocked offsets."""
        closed = replace(
            self,
            counts=counts,
            ended_us=ended_us,
            waiting={str(partition): offset for (_, partition), offset in waiting.items()},
            is_closed=True,
        )
        closed.write(folder)
        return closed

    def write(self, folder: Path) -> None:
        """Write it into a folder atomically."""
        write_whole(folder / MANIFEST, asdict(self))

    @staticmethod
    def read(folder: Path) -> "LedgerManifest":
        """Read the manifest of a folder.

        Raises:
            LedgerError: there is no ledger that this version can read.

        """
        path = folder / MANIFEST
        try:
            said: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
            version = said["schema_version"]
        except FileNotFoundError:
            raise LedgerError(
                f"{folder} is not the ledger of a load: it has no {MANIFEST}"
            ) from None
        except (OSError, ValueError, TypeError, LookupError) as error:
            raise LedgerError(f"{path} cannot be read: {error}") from None
        if version != SCHEMA_VERSION:
            raise LedgerError(
                f"{folder} is a ledger of schema {version}, but mockbroker {__version__} reads "
                f"schema {SCHEMA_VERSION}"
            )
        return _manifest(path, said)


def _manifest(path: Path, said: Mapping[str, Any]) -> LedgerManifest:
    try:
        values = {name: said[name] for name in LedgerManifest.__slots__}
        values["counts"] = LoadCounts(**said["counts"])
    except (TypeError, LookupError) as error:
        raise LedgerError(f"{path} does not have the expected fields: {error}") from None
    return LedgerManifest(**values)
