"""`python -m mockbroker.spark`: see `commands`."""

from mockbroker.spark.commands import commands

commands(prog_name="python -m mockbroker.spark")
