"""Options of a journal: memory, files, and format."""

from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal, TypeAlias, get_args

from mockbroker.journal.record_identity import identity_of

JournalFormat: TypeAlias = Literal["jsonl", "parquet"]
"""Format of the files: a JSON object per line, or Parquet (extra `spark`)."""

JOURNAL_FORMATS: Final[tuple[JournalFormat, ...]] = get_args(JournalFormat)


@dataclass(frozen=True, slots=True, kw_only=True)
class JournalOptions:
    """Options of a journal: its folder and format, if any, and its size in memory."""

    path: str | Path | None = None
    """A folder that is created, or is empty."""
    format: JournalFormat = "jsonl"
    entries_max: int = 100_000
    """Number of entries in memory: beyond it, the oldest ones are dropped and counted."""
    identity: str | None = None
    """What identifies a record, such as `header:order-id`: an append has the identities of its
    records in `record_ids`, so that audits of the journal judge duplicates by them. `off` says that
    records have none."""

    def __post_init__(self) -> None:
        """Validate the options.

        Raises:
            ValueError: no such format or identity, or no room for an entry.

        """
        if self.format not in JOURNAL_FORMATS:
            raise ValueError(f"format={self.format!r}: allowed are {' and '.join(JOURNAL_FORMATS)}")
        if self.entries_max < 1:
            raise ValueError(f"entries_max={self.entries_max}: at least 1 is needed")
        if self.identity is not None:
            identity_of(self.identity)


JournalSetting: TypeAlias = bool | str | Path | JournalOptions | None
"""On in memory, off, also on disk, or with given options; None for the default."""


def journal_options(setting: JournalSetting) -> JournalOptions | None:
    """Return the options of a journal; None if it is off."""
    if isinstance(setting, JournalOptions):
        return setting
    if isinstance(setting, str | Path):
        return JournalOptions(path=setting)
    return JournalOptions() if setting else None
