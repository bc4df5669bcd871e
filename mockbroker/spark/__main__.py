"""Alias `python -m mockbroker.spark` of `mockbroker spark`."""

import sys

from mockbroker.cli.commands import commands

commands(["spark", *sys.argv[1:]], prog_name="mockbroker")
