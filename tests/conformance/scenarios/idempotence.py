"""Idempotent produce: sequences, duplicates, epochs, and forgotten producers."""

from dataclasses import replace

from mockbroker.protocol.api_keys import ApiKey
from mockbroker.protocol.types import Buffer
from tests.conformance.batches import Item, Producer, batch, plain
from tests.conformance.releases import GENERATIONS, between
from tests.conformance.requests import (
    Wanted,
    delete_records,
    fetch,
    list_offsets,
    new_producer,
    produce,
)
from tests.conformance.script import scenario
from tests.conformance.talk import Talk

LAST_SEQUENCE = (1 << 31) - 1
MADE_UP = 1_000_000


class Writer:
    """Writer of a producer's batches to one partition, with any sequence and epoch."""

    def __init__(self, talk: Talk, topic: str, producer: Producer) -> None:
        self._talk = talk
        self._topic = topic
        self.producer = producer
        self._version = talk.latest(ApiKey.PRODUCE)

    def records(self, base_sequence: int, count: int = 1, producer_epoch: int = 0) -> Buffer:
        """Build a batch with a number of records."""
        producer = replace(
            self.producer, base_sequence=base_sequence, producer_epoch=producer_epoch
        )
        items = [Item(value=b"%d" % index) for index in range(count)]
        return batch(*items, at_ms=self._talk.at(0), producer=producer)

    def write(
        self, title: str, base_sequence: int, count: int = 1, *, producer_epoch: int = 0
    ) -> None:
        """Write a batch."""
        data = bytes(self.records(base_sequence, count, producer_epoch))
        self._talk.ask(title, produce(self._talk, (self._topic, 0, data)), self._version)

    def see(self) -> None:
        """Record a step with the start and the end of the log."""
        request = list_offsets((self._topic, 0, -2))
        self._talk.ask("the log begins", request, 1)
        self._talk.ask("the log ends", list_offsets((self._topic, 0, -1)), 1)


@scenario(presets=GENERATIONS)
def idempotent_sequences(talk: Talk) -> None:
    talk.topic("t")
    writer = Writer(talk, "t", new_producer(talk))
    writer.write("first", 0, 3)
    writer.write("next", 3, 2)
    writer.write("the next again", 3, 2)
    writer.write("the first again", 0, 3)
    writer.write("a gap", 7)
    writer.write("part of the first", 0, 2)
    writer.write("its other part", 1, 2)
    writer.write("both at once", 0, 5)
    writer.write("overlaps the end", 4, 2)
    writer.write("next after all that", 5)
    for index in range(6, 10):
        writer.write(f"next: {index}", index)
    writer.write("the oldest of five", 5)
    writer.write("the sixth from the end", 3, 2)
    writer.write("the seventh from the end", 0, 3)
    writer.write("negative", -2)
    writer.see()


# 1.0 was the only one to tell them from gaps.
@scenario(presets=between("1.0", "1.1"))
def batches_older_than_all_remembered(talk: Talk) -> None:
    talk.topic("t")
    writer = Writer(talk, "t", new_producer(talk))
    for index in range(7):
        writer.write(f"batch {index}", 2 * index, 2)
    writer.write("the first batch", 0, 2)
    writer.write("sequence 0", 0)
    writer.write("sequence 1", 1)
    writer.write("the first two batches at once", 0, 4)
    writer.write("up to a remembered one", 0, 5)
    writer.write("a remembered one", 4, 2)
    writer.write("a gap", 20)
    for version in talk.versions(ApiKey.PRODUCE)[3:]:
        old = bytes(writer.records(2, 2))
        for acks in (-1, 1):
            request = produce(talk, ("t", 0, old), acks=acks)
            talk.ask(f"acks {acks}, v{version}", request, version)
    writer.write("next", 14, 2)
    writer.see()


@scenario(presets=GENERATIONS)
def idempotent_across_versions(talk: Talk) -> None:
    talk.topic("t")
    producer = new_producer(talk)
    for index, version in enumerate(talk.versions(ApiKey.PRODUCE)[3:]):
        numbered = replace(producer, base_sequence=index)
        data = plain(b"a", at_ms=talk.at(0), producer=numbered)
        request = produce(talk, ("t", 0, data), acks=1 if index % 2 else -1)
        talk.ask(f"new, v{version}", request, version)
        talk.ask(f"again, v{version}", request, version)
        ahead = plain(b"a", at_ms=talk.at(0), producer=replace(producer, base_sequence=99))
        talk.ask(f"a gap, v{version}", produce(talk, ("t", 0, ahead)), version)


