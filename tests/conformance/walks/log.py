"""Random walk over a log: valid and invalid batches, reads and deletions, in all versions."""

from collections.abc import Callable, Mapping, Sequence
from typing import Final

from mockbroker.protocol.api_keys import ApiKey
from mockbroker.protocol.messages.list_offsets import ListOffsetsResponse
from tests.conformance.batches import (
    GZIP,
    LOG_APPEND_TIME,
    LZ4,
    SNAPPY,
    ZSTD,
    Item,
    batch,
    message,
    wrapped,
)
from tests.conformance.requests import Reading, Wanted, delete_records, fetch, list_offsets, produce
from tests.conformance.scenarios.offsets import leader_epochs
from tests.conformance.scenarios.produce import KEPT, dated
from tests.conformance.talk import Talk
from tests.conformance.transactions import Part
from tests.conformance.walks.walking import Walk

BATCHES_FROM: Final = 3
"""The version of Produce since which there are batches, instead of message sets."""
ZSTD_FROM: Final = 7
SPREAD_MS: Final = 300_000
"""Records are dated within five minutes."""
CODECS: Final = {0: 50, GZIP: 15, SNAPPY: 15, LZ4: 15, ZSTD: 5}
TOPIC_CONFIGS: Final[Mapping[tuple[str, str], int]] = {
    ("message.timestamp.type", "CreateTime"): 5,
    ("message.timestamp.type", "LogAppendTime"): 2,
    ("max.message.bytes", "300"): 1,
    ("compression.type", "uncompressed"): 1,
    ("compression.type", "lz4"): 1,
    ("cleanup.policy", "compact"): 1,
}
OLD_FORMATS: Final = (None, "0.9.0", "0.10.2", "0.11.0")
"""Configs of a topic's record format, in releases with more than one format."""
WRONGS: Final[tuple[Mapping[str, int], ...]] = (
    {"crc": 1},
    {"record_count": 0},
    {"record_count": 9},
    {"last_offset_delta": 7},
    {"base_offset": 7},
    {"partition_leader_epoch": 5},
    {"attributes": 7},
    {"attributes": LOG_APPEND_TIME},
    {"max_timestamp": -1},
    {"base_sequence": 4},
    {"producer_epoch": 3},
    {"magic": 3},
    {"magic": -1},
    {"batch_length": 30},
)


