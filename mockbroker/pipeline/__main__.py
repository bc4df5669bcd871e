"""`python -m mockbroker.pipeline`, and what `spark-submit` runs: the commands of the pipeline."""

from mockbroker.cli.pipeline.commands import commands

commands(prog_name="python -m mockbroker.pipeline")
