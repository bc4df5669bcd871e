"""The classes behind Kafka's scripts, unmodified, run one after the other in one JVM."""

import base64
import selectors
import subprocess
from collections.abc import Generator
from contextlib import contextmanager
from typing import Final, NamedTuple

from tests.clients.support.java import java_command, programs

_COMMAND_TIMEOUT_S: Final = 60.0
_END_TIMEOUT_S: Final = 10.0

_PACKAGE: Final = "org.apache.kafka.tools"
_CLASSES: Final = {
    "kafka-acls": f"{_PACKAGE}.AclCommand",
    "kafka-broker-api-versions": f"{_PACKAGE}.BrokerApiVersionsCommand",
    "kafka-configs": f"{_PACKAGE}.ConfigCommand",
    "kafka-console-producer": f"{_PACKAGE}.ConsoleProducer",
    "kafka-console-consumer": f"{_PACKAGE}.consumer.ConsoleConsumer",
    "kafka-consumer-groups": f"{_PACKAGE}.consumer.group.ConsumerGroupCommand",
    "kafka-delete-records": f"{_PACKAGE}.DeleteRecordsCommand",
    "kafka-features": f"{_PACKAGE}.FeatureCommand",
    "kafka-get-offsets": f"{_PACKAGE}.GetOffsetShell",
    "kafka-groups": f"{_PACKAGE}.GroupsCommand",
    "kafka-leader-election": f"{_PACKAGE}.LeaderElectionCommand",
    "kafka-log-dirs": f"{_PACKAGE}.LogDirsCommand",
    "kafka-metadata-quorum": f"{_PACKAGE}.MetadataQuorumCommand",
    "kafka-producer-perf-test": f"{_PACKAGE}.ProducerPerformance",
    "kafka-reassign-partitions": f"{_PACKAGE}.reassign.ReassignPartitionsCommand",
    "kafka-share-groups": f"{_PACKAGE}.consumer.group.ShareGroupCommand",
    "kafka-streams-groups": f"{_PACKAGE}.streams.StreamsGroupCommand",
    "kafka-topics": f"{_PACKAGE}.TopicCommand",
    "kafka-transactions": f"{_PACKAGE}.TransactionsCommand",
    "kafka-verifiable-consumer": f"{_PACKAGE}.VerifiableConsumer",
}


class Ended(NamedTuple):
    """What came of a command."""

    status: int
    output: str
    errors: str


class Tools:
    """Runs the scripts by their names."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self._process = process

    def output_of(self, script: str, *arguments: str, stdin: str = "") -> str:
        """Return what the command prints.

        Raises: AssertionError when it fails.
        """
        ended = self.run(script, *arguments, stdin=stdin)
        assert ended.status == 0, (script, arguments, ended)
        return ended.output

    def run(self, script: str, *arguments: str, stdin: str = "") -> Ended:
        """Run the command and return what came of it."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        given = base64.b64encode(stdin.encode()).decode()
        self._process.stdin.write("\t".join([_CLASSES[script], given, *arguments]) + "\n")
        self._process.stdin.flush()
        with selectors.DefaultSelector() as selector:
            selector.register(self._process.stdout, selectors.EVENT_READ)
            ready = selector.select(_COMMAND_TIMEOUT_S)
        line = self._process.stdout.readline() if ready else ""
        assert line, f"no answer from {script} {arguments} in {_COMMAND_TIMEOUT_S} s"
        status, output, errors = line.removesuffix("\n").split("\t")
        return Ended(int(status), _decoded(output), _decoded(errors))


@contextmanager
def running_tools() -> Generator[Tools]:
    """Start a JVM for the commands; it ends when its stdin does."""
    command = java_command(programs("tools-4.4.0"), "Commands")
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, encoding="utf-8"
    ) as process:
        try:
            yield Tools(process)
            assert process.stdin is not None
            process.stdin.close()
            assert process.wait(_END_TIMEOUT_S) == 0
        finally:
            process.kill()


def rows(printed: str) -> list[list[str]]:
    """Return the words of each line that is not empty, without those of the heading."""
    return [line.split() for line in printed.splitlines() if line][1:]


def _decoded(text: str) -> str:
    return base64.b64decode(text).decode()
