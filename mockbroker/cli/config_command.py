"""Command `mockbroker config`: the broker configs of a new cluster, and their origins."""

import os
from typing import Any, Final

import click

from mockbroker.cli import EXIT_USAGE
from mockbroker.cli.command_answer import CommandError, CommandResult, answering
from mockbroker.cli.serve import why_not_read, with_environment
from mockbroker.cli.serve_command import as_click, given_options
from mockbroker.cli.text_table import columns
from mockbroker.errors import ScenarioError, SettingsError
from mockbroker.settings.config_origins import ConfigOrigin, config_origins
from mockbroker.settings.serve_options import OPTIONS

_KAFKA: Final = "Kafka"
_HIDDEN: Final = "[hidden]"
_OPTIONS: Final = frozenset(
    {"brokers", "config_file", "configs", "features", "kafka", "scenario"}
    | {"unstable_api_versions"}
)
"""Options of `serve` that affect configs."""


@answering
def _config(*, is_origin_shown: bool, is_all_shown: bool, **values: Any) -> CommandResult:
    try:
        options, given = with_environment(given_options(values), os.environ)
        found = config_origins(options, given)
    except (ScenarioError, SettingsError, OSError) as error:
        raise CommandError(why_not_read(error), EXIT_USAGE) from None
    shown = [each for each in found if is_all_shown or each.origin != _KAFKA]
    document = {
        "configs": [
            {"name": each.name, "value": _value(each), "origin": each.origin} for each in shown
        ]
    }
    lines = [f"{each.name}={_value(each) or ''}" for each in shown]
    if is_origin_shown:
        rows = [(each.origin, line) for each, line in zip(shown, lines, strict=True)]
        return CommandResult(document, columns(rows))
    return CommandResult(document, lines)


def _value(each: ConfigOrigin) -> str | None:
    return _HIDDEN if each.is_sensitive and each.value is not None else each.value


config_command: Final = click.Command(
    "config",
    params=[
        *(as_click(row) for row in OPTIONS if row.target in _OPTIONS),
        click.Option(
            ["--show-origin", "is_origin_shown"],
            is_flag=True,
            help="Show each origin: a variable, the command line, a file, mockbroker or Kafka.",
        ),
        click.Option(["--all", "is_all_shown"], is_flag=True, help="Show Kafka's defaults, too."),
        *getattr(_config, "__click_params__", ()),
    ],
    callback=_config,
    help="Show the broker configs of `serve` with this environment and these options.",
    short_help="Show broker configs and their origins.",
)
