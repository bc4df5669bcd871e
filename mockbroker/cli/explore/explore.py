"""Exploration of `mockbroker explore`: each run has a cluster as `mockbroker run` has."""

from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, Final

from mockbroker.cli import EXIT_USAGE
from mockbroker.cli.command_answer import CommandError
from mockbroker.cli.run import ADMIN, BOOTSTRAP_SERVERS, given_settings, hosted
from mockbroker.control.cluster_handle import ClusterHandle
from mockbroker.events import logging
from mockbroker.exploration.exploration import Exploration
from mockbroker.exploration.programs import CommandOutput, CommandProgram
from mockbroker.exploration.report import Report
from mockbroker.exploration.rules import RULES, Effort, Rules
from mockbroker.settings.serve_options import ServeOptions

EFFORT: Final = ("budget", "pairs", "jobs", "folder", "resumes")
ASKED: Final = (*RULES, *EFFORT)
"""Options of the command line, beside those of `serve`."""


def explored(
    options: ServeOptions, command: Sequence[str], asked: Mapping[str, Any], *, shows_progress: bool
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
        wanted = {name: asked[name] for name in RULES if asked[name] is not None}
        if "same_result" in wanted:
            wanted["same_result"] = CommandOutput(wanted["same_result"], variables)
        rules = Rules(**wanted)
        effort = Effort(
            **{name: asked[name] for name in EFFORT},
            seed=settings.seed,
            shows_progress=shows_progress,
        )
        return Exploration(program, start, rules).run(effort)
    except (AssertionError, RuntimeError, ValueError) as error:
        raise CommandError(str(error), EXIT_USAGE) from None
    except OSError as error:
        is_missing = error.filename == command[0]
        why = f"cannot run {command[0]}: {error.strerror}" if is_missing else str(error)
        raise CommandError(why, EXIT_USAGE) from None
