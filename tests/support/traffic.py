"""Random traffic of producers: mostly valid and steady, with occasional irregular requests."""

from collections.abc import Callable
from dataclasses import dataclass
from random import Random
from typing import Final

from mockbroker.protocol.messages.produce import (
    PartitionProduceData,
    ProduceRequest,
    TopicProduceData,
)
from mockbroker.protocol.types import ZERO_UUID, Uuid
from tests.conformance.batches import (
    CONTROL,
    LOG_APPEND_TIME,
    TRANSACTIONAL,
    Item,
    Producer,
    batch,
    message,
)
from tests.support.in_process import frame_of

FIRST_VERSION: Final = 3
LAST_VERSION: Final = 13
FIRST_WITH_TOPIC_ID: Final = 13
PARTITIONS: Final = 4
TOPICS: Final = ("orders", "payments", "no-such-topic", "__consumer_offsets")
HOUR_MS: Final = 3_600_000

WRONG_FIELDS: Final = (
    "base_offset",
    "batch_length",
    "magic",
    "crc",
    "attributes",
    "last_offset_delta",
    "base_timestamp",
    "max_timestamp",
    "producer_id",
    "base_sequence",
    "record_count",
)
WRONG_VALUES: Final = (-(1 << 15), -7, -1, 0, 1, 2, 3, 17, 49, 1000)
SMALLEST: Final = tuple(
    bytes.fromhex(text)
    for text in ("", "00", "02", "0400", "040000", "0600000000", "80", "8080", "0c000000010180")
)
"""Bodies that are too short for a record, or look like the beginning of one."""


@dataclass(slots=True)
class Habit:
    """The kind of requests that one connection sends for a while."""

    version: int
    topic: str
    acks: int
    index: int


@dataclass(slots=True)
class Sequences:
    """Sequences that an idempotent producer has sent to a partition."""

    producer_id: int = 4_000
    next_sequence: int = 0
    last_batch: bytes = b""


