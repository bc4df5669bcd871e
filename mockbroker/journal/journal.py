"""Journal of a cluster, as tests read it."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeVar

from mockbroker.errors import NotRecordedError
from mockbroker.events.event_types import NO_CONNECTION
from mockbroker.journal.entry import Entry
from mockbroker.journal.entry_recorder import EntryRecorder
from mockbroker.journal.expansion import Expansion
from mockbroker.journal.files.disk_writer import DiskWriter
from mockbroker.journal.files.folder import create_journal, parquet_backend, write_journal
from mockbroker.journal.files.lines import journal_lines
from mockbroker.journal.files.manifest import Manifest
from mockbroker.journal.options import JournalFormat, JournalOptions
from mockbroker.journal.record_identity import identity_of
from mockbroker.journal.recorded import Recorded
from mockbroker.journal.recorder import Recorder
from mockbroker.journal.ring import Ring
from mockbroker.journal.selection import Selection, When, errors_of
from mockbroker.journal.subscription import Subscriber, Subscription
from mockbroker.protocol.errors import ErrorCode
from mockbroker.server.event_loop import run_on
from mockbroker.settings.api_names import GivenApis

if TYPE_CHECKING:
    from mockbroker.broker.service import Service

T = TypeVar("T")

OFF: Final = "the journal is off: Cluster(journal=True), or journal.start()"
ON: Final = "mockbroker journal on"


class Journal:
    """Recorded events of a cluster: the last ones in memory, and all in files if there is a folder.

    All threads may use it, while the cluster runs and after it has stopped. Iteration yields the
    entries in order.
    """

    def __init__(self, recorder: Recorder, service: "Callable[[], Service]") -> None:
        """Start without recording; `service` returns the present one, which a reset replaces."""
        self._service_now = service
        self._recorder: Final = recorder
        self._entries: EntryRecorder | None = None
        self._ring: Ring | None = None
        self._expansion = Expansion({})
        self._disk: DiskWriter | None = None
        self._is_over = False
        self.folder: Path | None = None
        """Present or last folder of the journal; None if it is in memory only."""
        self.identity: str | None = None
        """What identifies a record, if the entries have the identities of records; or `off`."""

    # On and off

    @property
    def is_on(self) -> bool:
        """True while events are recorded."""
        return self._entries is not None

    def start(self, options: JournalOptions | None = None) -> None:
        """Record events from now on; earlier entries are deleted.

        Raises:
            FileExistsError: the folder holds something already.
            ImportError: Parquet needs the extra `spark`.
            OSError: the folder cannot be written to.
            RuntimeError: the journal is on already.

        """
        self._on_loop(lambda: self._start(JournalOptions() if options is None else options))

    def _start(self, options: JournalOptions) -> None:
        if self._entries is not None:
            raise RuntimeError("the journal is already on")
        path = self.folder = None if options.path is None else Path(options.path)
        disk_parts = None if path is None else (path, create_journal(path, self._manifest(options)))
        topics = self._service.cluster.topics
        self.identity = options.identity
        identity = None if options.identity is None else identity_of(options.identity)
        entries = self._entries = EntryRecorder(self._recorder, topics, identity)
        self._expansion = Expansion(entries.topic_names)
        self._ring = Ring(options.entries_max)
        entries.stores.append(self._ring)
        if disk_parts is not None:
            self._disk = DiskWriter(*disk_parts, self._expansion, self._service.loop)
            entries.stores.append(self._disk)

    def stop(self) -> None:
        """Stop recording; entries in memory stay readable.

        Raises:
            OSError: not everything could be written to disk.

        """
        self._on_loop(self._stop)

    def _stop(self) -> None:
        entries, self._entries = self._entries, None
        disk, self._disk = self._disk, None
        if entries is not None:
            entries.stop()
        if disk is not None:
            disk.close()

    def close(self) -> None:
        """Stop for good, because the cluster stops.

        Raises:
            OSError: as `stop`.

        """
        self._is_over = True
        self._stop()

    # Reading

    def __iter__(self) -> Iterator[Entry]:
        """Iterate over all entries in order."""
        return iter(self.entries())

    def __len__(self) -> int:
        """Count the entries; the rows of one entry count once.

        Raises:
            RuntimeError: the journal has never been on.

        """
        return self._kept_in().entries

    def __bool__(self) -> bool:
        """Return True, also if there are no entries."""
        return True

    @property
    def dropped(self) -> int:
        """Number of entries that were dropped because memory was full.

        Raises:
            RuntimeError: the journal has never been on.

        """
        return self._kept_in().dropped

    def entries(self, last: int | None = None) -> list[Entry]:
        """Return the entries in memory, in order: all, or only the last rows.

        Raises:
            RuntimeError: the journal has never been on.

        """
        recorded = self._recorded()
        if last is None:
            return list(self._expanded(recorded))
        rows: list[Entry] = []
        for each in reversed(recorded):
            if len(rows) >= last:
                break
            rows[:0] = self._expansion.entries(each)
        return rows[-last:] if last else []

    def complete_entries(self) -> Iterator[Entry]:
        """Return all entries ever recorded, in order.

        Raises:
            RuntimeError: the journal has never been on, or has dropped some.

        """
        ring = self._kept_in()
        recorded = self._recorded()
        if ring.dropped:
            raise NotRecordedError(
                f"{ring.dropped} entries of the journal were dropped: memory holds "
                f"{ring.entries_max}. Set JournalOptions(entries_max=…), or call clear() before "
                "the events that you count",
                f"{ON} --entries-max N",
            )
        return self._expanded(recorded)

    def table(self) -> Any:
        """Return the entries in memory as an Arrow table, in any order (extra `spark`).

        Raises:
            ImportError: the extra is not installed.
            RuntimeError: the journal has never been on.

        """
        backend = parquet_backend()
        return backend.table(self._recorded(), self._expansion)

    def lines(self, last: int | None = None) -> list[str]:
        """Format entries as text, one line per row.

        Raises:
            RuntimeError: the journal has never been on.

        """
        return journal_lines(self.entries(last))

    def find(
        self,
        /,
        api: GivenApis | None = None,
        *,
        when: When | None = None,
        **columns: object,
    ) -> list[Entry]:
        """Return the entries with these values, in order; `when` is a predicate on the entry.

        All have to fit, a collection fits by any of its values, and texts may hold the wildcards
        `*` and `?`: `journal.find(API.PRODUCE, kind="answer", topic="orders")`.

        Raises:
            RuntimeError: the journal has never been on.
            ValueError: there is no such column, kind, API or error.

        """
        return list(Selection(api, when, columns).of(self._expanded(self._recorded())))

    def last(
        self,
        /,
        api: GivenApis | None = None,
        *,
        when: When | None = None,
        **columns: object,
    ) -> Entry | None:
        """Return the last entry with these values; None if there is none.

        Raises:
            RuntimeError, ValueError: as `find`.

        """
        selection = Selection(api, when, columns)
        for recorded in reversed(self._recorded()):
            found = list(selection.of(self._expansion.entries(recorded)))
            if found:
                return found[-1]
        return None

    def count(
        self,
        /,
        api: GivenApis | None = None,
        *,
        kind: str = "request",
        when: When | None = None,
        **columns: object,
    ) -> int:
        """Count the requests with these values, or the entries of another kind.

        Raises:
            RuntimeError: the journal has never been on, or has dropped what would count.
            ValueError: as `find`.

        """
        selection = Selection(api, when, {"kind": kind, **columns})
        return len({entry.seq for entry in selection.of(self.complete_entries())})

    def errors(
        self,
        /,
        api: GivenApis | None = None,
        *,
        when: When | None = None,
        **columns: object,
    ) -> set[ErrorCode]:
        """Return the errors that clients got in responses.

        Raises:
            RuntimeError, ValueError: as `count`.

        """
        selection = Selection(api, when, {"kind": "answer", **columns})
        answers = selection.of(self.complete_entries())
        return errors_of([each for each in answers if each.connection != NO_CONNECTION])

    # More

    def clear(self) -> None:
        """Delete the entries in memory; the numbers continue, and files do not change.

        Raises:
            RuntimeError: the journal has never been on.

        """
        self._on_loop(self._kept_in().clear)

    def export(self, path: str | Path, format: JournalFormat = "jsonl") -> int:  # noqa: A002
        """Write the entries in memory to a new folder, and return the number of rows.

        Raises:
            FileExistsError, ImportError, OSError: as `start`.
            RuntimeError: the journal has never been on.

        """
        options = JournalOptions(path=path, format=format, identity=self.identity)
        manifest = replace(self._manifest(options), dropped_count=self.dropped)
        return write_journal(Path(path), manifest, self.entries())

    def subscribe(self, subscriber: Subscriber) -> Callable[[], None]:
        """Call a function with new entries, on the cluster's loop; return a function to stop it.

        Raises:
            RuntimeError: the journal is off.

        """

        def begin() -> Callable[[], None]:
            if self._entries is None:
                raise NotRecordedError(OFF, ON)
            stores = self._entries.stores
            subscription = Subscription(subscriber, self._expansion, self._service.loop)
            stores.append(subscription)
            return lambda: self._on_loop(lambda: stores.remove(subscription))

        return self._on_loop(begin)

    # Inside

    @property
    def _service(self) -> "Service":
        return self._service_now()

    def reset(self) -> None:
        """Clear the entries in memory, and take the topics of the reset cluster."""
        if self._entries is not None:
            self._entries.know_topics(self._service.cluster.topics)
        if self._ring is not None:
            self._ring.clear()

    def _manifest(self, options: JournalOptions) -> Manifest:
        cluster = self._service.cluster
        release, seed = cluster.options.release, cluster.seed
        return Manifest(
            format=options.format,
            cluster_id=cluster.cluster_id,
            kafka=release,
            seed=seed,
            identity=options.identity,
        )

    def _on_loop(self, work: Callable[[], T]) -> T:
        """Run work on the loop that owns the journal."""
        return work() if self._is_over else run_on(self._service.loop, work)

    def _kept_in(self) -> Ring:
        if self._ring is None:
            raise NotRecordedError(OFF, ON)
        return self._ring

    def _recorded(self) -> list[Recorded]:
        return self._on_loop(self._kept_in().recorded)

    def _expanded(self, recorded: Iterable[Recorded]) -> Iterator[Entry]:
        for each in recorded:
            yield from self._expansion.entries(each)