@scenario(presets=GENERATIONS)
def idempotent_epochs(talk: Talk) -> None:
    talk.topic("t")
    writer = Writer(talk, "t", new_producer(talk))
    writer.write("epoch 0", 0)
    writer.write("epoch 1 with a gap", 1, producer_epoch=1)
    writer.write("epoch 1", 0, producer_epoch=1)
    writer.write("epoch 1, next", 1, producer_epoch=1)
    writer.write("epoch 0 again", 1)
    writer.write("epoch 0, the duplicate", 0)
    writer.write("epoch 7", 0, producer_epoch=7)
    writer.write("epoch 7, next", 1, producer_epoch=7)
    writer.write("epoch 6", 0, producer_epoch=6)
    writer.write("the last epoch", 0, producer_epoch=32_767)
    writer.write("a negative epoch", 0, producer_epoch=-2)
    writer.see()


@scenario(presets=GENERATIONS)
def idempotent_wrap(talk: Talk) -> None:
    version = talk.latest(ApiKey.PRODUCE)
    talk.topic("t")
    writer = Writer(talk, "t", new_producer(talk))
    if not talk.release.since("2.5"):
        # An unknown producer starts with 0 there; a batch of two billion records is out of reach,
        # so the sequences are brought near the end by the last sequence of a big batch.
        writer.write("near the end is no start", LAST_SEQUENCE - 1)
        return
    writer.write("start near the end", LAST_SEQUENCE - 2, 2)
    writer.write("the last", LAST_SEQUENCE)
    writer.write("the first again", 0)
    writer.write("the last is a duplicate", LAST_SEQUENCE)
    writer.write("and so is the first", 0)
    writer.write("next", 1)
    across = Writer(talk, "t", Producer(MADE_UP))
    across.write("start at the end, within a batch", LAST_SEQUENCE - 1, 4)
    across.write("again", LAST_SEQUENCE - 1, 4)
    across.write("next after the wrap", 2)
    across.write("a gap after the wrap", 4)
    talk.ask("read back", fetch(talk, Wanted("t")), talk.latest(ApiKey.FETCH))
    assert version


@scenario(presets=GENERATIONS)
def idempotent_unknown_producers(talk: Talk) -> None:
    talk.topic("t")
    for index, (title, base_sequence) in enumerate(
        [("sequence 0", 0), ("sequence 5", 5), ("the last sequence", LAST_SEQUENCE)]
    ):
        writer = Writer(talk, "t", Producer(MADE_UP + index))
        writer.write(title, base_sequence)
        writer.write(f"{title}, next", (base_sequence + 1) & LAST_SEQUENCE)
        writer.write(f"{title}, again", base_sequence)
    writer = Writer(talk, "t", Producer(MADE_UP + 9))
    writer.write("an epoch ahead", 0, producer_epoch=30_000)
    writer.see()


@scenario(presets=GENERATIONS)
def idempotent_after_delete_records(talk: Talk) -> None:
    talk.topic("t")
    writer = Writer(talk, "t", new_producer(talk))
    for index in range(4):
        writer.write(f"batch {index}", index * 2, 2)
    newest = talk.latest(ApiKey.DELETE_RECORDS)
    talk.ask("delete some", delete_records(("t", 0, 3)), newest)
    writer.write("a duplicate that is gone", 0, 2)
    writer.write("a duplicate that is there", 6, 2)
    talk.ask("delete all", delete_records(("t", 0, -1)), newest)
    writer.write("a duplicate of an empty log", 6, 2)
    writer.write("next", 8)
    writer.write("a gap", 20)
    writer.see()
    other = Writer(talk, "t", Producer(MADE_UP))
    other.write("unknown to a log that begins late", 7)
    other.write("unknown, with sequence 0", 0)


@scenario(presets=GENERATIONS)
def idempotent_on_two_partitions(talk: Talk) -> None:
    talk.topic("t", partitions=2)
    version = talk.latest(ApiKey.PRODUCE)
    producer = new_producer(talk)
    first = plain(b"a", at_ms=talk.at(0), producer=producer)
    second = plain(b"b", at_ms=talk.at(0), producer=replace(producer, base_sequence=1))
    talk.ask("both", produce(talk, ("t", 0, first), ("t", 1, first)), version)
    talk.ask("one new, one again", produce(talk, ("t", 0, second), ("t", 1, first)), version)
    far = plain(b"c", at_ms=talk.at(0), producer=replace(producer, base_sequence=9))
    talk.ask("one new, one with a gap", produce(talk, ("t", 0, far), ("t", 1, second)), version)
    plain_one = plain(b"p", at_ms=talk.at(0))
    talk.ask("without a producer between", produce(talk, ("t", 0, plain_one)), version)
    third = plain(b"d", at_ms=talk.at(0), producer=replace(producer, base_sequence=2))
    talk.ask("and on", produce(talk, ("t", 0, third), ("t", 1, third)), version)
    talk.ask("read back", fetch(talk, Wanted("t", 0), Wanted("t", 1)), talk.latest(ApiKey.FETCH))
