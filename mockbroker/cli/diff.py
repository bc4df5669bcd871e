"""Run of `mockbroker diff`: choice of the conversations, and the report."""

import shlex
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import click

from mockbroker.cli import EXIT_FAILED, EXIT_UNREACHABLE, EXIT_USAGE
from mockbroker.cli.command_answer import CommandError, CommandResult, envelope
from mockbroker.cli.text_table import Heading, columns
from mockbroker.diff.comparison import (
    ComparedConversation,
    Comparer,
    Comparison,
    ComparisonLimits,
)
from mockbroker.diff.conversations import (
    Conversations,
    ConversationsError,
    RecordedRelease,
    RecordedScenario,
    installed,
    left_out,
)
from mockbroker.diff.outcomes import StepStatus
from mockbroker.diff.report import (
    LONGEST,
    command,
    compared_with,
    difference_lines,
    document,
    markdown,
    reason_lines,
    step_lines,
    summary,
    table,
)
from mockbroker.diff.selection import NotAsked, api_of, matching, other_configs, select
from mockbroker.diff.survey import NoBrokerError, survey
from mockbroker.events import logging
from mockbroker.events.progress_bar import progress_bar
from mockbroker.protocol.api_keys import ApiKey
from mockbroker.settings.listener_settings import parse_address


@dataclass(frozen=True, slots=True, kw_only=True)
class DiffOptions:
    """Options of the command."""

    against: str
    kafka: str = "4.4"
    names: Sequence[str] = ()
    apis: Sequence[str] = ()
    walk: str | None = None
    seed: int = 1
    step: int | None = None
    assume: Sequence[str] = ()
    is_list: bool = False
    keeps: bool = False
    timeout_s: float = 20.0
    time_limit_s: float = 180.0
    output: Path | None = None
    is_quiet: bool = False
    """True to draw no progress bar."""

    @property
    def reproduction(self) -> str:
        """The command that repeats a step, without scenario and step."""
        words = ["mockbroker", "diff", "--against", self.against, "--kafka", self.kafka]
        words += [word for assumed in self.assume for word in ("--assume", assumed)]
        if self.walk is not None:
            words += ["--walk", self.walk, "--seed", str(self.seed)]
        return shlex.join(words)


def diff(options: DiffOptions) -> CommandResult:
    """Compare a broker with recordings of Kafka, or with mockbroker on a random walk.

    Raises:
        CommandError: no Kafka broker answers at the address, or there are no recordings.

    """
    try:
        conversations = installed()
    except ConversationsError as error:
        raise CommandError(str(error), EXIT_USAGE) from None
    release = release_of(conversations, options.kafka)
    candidates = _candidates(conversations, options, release)
    try:
        facts = survey(_address(options.against), options.timeout_s)
    except NoBrokerError as error:
        raise CommandError(str(error), EXIT_UNREACHABLE) from None
    if options.assume:
        assumed = dict(_pair(text) for text in options.assume)
        facts = replace(facts, configs={**(facts.configs or {}), **assumed})
    asked, not_asked = select(candidates, facts)
    not_asked += _left_out(options)
    if options.is_list:
        return _listing(asked, not_asked)
    comparison = Comparison(
        against=options.against,
        release=release,
        is_walk=options.walk is not None,
        not_asked=not_asked,
        notes=list(other_configs(conversations.configs(), facts.configs)),
    )
    limits = ComparisonLimits(
        answer_s=options.timeout_s,
        conversation_s=options.time_limit_s,
        last_step=options.step,
    )
    if options.walk is not None:
        logging.configure(level="error")  # of the mockbroker that the walk is compared with
    comparer = Comparer(conversations=conversations, facts=facts, limits=limits, result=comparison)
    with progress_bar(
        "asking", len(asked), "conversations", is_wanted=not options.is_quiet
    ) as advance:
        comparer.run(asked, advance, keeps=options.keeps)
    return _result(comparison, options)


def release_of(conversations: Conversations, name: str) -> RecordedRelease:
    """Find a recorded release by its name or its version, such as `4.4` or `4.4.0-tv1`."""
    for release in conversations.releases():
        if name in {release.name, release.label}:
            return release
    known = ", ".join(each.name for each in conversations.releases())
    raise click.UsageError(f"Kafka {name!r} is not recorded; there are {known}")