class LogWalk(Walk):
    """One walk: its topics, and its possible steps."""

    def __init__(
        self, talk: Talk, name: str, seed: int, *, formats: Sequence[str | None] = (None,)
    ) -> None:
        """Choose the topics at random, with some of these formats."""
        super().__init__(talk, seed)
        self._formats = formats
        self._topics = {f"{name}-{letter}": self._configs() for letter in "abc"}
        self._parts: list[Part] = [(topic, index) for topic in self._topics for index in range(2)]
        self._ways: Mapping[Callable[[], None], int] = {
            self._produce: 45,
            self._fetch: 25,
            self._list_offsets: 15,
            self._delete: 5,
            self._ask_for_epochs: 5,
        }

    def _configs(self) -> dict[str, str]:
        configs = dict([self.drawn(TOPIC_CONFIGS)]) | KEPT
        message_format = self.random.choice(self._formats)
        if message_format is not None:
            configs["message.format.version"] = message_format
        return configs

    def run(self) -> None:
        """Run the walk."""
        for topic, configs in self._topics.items():
            self.talk.topic(topic, partitions=2, configs=configs)
            self.talk.note(topic, "configs", dict(configs))
        self.go(self._ways)
        for part in self._parts:
            offset = self._bounds(part)[0]
            everything = fetch(self.talk, Wanted(*part, offset=offset))
            self.ask(f"all of {self._named(part)}", everything, self.talk.latest(ApiKey.FETCH))

    # What it may do.

    def _produce(self) -> None:
        parts = self.random.sample(self._parts, self.random.choice((1, 1, 1, 2)))
        version = self._version(ApiKey.PRODUCE)
        drawn = [self._records(version) for _ in parts]
        acks = self.random.choice((1, -1, -1, -1))
        if self.happens(0.02):
            acks = 2
        title = f"acks {acks}"
        for part, (said, _) in zip(parts, drawn, strict=True):
            title += f", {said} to {self._named(part)}"
        data = [(*part, records) for part, (_, records) in zip(parts, drawn, strict=True)]
        self.ask(title, produce(self.talk, *data, acks=acks), version)

    def _records(self, version: int) -> tuple[str, bytes | None]:
        """Choose records for one partition at random, with their description."""
        is_batch = version >= BATCHES_FROM
        if self.happens(0.03):
            is_batch = not is_batch
        if self.happens(0.02):
            return "no bytes", b""  # null is answered by some releases only
        return self._batch(version) if is_batch else self._message_set()

    def _batch(self, version: int) -> tuple[str, bytes]:
        items = [self._item(index) for index in range(self.random.choice((1, 1, 2, 3, 5)))]
        codec = self.drawn(CODECS)
        if codec == ZSTD and version < ZSTD_FROM and self.happens(0.8):
            codec = GZIP
        wrong: Mapping[str, int] = self.random.choice(WRONGS) if self.happens(0.12) else {}
        if "last_offset_delta" in wrong and not self.talk.release.since("1.1"):
            wrong = {}  # it believes it, and its log is corrupt from then on
        data = batch(*items, at_ms=self._time(), codec=codec, wrong=wrong)
        said = f"{len(items)} records, codec {codec}" + (f", with {dict(wrong)}" if wrong else "")
        if self.happens(0.03):
            return f"two batches of {said}", data + data
        if self.happens(0.03):
            cut = self.random.randrange(1, len(data))
            return f"{cut} bytes of {said}", data[:cut]
        return said, data

    def _item(self, index: int) -> Item:
        key = self.random.choice((None, b"", b"k1", b"k2"))
        value = self.random.choice((b"v", b"v" * 40, f"{self.number}.{index}".encode(), None, b""))
        headers = ((b"h", b"1"), (b"", None)) if self.happens(0.1) else ()
        at_ms = self._time() if self.happens(0.7) else None
        return Item(value=value, key=key, at_ms=at_ms, headers=headers)

    def _message_set(self) -> tuple[str, bytes]:
        magic = self.random.choice((0, 1))
        count = self.random.choice((1, 1, 2, 3))
        at_ms = self._time() if magic else -1
        crc = 1 if self.happens(0.05) else None
        messages = [
            message(
                self.random.choice((b"v", b"", None, b"v" * 30)),
                magic=magic,
                at_ms=at_ms,
                offset=index,
                key=self.random.choice((None, b"k")),
                crc=crc if index == count - 1 else None,
            )
            for index in range(count)
        ]
        codec = self.random.choice((0, 0, GZIP, SNAPPY, LZ4))
        said = f"{count} messages of format {magic}, codec {codec}" + (", bad" if crc else "")
        if codec == 0:
            return said, b"".join(messages)
        return said, wrapped(messages, magic=magic, codec=codec, at_ms=at_ms, offset=count - 1)

    def _fetch(self) -> None:
        parts = self.random.sample(self._parts, self.random.choice((1, 1, 2)))
        version = self._version(ApiKey.FETCH)
        wanted = [self._wanted(part) for part in parts]
        reading = Reading(
            max_bytes=self.random.choice((1, 200, 1 << 20, 1 << 20)),
            isolation_level=self.random.choice((0, 0, 1)) if version > BATCHES_FROM else 0,
        )
        said = ", ".join(
            f"{self._named(part)} from {each.offset}, {each.max_bytes} bytes"
            for part, each in zip(parts, wanted, strict=True)
        )
        said += f", {reading.max_bytes} in all"
        self.ask(f"fetch {said}", fetch(self.talk, *wanted, reading=reading), version)

    def _wanted(self, part: Part) -> Wanted:
        first, end = self._bounds(part)
        offset = self.random.randint(first, end)
        if self.happens(0.06):
            offset = self.random.choice((-1, first - 1, end + 1, 1 << 40))
        size = self.random.choice((1, 150, 1 << 20, 1 << 20, 1 << 20))
        leader_epoch = self.random.choice((1, -2)) if self.happens(0.03) else -1
        return Wanted(*part, offset=offset, max_bytes=size, current_leader_epoch=leader_epoch)

    def _list_offsets(self) -> None:
        part = self.random.choice(self._parts)
        named = {"the end": -1, "the start": -2, "the latest time": -3, "nonsense": -9}
        if self._topics[part[0]].get("message.timestamp.type") == "LogAppendTime":
            del named["the latest time"]  # two batches may share a millisecond
        title, timestamp = self.random.choice(list(named.items()))
        if self.happens(0.6):
            after_ms = self.random.randint(-10, SPREAD_MS)
            title, timestamp = f"T{after_ms:+}", dated(after_ms)
        request = list_offsets((*part, timestamp))
        self.ask(f"{title} of {self._named(part)}", request, self._version(ApiKey.LIST_OFFSETS))

    def _delete(self) -> None:
        part = self.random.choice(self._parts)
        first, end = self._bounds(part)
        offset = self.random.choice((-1, first, self.random.randint(first, end), end, end + 1))
        request = delete_records((*part, offset))
        version = self._version(ApiKey.DELETE_RECORDS)
        self.ask(f"delete {self._named(part)} up to {offset}", request, version)

    def _ask_for_epochs(self) -> None:
        part = self.random.choice(self._parts)
        leader_epoch = self.random.choice((0, 0, 1, -1, 7))
        request = leader_epochs((*part, leader_epoch))
        version = self._version(ApiKey.OFFSET_FOR_LEADER_EPOCH)
        self.ask(f"the end of epoch {leader_epoch} of {self._named(part)}", request, version)

    # What that takes.

    def _bounds(self, part: Part) -> tuple[int, int]:
        """Request the first offset and the end of a partition."""
        bounds: list[int] = []
        for timestamp in (-2, -1):
            request = list_offsets((*part, timestamp))
            answer = self.talk.expect(ListOffsetsResponse, self.talk.quietly(request, 1))
            bounds.append(answer.topics[0].partitions[0].offset)
        return bounds[0], bounds[1]

    def _named(self, part: Part) -> str:
        return f"{part[0][-1]}{part[1]}"

    def _time(self) -> int:
        return dated(self.random.randrange(SPREAD_MS))

    def _version(self, api_key: ApiKey) -> int:
        """Choose a version at random: the newest more often than others."""
        versions = self.talk.versions(api_key)
        return versions[-1] if self.happens(0.4) else self.random.choice(versions)


def walk_log(talk: Talk, seed: int) -> None:
    """Run a walk with a seed."""
    LogWalk(talk, f"log-{seed}", seed).run()


def walk_old_formats(talk: Talk, seed: int) -> None:
    """Run a walk with a seed, and with topics of older formats, for releases up to 2.8."""
    LogWalk(talk, f"old-{seed}", seed, formats=OLD_FORMATS).run()
