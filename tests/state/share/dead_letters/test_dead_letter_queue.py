"""Dead-letter queue of a broker: its topics, its retries, its steps."""

from functools import partial

import pytest

from mockbroker.protocol.errors import ErrorCode
from mockbroker.state.cluster_state import ClusterState
from mockbroker.state.config.named_configs import GROUP as GROUP_RESOURCE
from mockbroker.state.share.dead_letters.dead_letter import DeadLetterCause, DeadLetters
from mockbroker.state.share.dead_letters.dead_letter_queue import DeadLetterQueue
from mockbroker.state.topic.replication_control import NewTopic
from mockbroker.state.topic.topic import NO_LEADER
from tests.state.share.coordinator_clusters import GROUP, coordinating
from tests.state.share.dead_letters.dead_letter_writers import RecordingWriter

QUEUE = "dlq.t"
ENABLE = "errors.deadletterqueue.group.enable"
CREATED = {"errors.deadletterqueue.auto.create.topics.enable": "true"}
WRITE = "WriteDeadLetters g t-1 0-4"


class Queue:
    """The queue of broker 1, whose group directs its dead letters to a topic."""

    def __init__(
        self,
        *,
        topic: str = QUEUE,
        existing: dict[str, str] | None = None,
        partitions: int = 1,
        configs: dict[str, str] | None = None,
        writer: RecordingWriter | None = None,
        own: dict[str, str] | None = None,
    ) -> None:
        self.cluster: ClusterState = coordinating(configs=configs)
        self.archived: list[int] = []
        self.writer = writer or RecordingWriter()
        named = {"errors.deadletterqueue.topic.name": topic, **(own or {})}
        self.cluster.configs.set_named_overrides(GROUP_RESOURCE, GROUP, named)
        for name, of_topic in {} if existing is None else {topic: existing}.items():
            self.cluster.create_topic(
                NewTopic(name=name, num_partitions=partitions, configs=[*of_topic.items()])
            )
        self.queue = DeadLetterQueue(1, self.cluster, self.writer)

    def enqueue(self, first_offset: int = 0, last_offset: int = 4) -> None:
        source = self.cluster.partition("t", 1)
        assert source is not None
        cause = DeadLetterCause.CLIENT_REJECT
        letters = DeadLetters(GROUP, source, first_offset, last_offset, 1, cause)
        self.queue.enqueue(letters, partial(self._archive, first_offset))

    def _archive(self, first_offset: int, _now_ms: int) -> None:
        self.archived.append(first_offset)

    def run(self, now_ms: int = 0) -> list[str]:
        return self.cluster.run_pending(now_ms)


def existing(writer: RecordingWriter | None = None) -> Queue:
    return Queue(existing={ENABLE: "true"}, writer=writer)


def test_dead_letters_are_written_a_moment_later_and_then_archived() -> None:
    queue = existing()
    queue.enqueue()
    assert (queue.writer.written, queue.archived) == ([], [])
    assert queue.run() == [WRITE]
    assert queue.writer.written == [((QUEUE, 0), 0, 4, False)]
    assert (queue.archived, queue.writer.reasons) == ([0], [])


def test_they_are_copies_in_the_partition_with_the_number_of_their_source() -> None:
    queue = Queue(
        existing={ENABLE: "TRUE"},
        partitions=2,
        own={"errors.deadletterqueue.copy.record.enable": "true"},
    )
    queue.enqueue()
    queue.run()
    assert queue.writer.written == [((QUEUE, 1), 0, 4, True)]


def test_what_does_not_fit_into_a_batch_follows_in_the_next() -> None:
    queue = existing(writer=RecordingWriter(batch_size=3))
    queue.enqueue()
    assert queue.run() == [WRITE, "WriteDeadLetters g t-1 3-4"]
    assert [each[1:3] for each in queue.writer.written] == [(0, 2), (3, 4)]
    assert queue.archived == [0]


def test_a_missing_topic_is_created_where_that_is_allowed() -> None:
    queue = Queue(configs=CREATED)
    queue.enqueue()
    queue.enqueue(5, 5)
    names = [WRITE, "WriteDeadLetters g t-1 5-5", f"CreateTopics {QUEUE}", f"CreateTopics {QUEUE}"]
    assert queue.run() == [*names, *names[:2]]
    overrides = queue.cluster.configs.topic_overrides[QUEUE]
    assert overrides == {ENABLE: "true", "message.timestamp.type": "CreateTime"}
    assert queue.archived == [0, 5]
    assert len(queue.writer.written) == 2


def test_records_are_archived_if_the_topic_cannot_be_created() -> None:
    queue = Queue(topic="dlq.a bad name", configs=CREATED)
    queue.enqueue()
    queue.run()
    assert (queue.writer.written, queue.archived) == ([], [0])
    assert len(queue.writer.reasons) == 1


