"""Comparison of a foreign broker with recordings of Kafka, or with mockbroker on a random walk."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import chain
from random import Random
from string import ascii_lowercase
from typing import Final

from mockbroker.diff.clean_up import clean_up
from mockbroker.diff.conversations import (
    Conversation,
    Conversations,
    RecordedRelease,
    RecordedScenario,
    Target,
)
from mockbroker.diff.outcomes import StepOutcome, StepStatus, outcomes
from mockbroker.diff.prefix import neutral_prefix
from mockbroker.diff.selection import NotAsked
from mockbroker.diff.survey import BrokerFacts, all_names, asking
from mockbroker.diff.translation import INTERNAL, Translation

PREFIX: Final = "diff"
ATTEMPTS: Final = 2
"""A difference counts if it is there each time."""
_RUN_CHARACTERS: Final = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class ComparedConversation:
    """One conversation, with the outcome of each step."""

    scenario: str
    outcomes: Sequence[StepOutcome]
    stop: str | None = None
    """The reason why the script could not continue."""

    @property
    def failures(self) -> list[StepOutcome]:
        """The steps that differ without being listed, or are refused."""
        return [outcome for outcome in self.outcomes if outcome.is_failure]


@dataclass(slots=True, kw_only=True)
class Comparison:
    """Result of all conversations with one broker."""

    against: str
    release: RecordedRelease
    is_walk: bool = False
    """True if the answers are compared with mockbroker's, because no Kafka was recorded."""
    asked: list[ComparedConversation] = field(default_factory=list[ComparedConversation])
    not_asked: list[NotAsked] = field(default_factory=list[NotAsked])
    notes: list[str] = field(default_factory=list[str])
    left_over: list[str] = field(default_factory=list[str])
    lost_at: str | None = None
    """The conversation in which the broker went away."""

    @property
    def outcomes(self) -> Iterator[StepOutcome]:
        """All steps."""
        return (outcome for asked in self.asked for outcome in asked.outcomes)

    @property
    def failures(self) -> list[StepOutcome]:
        """The steps that differ without being listed, or are refused."""
        return [outcome for asked in self.asked for outcome in asked.failures]


@dataclass(frozen=True, slots=True, kw_only=True)
class ComparisonLimits:
    """Times that a broker has, and the end of a conversation."""

    answer_s: float = 20.0
    conversation_s: float = 180.0
    last_step: int | None = None


@dataclass(slots=True, kw_only=True)
class Comparer:
    """Run of conversations with one broker."""

    conversations: Conversations
    facts: BrokerFacts
    limits: ComparisonLimits
    result: Comparison
    _random: Random = field(default_factory=Random)
    """Unseeded, because no other run has these names."""
    _start: str = field(init=False)
    _configured: set[tuple[int, str]] = field(default_factory=set[tuple[int, str]])

    def __post_init__(self) -> None:
        """Choose how the names of this run begin."""
        self._start = PREFIX + "".join(self._random.choices(ascii_lowercase, k=_RUN_CHARACTERS))

    def run(
        self,
        scenarios: Sequence[RecordedScenario],
        advance: Callable[[int], None],
        *,
        keeps: bool = False,
    ) -> None:
        """Have all conversations, and delete what they have made unless it is to be kept.

        `advance` takes the number of conversations that were had.
        """
        try:
            for number, scenario in enumerate(scenarios, 1):
                try:
                    self._compare(scenario, partial(self._converse, scenario, f"{number:x}"))
                except OSError as error:
                    self.result.lost_at = self.result.lost_at or scenario.name
                    why = f"the broker is gone: {error.strerror or error}"
                    self.result.not_asked.append(NotAsked(scenario=scenario.name, reason=why))
                advance(1)
        finally:
            self.result.left_over += self._cleaned(keeps=keeps)

    def _cleaned(self, *, keeps: bool) -> list[str]:
        everything = f"everything whose name begins with {self._start}"
        if keeps:
            return [everything]
        try:
            return clean_up(self.facts, self._start, self._configured, self.limits.answer_s)
        except OSError:
            return [f"{everything}, because the broker is gone"]

    def _converse(self, scenario: RecordedScenario, name: str) -> Conversation:
        prefix = neutral_prefix(self._start + name, self._random)
        translation = Translation(
            prefix=prefix,
            broker=self.facts.broker,
            host=self.facts.host,
            existing=self._of_others(scenario, prefix),
            made=self._configured,
        )
        target = Target(
            address=self.facts.address,
            advertised_port=self.facts.port,
            served=self.facts.served,
            translation=translation,
            answer_s=self.limits.answer_s,
            conversation_s=self.limits.conversation_s,
            last_step=self.limits.last_step,
        )
        return self.conversations.converse(scenario, self.result.release, target)

    def _of_others(self, scenario: RecordedScenario, prefix: str) -> frozenset[str]:
        with asking(self.facts, self.limits.answer_s) as asker:
            names = chain.from_iterable(all_names(asker))
            # The recorded brokers of such a scenario had internal topics too.
            own = (prefix, INTERNAL) if scenario.keeps_internal_topics else (prefix,)
            return frozenset(name for name in names if not name.startswith(own))

    def _compare(self, scenario: RecordedScenario, converse: Callable[[], Conversation]) -> None:
        """Have one conversation; if it differs, have it again, and keep what differs in both."""
        seen: ComparedConversation | None = None
        for _ in range(ATTEMPTS):
            had = converse()
            if had.obstacle is not None:
                reason = NotAsked(scenario=scenario.name, reason=had.obstacle)
                self.result.not_asked.append(reason)
                return
            compared = self._compared(scenario, had)
            seen = compared if seen is None else in_both(seen, compared)
            if not compared.failures:
                break
        assert seen is not None
        self.result.asked.append(seen)

    def _compared(self, scenario: RecordedScenario, had: Conversation) -> ComparedConversation:
        release, is_walk = self.result.release, self.result.is_walk
        answers = self.conversations.replayed if is_walk else self.conversations.recorded
        expected = answers(scenario, release)[: self.limits.last_step]
        judged = outcomes(
            scenario.name,
            expected,
            had.steps,
            found=list(self.conversations.compared(expected, had.steps)),
            places=[] if is_walk else self.conversations.explained(scenario, release),
            served=self.facts.served,
        )
        return ComparedConversation(scenario=scenario.name, outcomes=list(judged), stop=had.stop)


def in_both(first: ComparedConversation, second: ComparedConversation) -> ComparedConversation:
    """Return the second conversation, with only those differences that the first one had too."""
    failed = {outcome.number for outcome in first.failures}
    lasting = [
        replace(outcome, status=StepStatus.PASSING)
        if outcome.is_failure != (outcome.number in failed)
        else outcome
        for outcome in second.outcomes
    ]
    return replace(second, outcomes=lasting)
