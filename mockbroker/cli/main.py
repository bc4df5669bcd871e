"""Entry point of the command `mockbroker`.

`serve` runs without importing click, which would take a third of the time to the first answer.
Click handles all other commands, and the help and the errors of `serve`.
"""

import gc
import os
import sys
from collections.abc import Sequence
from typing import Final

from mockbroker.settings.serve_options import OptionError, ServeOptions, parse_serve_options

_GROUP_OPTIONS: Final = frozenset({"-h", "--help", "--version"})
"""Options of `mockbroker` itself; before any other option, `serve` is implied."""
_COMPLETE: Final = "_MOCKBROKER_COMPLETE"
"""Variable with which a shell asks click to complete a line."""


def main(arguments: Sequence[str] | None = None) -> None:
    """Run a command line; the default command is `serve`.

    It ends with SystemExit: 0 success, 2 wrong usage or input, 130 interrupted, or as a command
    documents.
    """
    words = list(sys.argv[1:] if arguments is None else arguments)
    if _COMPLETE not in os.environ:
        if not words or (words[0].startswith("-") and words[0] not in _GROUP_OPTIONS):
            words.insert(0, "serve")
        if words[0] == "serve":
            try:
                options = parse_serve_options(words[1:])
            except OptionError:
                options = None  # click prints the error
            if options is not None:
                sys.exit(run_serve(options))
    # Imported late: `serve` does without click.
    from mockbroker.cli.commands import commands

    commands(words, prog_name="mockbroker")


def run_serve(options: ServeOptions) -> int:
    """Run `serve` until it is stopped; return the exit code."""
    # The objects of the start stay alive: collecting garbage among them takes a tenth of the time.
    # `serve` enables the collector when its ports are open.
    gc.disable()
    try:
        # Imported late: after the collector is off, and no other command needs it.
        from mockbroker.cli.serve import serve

        return serve(options)
    finally:
        gc.enable()