@pytest.mark.parametrize(
    ("topic", "of_topic", "configs", "why"),
    [
        ("", None, None, "Configured DLQ topic name in share group: g is empty."),
        (
            "__x",
            None,
            None,
            "Configured DLQ topic name in share group: g cannot start with __, topic: __x.",
        ),
        (
            QUEUE,
            {},
            None,
            "DLQ is not enabled on configured DLQ topic for share group: g, topic: dlq.t.",
        ),
        (
            QUEUE,
            None,
            None,
            (
                "DLQ topic does not exist and auto create is disabled on cluster for share group:"
                " g, topic: dlq.t."
            ),
        ),
        (
            "other",
            {ENABLE: "true"},
            None,
            (
                "Configured DLQ topic name does not comply with the DLQ topic prefix in share"
                " group: g, topic: other, prefix: dlq.."
            ),
        ),
    ],
)
def test_records_are_archived_if_the_topic_must_not_be_used(
    topic: str, of_topic: dict[str, str] | None, configs: dict[str, str] | None, why: str
) -> None:
    queue = Queue(topic=topic, existing=of_topic, configs=configs)
    queue.enqueue()
    queue.run()
    assert (queue.writer.written, queue.archived) == ([], [0])
    assert queue.writer.reasons == [f"g t-1 0-4: {why}"]


def test_any_name_is_allowed_without_a_prefix() -> None:
    queue = Queue(
        topic="other",
        existing={ENABLE: "true"},
        configs={"errors.deadletterqueue.topic.name.prefix": ""},
    )
    queue.enqueue()
    queue.run()
    assert len(queue.writer.written) == 1


def test_a_partition_without_a_leader_is_tried_again() -> None:
    queue = existing()
    partition = queue.cluster.partition(QUEUE, 0)
    assert partition is not None
    partition.leader_id = NO_LEADER
    queue.enqueue()
    queue.run()
    queue.cluster.advance_to(2000)
    queue.cluster.advance_to(5999)
    assert queue.archived == []
    partition.leader_id = 1
    queue.cluster.advance_to(6000)
    assert (queue.archived, len(queue.writer.written)) == ([0], 1)


def test_the_fifth_failure_is_the_last() -> None:
    queue = existing(writer=RecordingWriter(refusals=[ErrorCode.NOT_LEADER_OR_FOLLOWER] * 9))
    queue.enqueue()
    queue.run()
    queue.cluster.advance_to(29_999)
    assert (queue.archived, len(queue.writer.refusals)) == ([], 5)
    queue.cluster.advance_to(30_000)
    assert (queue.archived, len(queue.writer.refusals)) == ([0], 4)
    assert queue.writer.reasons == ["g t-1 0-4: refused"]


def test_a_success_begins_the_count_of_failures_anew() -> None:
    lost = ErrorCode.NOT_LEADER_OR_FOLLOWER
    queue = existing(writer=RecordingWriter(batch_size=3, refusals=[lost] * 4))
    queue.enqueue()
    queue.run()
    queue.cluster.advance_to(29_999)
    queue.writer.refusals = []
    queue.cluster.advance_to(30_000)
    queue.writer.refusals = [lost]
    queue.run(30_000)
    queue.cluster.advance_to(32_000)
    assert queue.archived == [0]
    assert [each[1:3] for each in queue.writer.written] == [(0, 2), (3, 4)]


def test_another_refusal_is_final() -> None:
    queue = existing(writer=RecordingWriter(refusals=[ErrorCode.MESSAGE_TOO_LARGE]))
    queue.enqueue()
    queue.run()
    assert (queue.writer.written, queue.archived) == ([], [0])


def test_a_stopped_queue_neither_writes_nor_archives() -> None:
    queue = existing(writer=RecordingWriter(refusals=[ErrorCode.NOT_LEADER_OR_FOLLOWER]))
    queue.enqueue()
    queue.run()
    queue.enqueue(5, 5)
    queue.queue.stop()
    queue.run()
    queue.cluster.advance_to(60_000)
    assert (queue.writer.written, queue.archived) == ([], [])

    created = Queue(configs=CREATED)
    created.enqueue()
    created.cluster.run_pending(0, at_most=1)
    created.queue.stop()
    created.run()
    assert QUEUE not in created.cluster.topics


def test_a_queue_that_is_replaced_has_stopped() -> None:
    queue, other = existing(), existing()
    queue.enqueue()
    stopped, queue.queue = queue.queue, queue.queue.replaced_by(other.cluster)
    assert queue.queue is not stopped
    queue.run()
    assert queue.writer.written == []
    queue.enqueue(5, 5)
    other.run()
    assert queue.writer.written == [((QUEUE, 0), 5, 5, False)]


def test_a_test_can_hold_dead_letters_and_step_through_them() -> None:
    queue = existing(writer=RecordingWriter(batch_size=3))
    held = queue.cluster.held_dead_letters
    held.hold(GROUP)
    queue.enqueue()
    queue.enqueue(5, 5)
    queue.run()
    assert queue.writer.written == []
    assert held.step(GROUP, 0) == WRITE
    assert (len(queue.writer.written), queue.archived) == (1, [])
    queue.run()
    assert held.step(GROUP, 0) == "WriteDeadLetters g t-1 5-5"
    assert queue.archived == [5]
    held.release(GROUP, 0)
    assert queue.archived == [5, 0]
    queue.enqueue(6, 6)
    queue.run()
    assert queue.archived == [5, 0, 6]


def test_a_stopped_queue_does_nothing_when_it_is_released() -> None:
    queue = existing()
    queue.cluster.held_dead_letters.hold(GROUP)
    queue.enqueue()
    queue.run()
    queue.queue.stop()
    queue.cluster.held_dead_letters.release(GROUP, 0)
    assert (queue.writer.written, queue.archived) == ([], [])