def _candidates(
    conversations: Conversations, options: DiffOptions, release: RecordedRelease
) -> list[RecordedScenario]:
    if options.walk is not None:
        kinds = conversations.walks()
        if options.walk not in kinds:
            known = ", ".join(kinds)
            raise click.UsageError(f"no walk is named {options.walk!r}; there are {known}")
        return [conversations.walk(options.walk, options.seed)]
    titles = {each.title for each in ApiKey}
    if unknown := [name for name in options.apis if name not in titles]:
        raise click.UsageError(f"no API is named {unknown[0]!r}")
    try:
        chosen = matching(conversations.scenarios(release), options.names)
    except LookupError as error:
        raise click.UsageError(str(error.args[0])) from None
    if options.step is not None and len(chosen) != 1:
        raise click.UsageError("--step needs one --scenario, or --walk")
    if not options.apis:
        return chosen
    return [
        scenario
        for scenario in chosen
        if any(api_of(step) in options.apis for step in conversations.recorded(scenario, release))
    ]


def _address(text: str) -> tuple[str, int]:
    try:
        return parse_address(text)
    except ValueError as error:
        raise click.UsageError(f"--against={text}: {error}") from None


def _pair(text: str) -> tuple[str, str]:
    name, separator, value = text.partition("=")
    if not separator:
        raise click.UsageError(f"--assume={text}: expected KEY=VALUE")
    return name, value


def _left_out(options: DiffOptions) -> Iterator[NotAsked]:
    if not (options.walk or options.names or options.apis):
        for module, reason in left_out().items():
            yield NotAsked(scenario=f"all of {module}", reason=reason)


def _listing(asked: Sequence[RecordedScenario], not_asked: Sequence[NotAsked]) -> CommandResult:
    listed = {
        "asked": [each.name for each in asked],
        "not_asked": {each.scenario: each.reason for each in not_asked},
    }
    lines = [
        Heading(f"{len(asked)} conversations are asked"),
        *(f"  {each.name}" for each in asked),
        Heading(f"{len(not_asked)} conversations are not asked"),
        *(f"  {each.scenario}: {each.reason}" for each in not_asked),
    ]
    return CommandResult(listed, lines)


def _result(comparison: Comparison, options: DiffOptions) -> CommandResult:
    answer = document(comparison, options.reproduction)
    if options.output is not None:
        is_json = options.output.suffix == ".json"
        text = envelope(answer) if is_json else markdown(comparison, options.reproduction)
        options.output.write_text(text, "utf-8")
    exit_code = EXIT_FAILED if comparison.failures or comparison.lost_at else 0
    return CommandResult(answer, _lines(comparison, options), exit_code)


def _lines(comparison: Comparison, options: DiffOptions) -> Iterator[str]:
    yield Heading(f"{comparison.against} and {compared_with(comparison)}")
    yield summary(comparison)
    yield from comparison.notes
    yield ""
    yield from columns(table(comparison), right=frozenset(range(1, len(StepStatus) + 1)))
    if comparison.failures:
        yield ""
        yield Heading("Differences")
    for asked in comparison.asked:
        yield from _first_difference(asked, options)
    if comparison.lost_at is not None:
        yield f"the broker went away in {comparison.lost_at}"
    yield from _last_step(comparison, options)
    if comparison.not_asked:
        yield ""
        yield Heading("Not asked")
        yield from reason_lines(comparison.not_asked)
    for left in comparison.left_over:
        yield f"left on the broker: {left}"


def _first_difference(asked: ComparedConversation, options: DiffOptions) -> Iterator[str]:
    """Describe the first difference of a conversation; what follows is often its consequence."""
    if not asked.failures:
        return
    first, *others = asked.failures
    yield from difference_lines(first, command(first, options.reproduction))
    if others:
        yield f"  and {len(others)} more steps of this conversation"
    if asked.stop is not None:
        yield f"  the conversation stopped: {asked.stop[:LONGEST]}"


def _last_step(comparison: Comparison, options: DiffOptions) -> Iterator[str]:
    for outcome in comparison.outcomes:
        if outcome.number == options.step:
            yield ""
            yield Heading(f"Step {outcome.number}: {outcome.step} ({outcome.asked})")
            yield from step_lines(outcome)
