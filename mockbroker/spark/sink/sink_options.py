"""Options of `kafka_eos`, with the names of Spark's own Kafka sink where it has them."""

import hashlib
import uuid
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final, Self

from mockbroker.errors import SettingsError, nearest_name, plain_name
from mockbroker.protocol.types import Compression
from mockbroker.spark.format_errors import KafkaEosError
from mockbroker.wire.security import PLAINTEXT, SETTINGS, Security, security_of

PATIENCE_MS: Final = 60_000
TRANSACTION_TIMEOUT_MS: Final = 900_000
"""The longest that brokers allow by default (`transaction.max.timeout.ms`)."""
CONTROL_TOPIC: Final = "kafka-eos-control"
_REQUEST_BYTES: Final = 1_048_576
_BATCH_OVERHEAD_BYTES: Final = 4_096
_SERVERS: Final = "kafka.bootstrap.servers"
_KAFKA: Final = "kafka."
_TIMEOUT: Final = "kafka.transaction.timeout.ms"
_COMPRESSION: Final = "kafka.compression.type"
_REQUEST_SIZE: Final = "kafka.max.request.size"
_KNOWN: Final = (
    *(_SERVERS, "topic", "transactionalIdPrefix", "controlTopic", "batchId", "includeHeaders"),
    *("failOnDataLoss", "twoPhaseCommit", "timeoutMs", "checkpointLocation"),
    *(_TIMEOUT, _COMPRESSION, _REQUEST_SIZE),
)
_SECURITY: Final = tuple(f"{_KAFKA}{name}" for name in sorted(SETTINGS))
_SPARKS: Final = frozenset({"path"})
"""Options that Spark adds itself."""
_CODECS: Final = {each.name.lower(): each for each in Compression}
_DIGITS: Final = 16


@dataclass(frozen=True, slots=True, kw_only=True)
class SinkOptions:
    """Parsed options of a sink."""

    bootstrap_servers: str
    prefix: str
    """Transactional id of the driver, and the beginning of those of tasks."""
    topic: str | None = None
    """Topic of all rows; by default each row names its own."""
    control_topic: str = CONTROL_TOPIC
    batch_id: str | None = None
    """Name of a save in batch mode."""
    has_headers: bool = False
    may_lose: bool = False
    is_two_phase: bool = False
    patience_s: float = PATIENCE_MS / 1000
    transaction_timeout_ms: int = TRANSACTION_TIMEOUT_MS
    compression: Compression = Compression.NONE
    batch_bytes_max: int = _REQUEST_BYTES - _BATCH_OVERHEAD_BYTES
    security: Security = field(default=PLAINTEXT, repr=False)

    @classmethod
    def of(cls, options: Mapping[str, str], *, is_stream: bool) -> Self:
        """Parse options; their names are case-insensitive.

        Raises:
            KafkaEosError: an option is missing, unknown or invalid.

        """
        given = {name.lower(): value.strip() for name, value in options.items()}
        _refuse_unknown(given)
        if is_stream and "batchid" in given:
            raise KafkaEosError("batchId is an option of batch writes: a stream counts its batches")
        codec = given.get(_COMPRESSION, "none").lower()
        if codec not in _CODECS:
            raise KafkaEosError(f"{_COMPRESSION}={codec}: there are {', '.join(_CODECS)}")
        servers = given.get(_SERVERS, "")
        if not servers:
            raise KafkaEosError(f"the option {_SERVERS} is missing: name some brokers, host:port")
        request_bytes = _number(_REQUEST_SIZE, given, _REQUEST_BYTES)
        return cls(
            bootstrap_servers=servers,
            prefix=_prefix(given, is_stream=is_stream),
            topic=given.get("topic") or None,
            control_topic=given.get("controltopic") or CONTROL_TOPIC,
            batch_id=given.get("batchid") or None,
            has_headers=_flag("includeHeaders", given, is_set=False),
            may_lose=not _flag("failOnDataLoss", given, is_set=True),
            is_two_phase=_flag("twoPhaseCommit", given, is_set=False),
            patience_s=_number("timeoutMs", given, PATIENCE_MS) / 1000,
            transaction_timeout_ms=_number(_TIMEOUT, given, TRANSACTION_TIMEOUT_MS),
            compression=_CODECS[codec],
            batch_bytes_max=max(request_bytes - _BATCH_OVERHEAD_BYTES, 1),
            security=_security(given),
        )


def _refuse_unknown(given: Mapping[str, str]) -> None:
    options = (*_KNOWN, *_SECURITY)
    for name in sorted(given.keys() - {name.lower() for name in options} - _SPARKS):
        near = nearest_name(name, {plain_name(each): each for each in options})
        raise KafkaEosError(
            f"{name}: unknown option{near}; the options are {', '.join(sorted(_KNOWN))}, and those "
            "of TLS and SASL, such as kafka.security.protocol"
        )


def _security(given: Mapping[str, str]) -> Security:
    settings = {name.removeprefix(_KAFKA): given[name] for name in _SECURITY if name in given}
    try:
        return security_of(settings)
    except SettingsError as error:
        raise KafkaEosError(f"{_KAFKA}{error}") from None


def _prefix(given: Mapping[str, str], *, is_stream: bool) -> str:
    """Return the given prefix, or one that is the same at every start from a checkpoint."""
    if prefix := given.get("transactionalidprefix"):
        return prefix
    if not is_stream:
        if "batchid" in given:
            raise KafkaEosError(
                "batchId without transactionalIdPrefix: a save is recognised by both together"
            )
        return f"kafka-eos-{uuid.uuid4().hex[:_DIGITS]}"
    if checkpoint := given.get("checkpointlocation", "").rstrip("/"):
        return f"kafka-eos-{hashlib.sha256(checkpoint.encode()).hexdigest()[:_DIGITS]}"
    raise KafkaEosError(
        "a stream needs a name that is the same at every start: set transactionalIdPrefix, or "
        "checkpointLocation as an option of the stream"
    )


def _number(option: str, given: Mapping[str, str], default: int) -> int:
    text = given.get(option.lower(), str(default))
    if not text.isdecimal() or not int(text):
        raise KafkaEosError(f"{option}={text}: not a number above 0")
    return int(text)


def _flag(option: str, given: Mapping[str, str], *, is_set: bool) -> bool:
    word = given.get(option.lower(), str(is_set)).lower()
    if word not in {"true", "false"}:
        raise KafkaEosError(f"{option}={word}: write true or false")
    return word == "true"
