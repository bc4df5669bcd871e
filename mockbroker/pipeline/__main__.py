"""Alias `python -m mockbroker.pipeline` of `mockbroker`, also for spark-submit."""

from mockbroker.cli.commands import commands

commands(prog_name="mockbroker")