class Traffic:
    """Generator of random requests; `topic_id` returns the present id of a topic."""

    def __init__(self, random: Random, topic_id: Callable[[str], Uuid | None], now_ms: int) -> None:
        self.random = random
        self.topic_id = topic_id
        self.now_ms = now_ms
        self.sequences: dict[tuple[Uuid, int], Sequences] = {}
        self.correlation_id = 0

    def habit(self) -> Habit:
        """Choose a habit of a connection at random."""
        return Habit(
            version=self.random.randint(FIRST_VERSION, LAST_VERSION),
            topic=self.random.choices(TOPICS, (40, 20, 1, 1))[0],
            acks=self.random.choices((-1, 1, 0, 2), (40, 20, 8, 1))[0],
            index=self.random.choice((0, 0, 1, 1, 2, 3, PARTITIONS)),
        )

    def frame(self, habit: Habit) -> bytes:
        """Choose one request at random, without its size."""
        self.correlation_id += 1
        frame = frame_of(self._request(habit), habit.version, self.correlation_id)
        if self._now_and_then(150):
            return self._damaged(frame)
        return frame

    def _request(self, habit: Habit) -> ProduceRequest:
        topic_id = self.topic_id(habit.topic)
        index = self.random.randrange(PARTITIONS) if self._now_and_then(12) else habit.index
        parts = [PartitionProduceData(index=index, records=self._records(topic_id, index))]
        if self._now_and_then(4):
            others = self.random.sample(range(PARTITIONS), self.random.randint(1, 3))
            if self._now_and_then(10):
                others.append(index)  # twice
            parts += [
                PartitionProduceData(index=other, records=self._records(topic_id, other))
                for other in others
                if other != index or self._now_and_then(10)
            ]
        shown_id = Uuid(int=1) if topic_id is None else topic_id
        by_id = habit.version >= FIRST_WITH_TOPIC_ID
        return ProduceRequest(
            transactional_id="t" if self._now_and_then(200) else None,
            acks=habit.acks,
            timeout_ms=30_000,
            topic_data=[
                TopicProduceData(
                    name=habit.topic,
                    topic_id=shown_id if by_id else ZERO_UUID,
                    partition_data=parts,
                )
            ],
        )

    def _records(self, topic_id: Uuid | None, index: int) -> bytes | None:
        kinds: tuple[tuple[int, Callable[[], bytes | None]], ...] = (
            (160, self._good),
            (60, lambda: self._idempotent(topic_id, index)),
            (6, self._wrong),
            (4, self._tiny),
            (3, lambda: self._damaged(self._good())),
            (2, self._large),
            (1, lambda: self._good() + self._good()),
            (1, lambda: message(b"old", magic=1, at_ms=self.now_ms)),
            (1, lambda: b""),
            (1, lambda: None),
        )
        (draw,) = self.random.choices([k for _, k in kinds], [weight for weight, _ in kinds])
        return draw()

    def _good(self, producer: Producer | None = None) -> bytes:
        codec = self.random.choice((1, 2, 3, 4)) if self._now_and_then(5) else 0
        count = self.random.choice((1, 1, 1, 2, 5, 40))
        at_ms = self.now_ms
        if self._now_and_then(30):
            at_ms += self.random.choice((-HOUR_MS, HOUR_MS, 3 * HOUR_MS, -10_000 * HOUR_MS))
        items = [self._item(at_ms) for _ in range(count)]
        attributes = 0
        if self._now_and_then(40):
            attributes = self.random.choice((LOG_APPEND_TIME, TRANSACTIONAL, CONTROL))
        return batch(*items, at_ms=at_ms, codec=codec, attributes=attributes, producer=producer)

    def _item(self, at_ms: int) -> Item:
        size_bytes = self.random.choice((0, 1, 10, 63, 64, 120, 200, 8_200))
        has_headers = self._now_and_then(8)
        return Item(
            value=None if self._now_and_then(10) else self.random.randbytes(size_bytes),
            key=self.random.choice((None, b"", b"k", b"key" * 21, b"key" * 22)),
            at_ms=at_ms + self.random.randrange(3) if self._now_and_then(10) else at_ms,
            headers=((b"h", b"v"), (b"n", None)) if has_headers else (),
        )

    def _idempotent(self, topic_id: Uuid | None, index: int) -> bytes:
        key = (topic_id or ZERO_UUID, index)
        known = self.sequences.setdefault(key, Sequences())
        if self._now_and_then(10):
            known = self.sequences[key] = Sequences(producer_id=known.producer_id + 1)
        if known.last_batch and self._now_and_then(10):
            return known.last_batch
        skipped = self.random.choices((0, 1, -1), (20, 1, 1))[0]
        producer_epoch = self.random.choices((1, 0), (20, 1))[0]
        sequence = max(-1, known.next_sequence + skipped)
        made = self._good(Producer(known.producer_id, producer_epoch, sequence))
        if skipped == 0 and producer_epoch == 1:
            known.next_sequence += int.from_bytes(made[57:61], "big")
            known.last_batch = made
        return made

    def _wrong(self) -> bytes:
        field_name = self.random.choice(WRONG_FIELDS)
        value = self.random.choice(WRONG_VALUES)
        fits = {"magic": value & 0x7F, "crc": value & 0xFFFF_FFFF}
        items = [self._item(self.now_ms) for _ in range(self.random.choice((1, 2)))]
        return batch(*items, at_ms=self.now_ms, wrong={field_name: fits.get(field_name, value)})

    def _tiny(self) -> bytes:
        payload = self.random.choice(SMALLEST)
        count = self.random.choice((1, 1, 0, 2))
        wrong = {"record_count": count, "last_offset_delta": count - 1}
        return batch(at_ms=self.now_ms, payload=payload, wrong=wrong)

    def _large(self) -> bytes:
        size_bytes = self.random.choice((65_400, 65_536, 70_000, 262_144, 1_100_000))
        return batch(Item(value=bytes(size_bytes)), at_ms=self.now_ms)

    def _damaged(self, data: bytes) -> bytes:
        changed = bytearray(data)
        for _ in range(self.random.choice((1, 1, 3))):
            changed[self.random.randrange(len(changed))] = self.random.randrange(256)
        if self._now_and_then(4):
            del changed[self.random.randrange(len(changed)) :]
        return bytes(changed)

    def _now_and_then(self, one_in: int) -> bool:
        return self.random.randrange(one_in) == 0
