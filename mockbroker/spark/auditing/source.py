"""Sources of an audit, from the command line: a journal's folder, or topics of a cluster."""

from dataclasses import dataclass, field
from typing import Final

from mockbroker.report.bad_input import BadInput, BadInputError
from mockbroker.wire.cluster import WireCluster
from mockbroker.wire.security import PLAINTEXT, Security

SCHEME: Final = "kafka://"
_FORM: Final = "Write kafka://host:port/topic, or kafka://host:port,host:port/topic,topic."


@dataclass(frozen=True, slots=True, kw_only=True)
class JournalSource:
    """A journal's folder, at any path that Spark can read."""

    path: str

    def __str__(self) -> str:
        """Name it as it was given."""
        return self.path


@dataclass(frozen=True, slots=True, kw_only=True)
class TopicSource:
    """Topics of a running cluster, whose batches are read."""

    bootstrap_servers: str
    topics: tuple[str, ...]
    security: Security = field(default=PLAINTEXT, repr=False)

    def connect(self) -> WireCluster:
        """Return a client of the cluster; nothing is sent yet."""
        return WireCluster(self.bootstrap_servers, security=self.security)

    def unread(self, topic: str, reason: str) -> BadInput:
        """Report a topic that cannot be read."""
        return BadInput(
            where=f"{SCHEME}{self.bootstrap_servers}/{topic}",
            what=f"It cannot be read: {reason.rstrip('.')}.",
            advice="Check that this machine and Spark's workers can reach the brokers, that the"
            " topic exists, and that this user may read it.",
        )

    def __str__(self) -> str:
        """Name it as it was given."""
        return f"{SCHEME}{self.bootstrap_servers}/{','.join(self.topics)}"


Source = JournalSource | TopicSource


def source_of(text: str, security: Security = PLAINTEXT) -> Source:
    """Parse a source; `security` is that of connections to clusters.

    Raises:
        BadInputError: the text begins with `kafka://`, but does not name topics.

    """
    if not text.startswith(SCHEME):
        return JournalSource(path=text.rstrip("/") or "/")
    servers, _, names = text.removeprefix(SCHEME).partition("/")
    topics = tuple(name.strip() for name in names.split(",") if name.strip())
    if not topics or not all(map(_is_address, servers.split(","))):
        raise BadInputError(BadInput(where=text, what="These are not topics.", advice=_FORM))
    return TopicSource(
        bootstrap_servers=servers, topics=tuple(dict.fromkeys(topics)), security=security
    )


def _is_address(text: str) -> bool:
    host, _, port = text.rpartition(":")
    return bool(host) and port.isdigit()
