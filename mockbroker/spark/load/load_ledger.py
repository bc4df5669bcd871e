"""The ledger of a load: what it sent, what it was told, and what readers saw when it ended.

It is a folder: `ledger.json` is its manifest, `part-*.parquet` have a row for each record that was
sent, and `visible-*.parquet` the records that a reader of committed records found afterwards. The
columns are declared here; the page `docs/reference/load-ledger.md` is made from this table.
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
"""The header in which each record carries its `record_id`."""

Outcome: TypeAlias = Literal["acked", "failed", "unknown"]
TransactionOutcome: TypeAlias = Literal["none", "committed", "aborted", "unknown"]


_NOWHERE: Final[Mapping[tuple[str, int], int]] = {}


class LedgerError(Exception):
    """A folder that cannot be read as the ledger of a load: one sentence says why."""


@dataclass(slots=True, kw_only=True)
class SentRow:
    """One record that was sent once; sent again it has another row with the same `record_id`."""

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
    """A record of a load, where a reader of committed records found it."""

    topic: str
    partition: int
    offset: int
    record_id: str


class LedgerColumn(NamedTuple):
    """A column as files hold it."""

    name: str
    kind: str
    """`int64`, `int32` or `string`."""
    about: str


SENT_COLUMNS: Final = (
    LedgerColumn("task", "int32", "Which of the load's tasks sent it, from 0."),
    LedgerColumn("attempt", "int32", "Which attempt of the task, as Spark counts them: from 0."),
    LedgerColumn("client", "string", "`confluent`, `kafka-python`, or `spark`: Spark's own sink."),
    LedgerColumn("transactional_id", "string", "The producer's; empty without transactions."),
    LedgerColumn(
        "transaction", "int32", "Counts the transactions of the attempt, from 0; empty without."
    ),
    LedgerColumn(
        "record_id", "string",
        "What the application wants once. The record carries it in its header"
        f" `{RECORD_HEADER}`; sent again, it is the same.",
    ),
    LedgerColumn("topic", "string", "The topic's name."),
    LedgerColumn("partition", "int32", "The partition's number."),
    LedgerColumn("sent_us", "int64", "When the client was handed it: microseconds since 1970."),
    LedgerColumn(
        "outcome", "string",
        "`acked`: the client was told that it is stored. `failed`: it was told that it is not."
        " `unknown`: nobody told it, or what it was told leaves both open.",
    ),
    LedgerColumn("offset", "int64", "The offset that the client was told; empty where none was."),
    LedgerColumn("error", "string", "What the client was told, where it was an error."),
    LedgerColumn(
        "transaction_outcome", "string",
        "`none`: it is in no transaction. `committed` or `aborted`: so its transaction ended, as"
        " the client was told, or as it knows because its successor has fenced it. `unknown`:"
        " nobody told.",
    ),
)  # fmt: skip
"""The columns of `part-*.parquet`, in the order of `SentRow`."""

VISIBLE_COLUMNS: Final = (
    LedgerColumn("topic", "string", "The topic's name."),
    LedgerColumn("partition", "int32", "The partition's number."),
    LedgerColumn("offset", "int64", "The record's offset."),
    LedgerColumn("record_id", "string", f"What its header `{RECORD_HEADER}` says."),
)
"""The columns of `visible-*.parquet`, in the order of `VisibleRecord`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LoadCounts:
    """How much a load has sent."""

    records: int = 0
    """What the application wants once."""
    sent: int = 0
    """Rows: a record that was sent twice counts twice."""
    acked: int = 0
    failed: int = 0
    unknown: int = 0
    attempts: int = 0
    """Attempts of tasks that wrote down what they sent."""
    visible: int | None = None
    """What a reader of committed records found afterwards; None where nobody looked."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LedgerManifest:
    """What `ledger.json` says of a load."""

    seed: int
    plan: str
    delivery: str
    """`plain`, `idempotent` or `transactional`."""
    expected: Sequence[str]
    """The rules of the audit that the plan expects to find something; empty: nothing is wrong."""
    topic: str
    partitions: int
    tasks: int
    records: int
    """Of each task."""
    clients: Sequence[str]
    started_us: int
    ended_us: int | None = None
    counts: LoadCounts = field(default_factory=LoadCounts)
    waiting: Mapping[str, int] = field(default_factory=dict[str, int])
    """By partition: from which offset on readers waited for open transactions, where they did."""
    is_closed: bool = False
    """Whether the load came to its end: otherwise rows may be missing."""
    schema_version: int = SCHEMA_VERSION
    mockbroker: str = __version__
    """The version that wrote it."""

    def create(self, folder: Path) -> None:
        """Make the folder of a ledger.

        Raises:
            FileExistsError: there is something in it.
            OSError: it cannot be made.

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
        """Say that all was written, and how much, and where readers waited."""
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
        """Write it into a folder, whole or not at all."""
        write_whole(folder / MANIFEST, asdict(self))

    @staticmethod
    def read(folder: Path) -> "LedgerManifest":
        """Read what a folder says.

        Raises:
            LedgerError: there is no ledger, or none that this version can read.

        """
        path = folder / MANIFEST
        try:
            said: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
            version = said["schema_version"]
        except FileNotFoundError:
            raise LedgerError(f"{folder} is no ledger of a load: it has no {MANIFEST}") from None
        except (OSError, ValueError, TypeError, LookupError) as error:
            raise LedgerError(f"{path} cannot be read: {error}") from None
        if version != SCHEMA_VERSION:
            raise LedgerError(
                f"{folder} is a ledger of schema {version}, and this is mockbroker {__version__}, "
                f"which reads {SCHEMA_VERSION}"
            )
        return _manifest(path, said)


def _manifest(path: Path, said: Mapping[str, Any]) -> LedgerManifest:
    try:
        values = {name: said[name] for name in LedgerManifest.__slots__}
        values["counts"] = LoadCounts(**said["counts"])
    except (TypeError, LookupError) as error:
        raise LedgerError(f"{path} lacks something, or has what is not known: {error}") from None
    return LedgerManifest(**values)
