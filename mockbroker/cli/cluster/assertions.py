"""The command `mockbroker assert`: the assertions of tests, for scripts and other languages."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import click

from mockbroker.cli.assertion_words import Claim, ClaimText, claims_table
from mockbroker.cli.cluster.admin_client import AdminClient, path_to
from mockbroker.cli.cluster.asking import asking
from mockbroker.cli.command_answer import EXIT_FAILED, Answer


@click.command(
    "assert",
    short_help="Check what a cluster holds: exactly-once, no-loss, ...",
    help=(
        "Check what a cluster holds. The exit code is 1 where a claim does not, and then the "
        "partitions that it is about are drawn.\n\n"
        "\b\n    mockbroker assert exactly-once:topic=orders all-faults-fired\n\n"
        "The claims, and their arguments:\n\n\b\n" + claims_table()
    ),
)
@click.argument("claims", metavar="CLAIM...", type=ClaimText(), nargs=-1, required=True)
@asking
def assertions(client: AdminClient, *, claims: Sequence[Claim]) -> Answer:
    """Check claims."""
    said = [{"name": each.row.name, "arguments": dict(each.arguments)} for each in claims]
    found = client.post(path_to("assertions"), {"assertions": said})
    return Answer(found, _lines(found, claims), exit_code=0 if found["ok"] else EXIT_FAILED)


def _lines(found: Mapping[str, Any], claims: Sequence[Claim]) -> Iterator[str]:
    failed = {each["name"] for each in found["failures"]}
    for claim in claims:
        if claim.row.name not in failed:
            yield f"{claim.text}: holds"
    for each in found["failures"]:
        yield each["text"]
