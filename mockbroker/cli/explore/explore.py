"""Exploration of `mockbroker explore`: each run has a cluster as `mockbroker run` has."""

from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from typing import NamedTuple

from mockbroker.cli import EXIT_USAGE
from mockbroker.cli.command_answer import CommandError
from mockbroker.cli.run import ADMIN, BOOTSTRAP_SERVERS, given_settings, hosted
from mockbroker.control.cluster_handle import ClusterHandle
from mockbroker.events import logging
from mockbroker.exploration.exploration import ASSERTIONS, MILLISECONDS, Exploration, Rules
from mockbroker.exploration.programs import CommandProgram
from mockbroker.exploration.report import Report
from mockbroker.settings.duration import milliseconds
from mockbroker.settings.serve_options import ServeOptions


class AskedExploration(NamedTuple):
    """Options of the command line."""

    budget: str
    timeout: str | None = None
    assertions: Sequence[str] = ()
    same_topics: Sequence[str] = ()
    tolerated: Sequence[str] = ()
    repeats: int = 2
    only: Sequence[str] = ()

    def rules(self) -> Rules:
        """Return what must hold after each run.

        Raises:
            ValueError: an assertion or a duration does not exist.

        """
        return Rules(
            assertions=self.assertions or ASSERTIONS,
            same_topics=self.same_topics,
            tolerated=self.tolerated,
            timeout_s=None if self.timeout is None else _seconds(self.timeout),
            repeats=self.repeats,
            only=self.only,
        )


def explored(
    options: ServeOptions, command: Sequence[str], asked: AskedExploration, *, shows_progress: bool
) -> Report:
    """Explore a command.

    Raises:
        CommandError: the cluster cannot start, the command fails without a fault or cannot be run,
            or an option is wrong.

    """
    options, settings = given_settings(options)
    logging.configure(level=options.log_level or "error", log_format=options.log_format)

    @contextmanager
    def start() -> Generator[ClusterHandle]:
        with hosted(settings, options) as (running, _scenario):
            yield ClusterHandle(running)

    def variables(cluster: ClusterHandle) -> Mapping[str, str]:
        return {BOOTSTRAP_SERVERS: cluster.bootstrap_servers, ADMIN: cluster.admin_url}

    program = CommandProgram(command, variables)
    try:
        return Exploration(program, start, asked.rules()).run(
            budget_s=_seconds(asked.budget), seed=settings.seed, shows_progress=shows_progress
        )
    except (AssertionError, RuntimeError, ValueError) as error:
        raise CommandError(str(error), EXIT_USAGE) from None
    except OSError as error:
        raise CommandError(f"cannot run {command[0]}: {error.strerror}", EXIT_USAGE) from None


def _seconds(text: str) -> float:
    return milliseconds(text) / MILLISECONDS
