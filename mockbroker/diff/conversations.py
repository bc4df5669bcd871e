"""Interface of the scripts and recordings, which are no part of the package.

An installed package has them in an archive beside this module, a working copy in its folders of
tests. Both are a package of their own with a module that implements `Conversations`.
"""

import json
import sys
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any, Final, NamedTuple, Protocol, TypeAlias, cast

from mockbroker.diff.translation import Translation
from mockbroker.protocol.schema.message import Message

Json: TypeAlias = Any
"""An answer, or a part of it, with placeholders for what differs in every run."""

ARCHIVE: Final = Path(__file__).with_name("conversations.zip")
WORKING_COPY: Final = Path(__file__).parents[2]
PACKAGE: Final = "tests.conformance"
"""The package of scripts and recordings."""


class ConversationsError(Exception):
    """The scripts and recordings are not installed."""


class RecordedRelease(Protocol):
    """A release of Kafka that was recorded, in one variant."""

    @property
    def name(self) -> str:
        """The short name, such as `4.4-tv1`."""
        ...

    @property
    def label(self) -> str:
        """The full version, such as `4.4.0-tv1`."""
        ...


class RecordedScenario(Protocol):
    """A script, and the cluster that it needs."""

    @property
    def name(self) -> str:
        """The name of the script."""
        ...

    @property
    def module(self) -> str:
        """The module of the script."""
        ...

    @property
    def brokers(self) -> int:
        """The number of brokers."""
        ...

    @property
    def settings(self) -> Mapping[str, str]:
        """Configs that differ from those of every recorded broker."""
        ...

    @property
    def listeners(self) -> tuple[str, ...]:
        """Listeners beside the main one."""
        ...

    @property
    def is_alone(self) -> bool:
        """True if it needs a cluster that has received no request."""
        ...

    @property
    def has_authorizer(self) -> bool:
        """True if an authorizer decides."""
        ...

    @property
    def keeps_internal_topics(self) -> bool:
        """True if it was recorded with internal topics."""
        ...

    @property
    def precedes_internal_topics(self) -> bool:
        """True if its answers depend on the absence of internal topics."""
        ...


class ConversationStep(Protocol):
    """One request, and its answer."""

    @property
    def name(self) -> str:
        """What the script calls the step."""
        ...

    @property
    def asked(self) -> str:
        """The API and its version."""
        ...

    @property
    def answer(self) -> Json:
        """The answer as JSON."""
        ...

    @property
    def request(self) -> Message | None:
        """The request; None in recordings, and for bytes."""
        ...


class FieldDifference(Protocol):
    """One field of a step that differs."""

    @property
    def step(self) -> str:
        """The name of the step."""
        ...

    @property
    def field(self) -> str:
        """The path of the field."""
        ...

    @property
    def kafka(self) -> Json:
        """The expected value."""
        ...

    @property
    def ours(self) -> Json:
        """The given value."""
        ...


class ExplainedPlace(Protocol):
    """Location of differences that are explained."""

    def covers(self, step: str, field: str) -> bool:
        """Return whether a field of a step is there."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """A foreign broker as a script gets it."""

    address: tuple[str, int]
    advertised_port: int
    served: Mapping[int, range]
    """The versions that it advertises, by API key."""
    translation: Translation
    answer_s: float
    """Time for one answer."""
    conversation_s: float
    """Time for the whole script."""
    last_step: int | None = None
    """The number of the step after which the script ends."""


class Conversation(NamedTuple):
    """The answers of a broker to one script."""

    steps: Sequence[ConversationStep]
    stop: str | None = None
    """The reason why the script could not continue."""
    obstacle: str | None = None
    """The reason why the script cannot be asked, if that shows only in its course."""


class Conversations(Protocol):
    """Scripts and recordings."""

    def configs(self) -> Mapping[str, str]:
        """Return the configs that all recorded brokers have."""
        ...

    def releases(self) -> Sequence[RecordedRelease]:
        """Return the recorded releases, newest first."""
        ...

    def scenarios(self, release: RecordedRelease) -> Mapping[str, RecordedScenario]:
        """Return the scenarios of a release by name."""
        ...

    def walks(self) -> Sequence[str]:
        """Return the kinds of random walks."""
        ...

    def walk(self, kind: str, seed: int) -> RecordedScenario:
        """Return a random walk as a scenario."""
        ...

    def recorded(
        self, scenario: RecordedScenario, release: RecordedRelease
    ) -> Sequence[ConversationStep]:
        """Return real Kafka's answers."""
        ...

    def replayed(
        self, scenario: RecordedScenario, release: RecordedRelease
    ) -> Sequence[ConversationStep]:
        """Return mockbroker's answers."""
        ...

    def converse(
        self, scenario: RecordedScenario, release: RecordedRelease, target: Target
    ) -> Conversation:
        """Return the answers of a foreign broker."""
        ...

    def compared(
        self, expected: Sequence[ConversationStep], given: Sequence[ConversationStep]
    ) -> Iterator[Sequence[FieldDifference]]:
        """Yield the differences of each step, until one script ends or goes another way."""
        ...

    def explained(
        self, scenario: RecordedScenario, release: RecordedRelease
    ) -> Sequence[ExplainedPlace]:
        """Return the explained places of a scenario."""
        ...


def installed(archive: Path = ARCHIVE, working_copy: Path = WORKING_COPY) -> Conversations:
    """Import the scripts, from the archive or the working copy.

    Raises:
        ConversationsError: there is neither of them.

    """
    root = archive if archive.is_file() else working_copy
    if root == working_copy and not working_copy.joinpath(*PACKAGE.split("."), "golden").is_dir():
        raise ConversationsError("this installation has no recorded conversations")
    if str(root) not in sys.path:
        # First, because the working directory of a user may have a package of that name.
        sys.path.insert(0, str(root))
    return cast("Conversations", import_module(f"{PACKAGE}.conversations"))


def left_out(archive: Path = ARCHIVE) -> Mapping[str, str]:
    """Return the modules of scripts that the archive does not have, with the reasons."""
    if not archive.is_file():
        return {}
    with zipfile.ZipFile(archive) as opened:
        listed = opened.read(f"{PACKAGE.replace('.', '/')}/left_out.json")
    return cast("Mapping[str, str]", json.loads(listed))
