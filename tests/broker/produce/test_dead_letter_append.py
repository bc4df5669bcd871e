"""Append of dead letters: copies of what is committed, and refusals."""

import pytest

from mockbroker.broker.produce.dead_letter_append import DeadLetterAppender
from mockbroker.broker.stored_records import StoredRecord, stored_records
from mockbroker.protocol.errors import ApiError, ErrorCode
from mockbroker.protocol.messages.share_acknowledge import ShareAcknowledgeResponse
from mockbroker.protocol.messages.share_fetch import ShareFetchResponse
from mockbroker.state.config.named_configs import GROUP as GROUP_RESOURCE
from mockbroker.state.share.dead_letters.dead_letter import DeadLetterCause, DeadLetters
from mockbroker.state.topic.replication_control import NewTopic
from tests.broker.handlers.share_building import (
    GROUP,
    acknowledging,
    fetching,
    share_brokers,
    store,
)
from tests.support.in_process import Brokers

QUEUE = "dlq.t"
ENABLE = "errors.deadletterqueue.group.enable"
REJECT = 3


def with_queue(*, brokers: int = 1, **configs: str) -> Brokers:
    """Return brokers with three records in t-0, and a topic for dead letters."""
    made = share_brokers(brokers=brokers)
    store(made)
    of_topic = {ENABLE: "true", **{name.replace("_", "."): configs[name] for name in configs}}
    made.state.create_topic(
        NewTopic(name=QUEUE, replication_factor=brokers, configs=[*of_topic.items()])
    )
    return made


def letters(brokers: Brokers, first_offset: int = 0, last_offset: int = 2) -> DeadLetters:
    source = brokers.partition("t")
    return DeadLetters(GROUP, source, first_offset, last_offset, 1, DeadLetterCause.CLIENT_REJECT)


def written(brokers: Brokers) -> list[StoredRecord]:
    return list(stored_records(brokers.state, brokers.partition(QUEUE), "read_uncommitted", 0))


@pytest.mark.parametrize(("is_copied", "value"), [(True, b"value"), (False, None)])
def test_dead_letters_are_appended(is_copied: bool, value: bytes | None) -> None:
    brokers = with_queue()
    appender = DeadLetterAppender(brokers.service)
    to = brokers.partition(QUEUE)
    assert appender.write(letters(brokers), to, is_copied=is_copied) == 2
    assert [each.value for each in written(brokers)] == [value] * 3


def test_records_that_were_deleted_are_not_copied() -> None:
    brokers = with_queue()
    appender, to = DeadLetterAppender(brokers.service), brokers.partition(QUEUE)
    source = letters(brokers, 0, 5)
    assert appender.write(source, to, is_copied=True) == 5
    assert [each.value for each in written(brokers)] == [b"value"] * 3 + [None] * 3
    brokers.state.log_of(brokers.partition("t"), 0).delete_records(2)
    assert appender.write(source, to, is_copied=True) == 5
    assert [each.value for each in written(brokers)[6:]] == [None] * 6
    brokers.state.delete_topic(brokers.topic("t"))
    assert appender.write(source, to, is_copied=True) == 5
    assert [each.value for each in written(brokers)[12:]] == [None] * 6


def test_what_exceeds_a_batch_is_left_for_the_next_one() -> None:
    brokers = with_queue(max_message_bytes="500")
    appender, to = DeadLetterAppender(brokers.service), brokers.partition(QUEUE)
    assert appender.write(letters(brokers), to, is_copied=True) == 1
    assert appender.write(letters(brokers, 2), to, is_copied=True) == 2
    assert len(written(brokers)) == 3


def test_refusals() -> None:
    brokers = with_queue(max_message_bytes="100")
    appender, to = DeadLetterAppender(brokers.service), brokers.partition(QUEUE)
    with pytest.raises(ApiError) as caught:
        appender.write(letters(brokers), to, is_copied=False)
    assert caught.value.code is ErrorCode.MESSAGE_TOO_LARGE
    assert written(brokers) == []
    appender.refused(letters(brokers), caught.value)


def test_too_few_replicas_refuse_them() -> None:
    brokers = with_queue(brokers=2, min_insync_replicas="2")
    to = brokers.partition(QUEUE)
    to.in_sync_replicas = to.in_sync_replicas[:1]
    with pytest.raises(ApiError) as caught:
        DeadLetterAppender(brokers.service).write(letters(brokers), to, is_copied=False)
    assert caught.value.code is ErrorCode.NOT_ENOUGH_REPLICAS
    assert written(brokers) == []


def test_a_rejected_record_is_a_dead_letter_after_the_answer() -> None:
    brokers = with_queue()
    own = {"errors.deadletterqueue.topic.name": QUEUE}
    brokers.state.configs.set_named_overrides(GROUP_RESOURCE, GROUP, own)
    peer = brokers.connect()
    peer.ask(fetching(brokers, 0), 2, ShareFetchResponse)
    brokers.loop.run()
    peer.ask(fetching(brokers, 1), 2, ShareFetchResponse)
    peer.ask(acknowledging(brokers, 2, (0, 2, [REJECT])), 2, ShareAcknowledgeResponse)
    brokers.loop.run()
    assert [dict(each.headers)["__dlq.errors.offset"] for each in written(brokers)] == [
        b"0",
        b"1",
        b"2",
    ]
