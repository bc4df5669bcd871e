"""The word count of Kafka Streams as a process that runs, is closed, or is killed."""

import subprocess
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from tests.clients.support.java import java_command, programs

_END_TIMEOUT_S: Final = 30.0
_CONFIGS: Final[Mapping[str, str]] = {
    "commit.interval.ms": "100",
    "auto.offset.reset": "earliest",
    "heartbeat.interval.ms": "100",
    "poll.ms": "50",
    # each word goes through the changelog to the output, not only the last of a commit's
    "statestore.cache.max.bytes": "0",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class WordCount:
    """The application and its topics; each run has a folder for its state."""

    bootstrap_servers: str
    application_id: str
    input: str
    output: str

    @property
    def changelog(self) -> str:
        """The topic that the store of counts is restored from."""
        return f"{self.application_id}-counts-changelog"

    @contextmanager
    def running(
        self, state_folder: Path, configs: Mapping[str, str], *, still_after: int = 0
    ) -> Generator[subprocess.Popen[bytes]]:
        """Run it; when it was not killed meanwhile, it is closed and must end cleanly.

        After `still_after` counts, unless that is 0, it stands still with its transaction open.
        """
        all_configs = {**_CONFIGS, "state.dir": str(state_folder), **configs}
        if configs.get("group.protocol") == "streams":
            del all_configs["heartbeat.interval.ms"]  # the broker chooses it
        command = java_command(
            programs("streams-4.4.0"),
            "WordCount",
            *(self.bootstrap_servers, self.application_id, self.input, self.output),
            str(still_after),
            *(f"{name}={value}" for name, value in all_configs.items()),
        )
        log = state_folder.with_suffix(".log")
        with (
            log.open("ab") as output,
            subprocess.Popen(
                command, stdin=subprocess.PIPE, stdout=output, stderr=output
            ) as process,
        ):
            try:
                yield process
                if process.poll() is None:
                    process.communicate(timeout=_END_TIMEOUT_S)
                    assert process.returncode == 0, log.read_text()[-4000:]
            finally:
                process.kill()
