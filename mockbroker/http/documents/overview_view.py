"""Documents of the live page's overview: short rows, and no more of them than a screen shows."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import Final, NamedTuple

from mockbroker.control.handles.group_info import GroupInfo, group_info
from mockbroker.faults.documents.fault_view import FaultView
from mockbroker.faults.documents.strict import View
from mockbroker.http.documents.cluster_view import BrokerView, ClusterView
from mockbroker.http.documents.connection_view import ConnectionRow
from mockbroker.http.documents.journal_view import EntryView
from mockbroker.state.cluster_state import ClusterState
from mockbroker.state.group_lag import groups_of, lag_of
from mockbroker.state.open_transactions import HangingTransaction, hanging_transactions
from mockbroker.state.topic.topic import NO_LEADER, Topic
from mockbroker.state.transaction.transaction_metadata import TransactionMetadata
from mockbroker.state.transaction.transaction_state import TransactionState

HANGING: Final = "Hanging"
_OPEN: Final = frozenset(
    {
        TransactionState.ONGOING,
        TransactionState.PREPARE_COMMIT,
        TransactionState.PREPARE_ABORT,
        TransactionState.PREPARE_EPOCH_FENCE,
    }
)


class TopicRow(View):
    """A topic in a list."""

    name: str
    is_internal: bool
    partitions: int
    records: int
    """Number of offsets between the log start and the log end of all partitions."""
    size_bytes: int
    behind_stable: int
    """Records that readers of committed data do not get yet."""
    leaderless: int
    """Partitions without a leader."""
    under_replicated: int
    """Partitions whose in-sync replicas are fewer than their replicas."""
    hanging: int
    """Hanging transactions."""


class TransactionRow(View):
    """A transactional id in a list, or a hanging transaction."""

    transactional_id: str | None
    """None if no coordinator knows the producer."""
    state: str
    """State at the coordinator; `Hanging` for a transaction that no coordinator will end."""
    pending_state: str | None
    coordinator: int | None
    producer_id: int
    producer_epoch: int
    partitions: int
    started_at_ms: int | None
    topic: str | None
    """Of a hanging transaction: where it is open."""
    partition: int | None
    first_offset: int | None


class GroupRow(View):
    """A group in a list."""

    group_id: str
    kind: str
    state: str
    coordinator: int
    group_epoch: int
    members: int
    lag: int
    """Records after the committed offsets, in all partitions with a committed offset."""


class CountsView(View):
    """Number of each, of which a list may show only the first."""

    topics: int
    partitions: int
    transactions: int
    open_transactions: int
    hanging: int
    groups: int
    connections: int
    faults: int


class OverviewView(View):
    """Overview of a cluster: what is unusual comes first, and lists are cut."""

    cluster: ClusterView
    brokers: list[BrokerView]
    counts: CountsView
    topics: list[TopicRow]
    transactions: list[TransactionRow]
    groups: list[GroupRow]
    connections: list[ConnectionRow]
    faults: list[FaultView]
    is_journal_on: bool
    events: list[EntryView]  # type: ignore[valid-type]  # made of the table of columns
    """The last events of the journal."""


class TopicRowsView(View):
    """Topics, from one position of the list on."""

    total: int
    topics: list[TopicRow]


class TransactionRowsView(View):
    """Transactional ids, from one position of the list on; hanging transactions come first."""

    total: int
    transactions: list[TransactionRow]


class GroupRowsView(View):
    """Groups, from one position of the list on."""

    total: int
    groups: list[GroupRow]


class Page(NamedTuple):
    """Part of a list: how many rows, after how many others, and a text that names contain."""

    limit: int
    offset: int = 0
    search: str = ""

    def of(self, names: Iterable[str]) -> list[str]:
        """Return the sorted names that contain the text."""
        return sorted(name for name in names if self.search.lower() in name.lower())


def topic_rows(cluster: ClusterState, page: Page) -> TopicRowsView:
    """Show topics, those of clients before internal ones."""
    hanging = Counter(each.topic for each in hanging_transactions(cluster))
    topics = {topic.name: topic for topic in cluster.topics}
    found = sorted(page.of(topics), key=lambda name: (topics[name].is_internal, not hanging[name]))
    shown = islice(found, page.offset, page.offset + page.limit)
    rows = [_topic_row(topics[name], hanging[name]) for name in shown]
    return TopicRowsView(total=len(found), topics=rows)


def transaction_rows(cluster: ClusterState, page: Page) -> TransactionRowsView:
    """Show transactions: hanging ones, then open ones with the oldest first, then the rest."""
    known = list(_known_transactions(cluster))
    by_producer = {metadata.producer_id: (at, metadata) for at, metadata in known}
    hanging = [(each, by_producer.get(each.producer_id)) for each in hanging_transactions(cluster)]
    rows = [*(_hanging_row(*each) for each in hanging)]
    rows += [
        _transaction_row(*each)
        for each in sorted(
            known,
            key=lambda each: (
                each[1].state not in _OPEN,
                each[1].start_timestamp_ms if each[1].state in _OPEN else 0,
                each[1].transactional_id,
            ),
        )
    ]
    text = page.search.lower()
    found = [row for row in rows if text in _searched(row)]
    return TransactionRowsView(
        total=len(found), transactions=found[page.offset : page.offset + page.limit]
    )


def group_rows(cluster: ClusterState, page: Page) -> GroupRowsView:
    """Show groups by id."""
    groups = {group.group_id: (broker_id, group) for broker_id, group in groups_of(cluster)}
    found = page.of(groups)
    shown = islice(found, page.offset, page.offset + page.limit)
    rows = [_group_row(cluster, group_info(cluster, *groups[name])) for name in shown]
    return GroupRowsView(total=len(found), groups=rows)


def counts(
    cluster: ClusterState, connections: Sequence[ConnectionRow], faults: Sequence[FaultView]
) -> CountsView:
    """Count everything that a list may show in part."""
    known = [metadata for _, metadata in _known_transactions(cluster)]
    return CountsView(
        topics=len(list(cluster.topics)),
        partitions=sum(len(topic.partitions) for topic in cluster.topics),
        transactions=len(known),
        open_transactions=sum(metadata.state in _OPEN for metadata in known),
        hanging=len(hanging_transactions(cluster)),
        groups=sum(1 for _ in groups_of(cluster)),
        connections=len(connections),
        faults=len(faults),
    )


def _known_transactions(cluster: ClusterState) -> Iterator[tuple[int, TransactionMetadata]]:
    for broker_id in cluster.brokers:
        for transaction in cluster.transaction_coordinator(broker_id).states:
            yield broker_id, transaction.metadata


def _topic_row(topic: Topic, hanging: int) -> TopicRow:
    logs = [each.log for each in topic.partitions if each.log is not None]
    return TopicRow(
        name=topic.name,
        is_internal=topic.is_internal,
        partitions=len(topic.partitions),
        records=sum(log.log_end_offset - log.log_start_offset for log in logs),
        size_bytes=sum(log.size_bytes for log in logs),
        behind_stable=sum(log.high_watermark - log.last_stable_offset for log in logs),
        leaderless=sum(each.leader_id == NO_LEADER for each in topic.partitions),
        under_replicated=sum(
            len(each.in_sync_replicas) < len(each.replicas) for each in topic.partitions
        ),
        hanging=hanging,
    )


def _transaction_row(coordinator: int, metadata: TransactionMetadata) -> TransactionRow:
    pending, started_at_ms = metadata.pending_state, metadata.start_timestamp_ms
    return TransactionRow(
        transactional_id=metadata.transactional_id,
        state=metadata.state.state_name,
        pending_state=None if pending is None else pending.state_name,
        coordinator=coordinator,
        producer_id=metadata.producer_id,
        producer_epoch=metadata.producer_epoch,
        partitions=len(metadata.partitions),
        started_at_ms=started_at_ms if started_at_ms >= 0 else None,
        topic=None,
        partition=None,
        first_offset=None,
    )


def _hanging_row(
    hanging: HangingTransaction, known: tuple[int, TransactionMetadata] | None
) -> TransactionRow:
    return TransactionRow(
        transactional_id=None if known is None else known[1].transactional_id,
        state=HANGING,
        pending_state=None,
        coordinator=None if known is None else known[0],
        producer_id=hanging.producer_id,
        producer_epoch=hanging.producer_epoch,
        partitions=1,
        started_at_ms=None,
        topic=hanging.topic,
        partition=hanging.partition,
        first_offset=hanging.first_offset,
    )


def _searched(row: TransactionRow) -> str:
    """Return the text of a row in which a search looks."""
    return f"{row.transactional_id or ''} {row.producer_id} {row.state} {row.topic or ''}".lower()


def _group_row(cluster: ClusterState, info: GroupInfo) -> GroupRow:
    return GroupRow(
        group_id=info.group_id,
        kind=info.kind,
        state=info.state,
        coordinator=info.coordinator,
        group_epoch=info.group_epoch,
        members=len(info.members),
        lag=sum(lag_of(cluster, info.offsets).values()),
    )
