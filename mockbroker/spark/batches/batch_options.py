"""Options of `kafka_batches`, with the names of Spark's own Kafka source."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Self, cast

from mockbroker.errors import SettingsError
from mockbroker.spark.format_errors import KafkaBatchesError
from mockbroker.wire.cluster import EARLIEST, LATEST
from mockbroker.wire.security import PLAINTEXT, SETTINGS, Security, security_of

PATIENCE_MS: Final = 30_000
_SERVERS: Final = ("kafka.bootstrap.servers", "bootstrap.servers")
_TOPICS: Final = ("subscribe", "topic")
_WORDS: Final = {"earliest": EARLIEST, "latest": LATEST}
_ASSIGN_EXAMPLE: Final = '{"topic": [0, 1]}'
_LIMITS_EXAMPLE: Final = '"earliest", "latest" or {"topic": {"0": 12, "1": -2}}'
_KAFKA: Final = "kafka."
_SECURITY: Final = frozenset(f"{_KAFKA}{name}" for name in SETTINGS)
_KNOWN: Final = frozenset(
    {
        *(*_SERVERS, *_TOPICS, "assign", "failOnDataLoss", "minPartitions"),
        *("startingOffsets", "endingOffsets", "timeoutMs"),
    }
)
_IGNORED: Final = frozenset({"path"})
"""Options that Spark adds itself."""

Limits = int | Mapping[str, Mapping[int, int]]
"""`EARLIEST` or `LATEST`, or an offset (or one of both) for each partition of each topic."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BatchOptions:
    """Parsed options: the topics and the range to read."""

    bootstrap_servers: str
    topics: tuple[str, ...]
    assigned: Mapping[str, tuple[int, ...]] = field(default_factory=dict[str, tuple[int, ...]])
    """Partitions to read; all partitions of topics that are not named."""
    starting: Limits = EARLIEST
    ending: Limits = LATEST
    may_lose: bool = False
    partitions_min: int = 0
    """Minimum number of ranges; 0 for one range per partition."""
    patience_s: float = PATIENCE_MS / 1000
    security: Security = PLAINTEXT

    @classmethod
    def of(cls, options: Mapping[str, str]) -> Self:
        """Parse options; their names are case-insensitive.

        Raises:
            KafkaBatchesError: an option is missing, unknown or invalid.

        """
        given = {name.lower(): value for name, value in options.items()}
        known = {name.lower() for name in (*_KNOWN, *_IGNORED, *_SECURITY)}
        if unknown := sorted(given.keys() - known):
            raise KafkaBatchesError(
                f"{', '.join(unknown)}: unknown option; the options are"
                f" {', '.join(sorted(_KNOWN))}, and those of TLS and SASL, such as"
                " kafka.security.protocol"
            )
        assigned = _assigned(given["assign"]) if "assign" in given else {}
        if assigned and any(name in given for name in _TOPICS):
            raise KafkaBatchesError("assign and subscribe exclude each other")
        return cls(
            bootstrap_servers=_first_of(given, _SERVERS),
            topics=tuple(assigned) if assigned else _names(_first_of(given, _TOPICS)),
            assigned=assigned,
            starting=_limits("startingOffsets", given.get("startingoffsets", "earliest")),
            ending=_limits("endingOffsets", given.get("endingoffsets", "latest")),
            may_lose=not _flag("failOnDataLoss", given.get("failondataloss", "true")),
            partitions_min=_number("minPartitions", given.get("minpartitions", "0")),
            patience_s=_number("timeoutMs", given.get("timeoutms", str(PATIENCE_MS))) / 1000,
            security=_security(given),
        )

    def partitions(self, topic: str, existing: Iterable[int]) -> list[int]:
        """Return the partitions of a topic to read.

        Raises:
            KafkaBatchesError: an assigned partition does not exist.

        """
        there = list(existing)
        wanted = self.assigned.get(topic)
        if wanted is None:
            return there
        if missing := [str(each) for each in wanted if each not in there]:
            raise KafkaBatchesError(f"topic {topic} has no partition {', '.join(missing)}")
        return list(wanted)


def limit_of(limits: Limits, topic: str, partition: int, option: str) -> int:
    """Return a partition's start or end: an offset, `EARLIEST` or `LATEST`.

    Raises:
        KafkaBatchesError: the option has other partitions, but not this one.

    """
    if isinstance(limits, int):
        return limits
    found = limits.get(topic, {}).get(partition)
    if found is None:
        raise KafkaBatchesError(f"{option} does not name {topic}-{partition}")
    return found


def _security(given: Mapping[str, str]) -> Security:
    settings = {name.removeprefix(_KAFKA): given[name] for name in _SECURITY & given.keys()}
    try:
        return security_of(settings)
    except SettingsError as error:
        raise KafkaBatchesError(f"{_KAFKA}{error}") from None


def _first_of(given: Mapping[str, str], names: tuple[str, ...]) -> str:
    for name in names:
        if value := given.get(name, "").strip():
            return value
    raise KafkaBatchesError(f"the option {names[0]} is missing")


def _names(text: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(name.strip() for name in text.split(",") if name.strip()))


def _assigned(text: str) -> dict[str, tuple[int, ...]]:
    document = _document("assign", text, _ASSIGN_EXAMPLE)
    try:
        return {topic: tuple(map(int, partitions)) for topic, partitions in document.items()}
    except (TypeError, ValueError):
        raise KafkaBatchesError(f"assign={text}: write it like {_ASSIGN_EXAMPLE}") from None


def _limits(option: str, text: str) -> Limits:
    word = text.strip().lower()
    if word in _WORDS:
        return _WORDS[word]
    document = _document(option, text, _LIMITS_EXAMPLE)
    try:
        limits = {
            topic: {int(partition): int(offset) for partition, offset in partitions.items()}
            for topic, partitions in document.items()
        }
    except (AttributeError, TypeError, ValueError):
        raise KafkaBatchesError(f"{option}={text}: write it like {_LIMITS_EXAMPLE}") from None
    for partitions in limits.values():
        if wrong := [offset for offset in partitions.values() if offset < EARLIEST]:
            raise KafkaBatchesError(f"{option}: {wrong[0]} is not an offset")
    return limits


def _document(option: str, text: str, example: str) -> dict[str, Any]:
    try:
        document = json.loads(text)
    except ValueError:
        document = None
    if not isinstance(document, dict):
        raise KafkaBatchesError(f"{option}={text}: write it like {example}")
    return cast("dict[str, Any]", document)


def _number(option: str, text: str) -> int:
    if not text.strip().isdecimal():
        raise KafkaBatchesError(f"{option}={text}: not a number")
    return int(text)


def _flag(option: str, text: str) -> bool:
    word = text.strip().lower()
    if word not in {"true", "false"}:
        raise KafkaBatchesError(f"{option}={text}: write true or false")
    return word == "true"
