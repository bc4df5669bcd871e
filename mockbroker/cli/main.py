"""The command `mockbroker`, and its shortest way to a listening broker.

`serve` is read without click where its arguments are plain: importing click would be a third of
the time until the first answer. Help, mistakes and every other command are click's.
"""

import gc
import os
import sys
from collections.abc import Sequence
from typing import Final

from mockbroker.settings.serve_options import parse_plain

_OF_THE_GROUP: Final = frozenset({"-h", "--help", "--version"})
"""Options that are not meant for `serve` where no command is named."""

_COMPLETE: Final = "_MOCKBROKER_COMPLETE"
"""The variable in which a shell asks click to complete a line."""


def main(arguments: Sequence[str] | None = None) -> None:
    """Run a command line; leaves by SystemExit: 0 well, 2 wrong usage or input, 130 interrupted.

    Without a command, `serve` is meant, with whatever options there are.
    """
    words = list(sys.argv[1:] if arguments is None else arguments)
    is_completing = _COMPLETE in os.environ
    if not is_completing and _means_serve(words):
        words.insert(0, "serve")
    plain = parse_plain(words[1:]) if words[:1] == ["serve"] and not is_completing else None
    if plain is None:
        from mockbroker.cli.commands import commands

        commands(words, prog_name="mockbroker")
    else:
        # What a start imports and makes stays: to look for garbage in it takes a tenth of the time.
        # `serve` turns the collector on again once its ports are open.
        gc.disable()
        try:
            from mockbroker.cli.serve import serve

            code = serve(plain)
        finally:
            gc.enable()
        sys.exit(code)


def _means_serve(words: Sequence[str]) -> bool:
    return not words or (words[0].startswith("-") and words[0] not in _OF_THE_GROUP)
