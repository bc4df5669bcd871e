"""Ask real Kafka which versions of APIs it advertises, and write them into `tests/facts`.

    python -m tests.conformance.advertised 3.6.2

Needs what `make record` needs, and the release in `tools/kafka_releases.py`.
"""

import argparse
import tempfile
from contextlib import suppress
from pathlib import Path
from typing import Final

from mockbroker.protocol.api_keys import ApiKey
from mockbroker.protocol.errors import DecodeError
from mockbroker.protocol.messages.api_versions import ApiVersionsRequest, ApiVersionsResponse
from mockbroker.wire import WireClient
from tests.conformance.record import PORT, say
from tests.support.facts import advertised
from tools import real_kafka
from tools.facts import Json, written

FACTS: Final = Path(__file__).parents[1] / "facts"

VERSIONS: Final = (3, 0)
"""The versions of the request to try; a broker that has not the first answers with v0."""


def names() -> dict[int, str]:
    """Return Kafka's names of APIs by key, from the facts of other releases."""
    return {key: name for key, name, _ in advertised().values()} | {
        4: "LeaderAndIsr", 5: "StopReplica", 6: "UpdateMetadata", 7: "ControlledShutdown",
        56: "AlterPartition",
    }  # fmt: skip


def ask(port: int) -> tuple[int, ApiVersionsResponse]:
    """Ask the broker on a port, and return the request's version and the answer."""
    request = ApiVersionsRequest(client_software_name="facts", client_software_version="1")
    for version in VERSIONS:
        # The refusal of an unknown version is an answer of v0, which cannot be decoded as this one.
        with suppress(DecodeError), WireClient(f"127.0.0.1:{port}") as client:
            return version, client.ask(request, version, ApiVersionsResponse)
    raise AssertionError(f"the broker on port {port} answers none of {VERSIONS}")


def facts_of(version: int, answer: ApiVersionsResponse) -> Json:
    """Return the facts of an answer, without what is empty in it."""
    known = names()
    apis: list[Json] = [
        {
            "key": int(each.api_key),
            "name": known.get(int(each.api_key), ApiKey(each.api_key).name),
            "min": each.min_version,
            "max": each.max_version,
        }
        for each in sorted(answer.api_keys, key=lambda each: each.api_key)
    ]
    features: list[Json] = [
        {"Name": each.name, "MinVersion": each.min_version, "MaxVersion": each.max_version}
        for each in answer.supported_features
    ]
    facts: dict[str, Json] = {"request_version": version, "apis": apis}
    if features:
        facts["supported_features"] = features
    return facts


def main() -> None:
    """Write the facts of the release that the command line names."""
    parser = argparse.ArgumentParser(prog="python -m tests.conformance.advertised")
    parser.add_argument("version", help="a release of tools/kafka_releases.py, such as 3.6.2")
    parser.add_argument("--port", type=int, default=PORT)
    options = parser.parse_args()
    with (
        tempfile.TemporaryDirectory(prefix="real-kafka-") as directory,
        real_kafka.start(
            Path(directory), options.port, version=options.version, jvm=real_kafka.JVM_SMALL
        ),
    ):
        facts = facts_of(*ask(options.port))
    path = FACTS / f"apiversions-{options.version}.json"
    path.write_text(written(facts) + "\n", "utf-8")
    say(f"{path.name} is written")


if __name__ == "__main__":
    main()
