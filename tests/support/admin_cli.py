"""CLI commands against a served cluster, run in this process."""

import json
import re
from typing import Any, Final

from click.testing import CliRunner, Result

from mockbroker.cli.commands import commands
from mockbroker.wire import WireProducer
from tests.support.process import Served

_TIME: Final = re.compile(r"\d{4}-\d\d-\d\d[ T]\d\d:\d\d:\d\d\.\d{3}(\+00:00|Z)?")
_ADDRESS: Final = re.compile(r"127\.0\.0\.\d:\d+ *")


class AdminCli:
    """Command line for one served cluster."""

    def __init__(self, server: Served) -> None:
        self.server = server
        self.url: str = server.ready["admin_url"]
        self.bootstrap_servers: str = server.ready["bootstrap_servers"]

    def run(self, *words: str, text_in: str | None = None) -> Result:
        """Run a command without a check of its exit code."""
        environment = {"MOCKBROKER_ADMIN": self.url, "NO_COLOR": "1"}
        return CliRunner().invoke(commands, words, input=text_in, env=environment)

    def text(self, *words: str, code: int = 0) -> str:
        """Return a command's text output, with placeholders for times and addresses."""
        result = self.run(*words)
        assert result.exit_code == code, result.output
        return _ADDRESS.sub("<address>  ", _TIME.sub("<time>", result.stdout))

    def document(self, *words: str, text_in: str | None = None) -> Any:
        """Return a command's JSON output."""
        result = self.run(*words, "--json", text_in=text_in)
        assert result.exit_code == 0, result.output
        document = json.loads(result.stdout)
        assert document.pop("_v") == 1
        return document

    def refusal(self, *words: str, code: int = 2) -> str:
        """Return the error message of a refused command."""
        result = self.run(*words)
        assert result.exit_code == code, result.output
        assert not result.stdout
        return result.stderr.strip().removeprefix("mockbroker: ")

    def producer(self, transactional_id: str = "orders-svc") -> WireProducer:
        """Create a producer with a producer id."""
        producer = WireProducer(self.bootstrap_servers, transactional_id)
        producer.init_producer_id()
        return producer
