"""Scenario: a cluster, its faults, steps in order, and expectations, as a file has them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import msgspec

from mockbroker.control.assertion_table import AssertionRow
from mockbroker.errors import FilePlace
from mockbroker.faults.conditions import Event
from mockbroker.faults.documents.fault_document import FaultDocument
from mockbroker.faults.documents.strict import Document
from mockbroker.scenario.actions import Action
from mockbroker.scenario.located import Located
from mockbroker.settings.python_arguments import config_text


class ClusterDocument(Document):
    """The cluster, with the arguments of `Cluster` in Python; default: those of `Cluster`."""

    brokers: int | None = None
    kafka: str | None = None
    """The release of Kafka to behave like, such as "3.9"."""
    topics: dict[str, int] | list[str] | None = None
    """Topics with their numbers of partitions, or names alone."""
    config: dict[str, str | int | float | bool] | None = None
    """Broker configs by Kafka's names."""
    features: dict[str, int] | None = None
    """Levels of features, such as transaction.version."""
    proposals: list[str] | None = None
    """Proposals that Kafka never shipped, to turn on."""
    clock: Literal["offset", "manual", "real"] | None = None
    """It runs and jumps (offset), only jumps (manual), or only runs (real)."""
    seed: int | None = None
    """Seed of all random choices."""
    tls: bool | None = None
    """True to listen with TLS."""


class ScenarioDocument(Document, rename={"schema": "$schema"}):
    """A scenario of mockbroker."""

    schema: str | None = None
    """The schema of the file, for editors."""
    name: str | None = None
    about: str | None = None
    """What the scenario shows."""
    cluster: ClusterDocument = msgspec.field(default_factory=ClusterDocument)
    faults: list[FaultDocument] = msgspec.field(default_factory=list[FaultDocument])
    """The faults that exist before the first client connects."""
    steps: list[Any] = msgspec.field(default_factory=list[Any])
    """Actions and waits, each of which begins when the one before is done."""
    expect: list[Any] = msgspec.field(default_factory=list[Any])
    """Assertions that are checked at the end."""


@dataclass(frozen=True, slots=True)
class PlacedFault:
    """A fault of the file."""

    document: FaultDocument
    source: Located


@dataclass(frozen=True, slots=True, kw_only=True)
class ActionStep:
    """A step that does something to the cluster."""

    place: FilePlace
    action: Action
    arguments: Mapping[str, Any]
    source: Located
    """The arguments in the file."""

    def __str__(self) -> str:
        """Write the step as a file has it."""
        given = ", ".join(f"{name}: {_text(value)}" for name, value in self.arguments.items())
        return f"{self.action.name}: {{{given}}}" if given else self.action.name


@dataclass(frozen=True, slots=True, kw_only=True)
class WaitStep:
    """A step that waits for an event."""

    place: FilePlace
    event: Event
    timeout_ms: int | None
    """None: as long as the command, the test or the cluster runs."""

    def __str__(self) -> str:
        """Write the step as a file has it."""
        given = ", ".join(f"{name}: {_text(value)}" for name, value in self.event.as_json().items())
        return f"wait_for: {{{given}}}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Expectation:
    """An assertion that is checked at the end."""

    place: FilePlace
    row: AssertionRow
    arguments: Mapping[str, Any]

    def __str__(self) -> str:
        """Write the assertion as the command line has it."""
        given = ",".join(f"{name}={_text(value)}" for name, value in self.arguments.items())
        return f"{self.row.word}:{given}" if given else self.row.word


@dataclass(frozen=True, slots=True, kw_only=True)
class Scenario:
    """A scenario that is valid as far as its file shows."""

    file: str
    name: str | None
    cluster: ClusterDocument
    faults: Sequence[PlacedFault]
    steps: Sequence[ActionStep | WaitStep]
    expectations: Sequence[Expectation]
    source: Located

    def cluster_arguments(self) -> dict[str, Any]:
        """Return the arguments of `Cluster` that the file sets."""
        given: dict[str, Any] = {
            name: value
            for name, value in msgspec.structs.asdict(self.cluster).items()
            if value is not None
        }
        return given

    def configs(self) -> Mapping[str, str]:
        """Return the broker configs that the file sets, as text."""
        config = self.cluster.config or {}
        return {name: config_text(name, value) for name, value in config.items()}

    def topic_texts(self) -> list[str]:
        """Return the topics in the form of `--topic`: `orders:3`."""
        topics = self.cluster.topics or []
        if isinstance(topics, list):
            return topics
        return [f"{name}:{partitions}" for name, partitions in topics.items()]


def _text(value: object) -> str:
    return value if isinstance(value, str) else msgspec.json.encode(value).decode()
