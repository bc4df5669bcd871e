"""Document of a topic with a part of its partitions, and what hangs in them."""

from itertools import islice
from typing import Final

from mockbroker.faults.documents.strict import View
from mockbroker.http.documents.overview_view import Page
from mockbroker.http.documents.topic_view import PartitionView, partition_view
from mockbroker.http.documents.transaction_view import HangingView
from mockbroker.state.cluster_state import ClusterState
from mockbroker.state.open_transactions import hanging_transactions
from mockbroker.state.random_source import uuid_text
from mockbroker.state.topic.topic import Topic

HANGING_MAX: Final = 20


class TopicDetailView(View):
    """A topic with a part of its partitions."""

    name: str
    topic_id: str
    is_internal: bool
    total: int
    """Number of partitions."""
    partitions: list[PartitionView]
    hanging: list[HangingView]
    """Hanging transactions of the topic, at most a few."""


def topic_detail_view(cluster: ClusterState, topic: Topic, page: Page) -> TopicDetailView:
    """Show a topic with some of its partitions."""
    hanging = (each for each in hanging_transactions(cluster) if each.topic == topic.name)
    shown = topic.partitions[page.offset : page.offset + page.limit]
    return TopicDetailView(
        name=topic.name,
        topic_id=uuid_text(topic.topic_id),
        is_internal=topic.is_internal,
        total=len(topic.partitions),
        partitions=[partition_view(partition) for partition in shown],
        hanging=[HangingView(**each._asdict()) for each in islice(hanging, HANGING_MAX)],
    )
