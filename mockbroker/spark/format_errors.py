"""Errors of the formats `kafka_batches` and `kafka_eos`, and clients that raise them.

Spark's exceptions contain their texts.
"""

import re
from collections.abc import Generator
from contextlib import contextmanager
from typing import ClassVar, Protocol

from mockbroker.wire.client import WireError
from mockbroker.wire.cluster import WireCluster
from mockbroker.wire.security import Security


class FormatError(Exception):
    """Error of a format; the text begins with its name."""

    NAME: ClassVar[str]

    def __init__(self, why: str) -> None:
        """Set the reason; the name is added unless the text has it."""
        prefix = f"{self.NAME}: "
        super().__init__(prefix + why.removeprefix(prefix))

    @classmethod
    def text_in(cls, error: BaseException) -> str | None:
        """Find such an error in a Spark exception."""
        found = re.search(rf"{cls.NAME}: .*", str(error))
        return found[0].strip() if found else None


class KafkaBatchesError(FormatError):
    """Unreadable batches; the text begins with `kafka_batches: `, and has location and reason."""

    NAME = "kafka_batches"


class KafkaEosError(FormatError):
    """Records that are not written; the text begins with `kafka_eos: `, and has the reason."""

    NAME = "kafka_eos"


def kafka_batches_error(error: BaseException) -> str | None:
    """Return the error text of `kafka_batches` in a Spark exception; None if there is none."""
    return KafkaBatchesError.text_in(error)


def kafka_eos_error(error: BaseException) -> str | None:
    """Return the error text of `kafka_eos` in a Spark exception; None if there is none."""
    return KafkaEosError.text_in(error)


class ClientOptions(Protocol):
    """What the options of both formats have."""

    @property
    def bootstrap_servers(self) -> str:
        """Addresses of some brokers."""
        ...

    @property
    def patience_s(self) -> float:
        """How long to wait for brokers."""
        ...

    @property
    def security(self) -> Security:
        """TLS and SASL."""
        ...


@contextmanager
def cluster_of(options: ClientOptions, error: type[FormatError]) -> Generator[WireCluster]:
    """Yield a client of the options' cluster; its errors become those of the format."""
    try:
        with WireCluster(
            options.bootstrap_servers, patience_s=options.patience_s, security=options.security
        ) as cluster:
            yield cluster
    except WireError as failure:
        raise error(str(failure)) from None
