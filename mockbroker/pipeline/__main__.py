"""Deprecated alias `python -m mockbroker.pipeline` of `mockbroker`."""

from mockbroker.cli.commands import commands
from mockbroker.events.printable import write_error

write_error("python -m mockbroker.pipeline is deprecated: use the command `mockbroker`")
commands(prog_name="mockbroker")
