"""Write docs/conformance.md: served APIs, differences from real Kafka, and refused requests.

    python -m tools.conformance

Everything on that page comes from the code and from the recordings, so that it cannot be out of
date: the routes, the versions that each release advertises, the golden files, and the list of
explained differences in tests/conformance.
"""

from collections.abc import Iterator
from itertools import chain
from pathlib import Path
from typing import Final

from mockbroker.broker.api_table import routes
from mockbroker.broker.slices.steps import ELEMENTS_MAX, RESPONSE_BYTES_MAX
from mockbroker.protocol.api_keys import ApiKey
from mockbroker.protocol.records.validation.batch_rules import (
    COMPRESSED_RECORDS_MAX,
    HEADERS_MAX,
    UNPACKED_BYTES_MAX,
    UNPACKED_RATIO,
)
from mockbroker.state.group.streams.streams_heartbeat import SUBTOPOLOGIES_MAX
from mockbroker.state.release.options import SUPPORTED_RELEASES, Options
from mockbroker.state.release.proposals import PROPOSALS, Proposal
from tests.conformance.differences import EXPLAINED, REFUSED
from tests.conformance.explained import Explained
from tests.conformance.recordings import read
from tests.conformance.releases import RELEASES
from tests.conformance.script import scenarios
from tools.paragraph import paragraph

_NAMES: Final = tuple(each.name for each in reversed(RELEASES))
PAGE: Final = Path(__file__).parents[1] / "docs" / "conformance.md"

_INTRODUCTION: Final = """\
<!-- Made by `make docs` (tools/conformance.py). Do not edit: a test compares it with the code. -->

# Conformance

**You want it when** you ask whether an API is served, or whether an answer is that of real Kafka.
**It needs** nothing to read; `make record` needs a clone, Java, and Maven once.

Scripts of requests were sent to real Kafka, and every field of every response was recorded. The
tests replay the scripts on mockbroker and compare each field. Values that differ from run to run
(ids, ports, times near the present) are replaced by a name. `make record` sends the scripts to
real Kafka again. The scripts and the recordings are in
[tests/conformance](../tests/conformance/README.md).

The scripts whose names begin with `walk` are random: their requests come from a seeded random
choice, in any order and version. `python -m tests.conformance.explore` makes more of them, sends
them to real Kafka and to mockbroker, and prints the differences.
"""


def page() -> str:
    """Return the whole page."""
    parts = (
        _recordings(),
        _served(),
        _differences(),
        _limits(),
        _proposals(),
        _refused(),
    )
    return "\n".join([_INTRODUCTION, *chain.from_iterable(parts)])


def _limits() -> Iterator[str]:
    yield "## Limits that Kafka does not have\n"
    yield paragraph(
        "They bound the work and the memory of one request, and are far above what clients send. "
        "Kafka has only `socket.request.max.bytes`, `max.message.bytes` and "
        "`max.decompressed.message.bytes`."
    )
    yield "\n| limit | value | beyond it |"
    yield "| --- | ---: | --- |"
    refused = "POLICY_VIOLATION, or a closed connection if the response has no error of its own"
    too_large = "MESSAGE_TOO_LARGE, on which producers split a batch"
    yield f"| array elements and tagged fields of a request | {ELEMENTS_MAX:,} | {refused} |"
    yield (
        f"| response to a request of more than one slice, without records | "
        f"{RESPONSE_BYTES_MAX >> 20} MiB | POLICY_VIOLATION for each item |"
    )
    yield (
        f"| decompressed size of a batch | {UNPACKED_BYTES_MAX >> 20} MiB, or {UNPACKED_RATIO} "
        f"times its compressed size | {too_large} |"
    )
    yield f"| records of a compressed batch | {COMPRESSED_RECORDS_MAX:,} | {too_large} |"
    yield f"| headers of a record | {HEADERS_MAX:,} | INVALID_RECORD |"
    yield f"| subtopologies of a streams group | {SUBTOPOLOGIES_MAX:,} | STREAMS_INVALID_TOPOLOGY |"
    yield ""


def _recordings() -> Iterator[str]:
    yield "| Kafka | scripts | recorded responses |"
    yield "| --- | ---: | ---: |"
    for release in RELEASES:
        asked = [each for each in scenarios().values() if each.applies_to(release)]
        steps = sum(len(read(each, release)) for each in asked)
        yield f"| {release.label} | {len(asked)} | {steps:,} |"
    yield ""


def _served() -> Iterator[str]:
    yield "## Served APIs"
    yield ""
    yield "`kafka=` or `--kafka` chooses the release. In brackets are versions that this release of"
    yield "Kafka advertises, and that mockbroker neither serves nor advertises."
    yield ""
    yield "| API | key | " + " | ".join(SUPPORTED_RELEASES) + " |"
    yield "| --- | ---: |" + " --- |" * len(SUPPORTED_RELEASES)
    for api_key in ApiKey:
        cells = [_cell(api_key, release) for release in SUPPORTED_RELEASES]
        if any(cells):
            title = f"**{api_key.title}**" if api_key in routes() else api_key.title
            yield f"| {title} | {int(api_key)} | " + " | ".join(cells) + " |"
    yield ""


def _cell(api_key: ApiKey, release: str) -> str:
    advertised = Options.for_release(release).api_versions.get(api_key)
    if advertised is None:
        return ""
    route = routes().get(api_key)
    if route is None:
        return f"({_span(advertised)})"
    served = [version for version in advertised if version in route.versions]
    shown = _span(range(served[0], served[-1] + 1))
    return shown if len(served) == len(advertised) else f"{shown} ({_span(advertised)})"


def _span(versions: range) -> str:
    return f"{versions[0]}–{versions[-1]}" if len(versions) > 1 else str(versions[0])


def _differences() -> Iterator[str]:
    yield "## Known differences"
    yield ""
    yield "The list is complete for all recordings: a difference that is not in it fails the tests,"
    yield "and so does an entry whose difference no longer occurs."
    yield ""
    for explained in EXPLAINED:
        yield f"### {explained.what}"
        yield ""
        yield paragraph(f"- Kafka: {explained.kafka}")
        yield paragraph(f"- mockbroker: {explained.ours}")
        yield paragraph(f"- {explained.reason}")
        yield paragraph(f"- Seen in: {', '.join(_places(explained))}")
        yield ""


def _places(explained: Explained) -> Iterator[str]:
    by_scenario: dict[str, set[str]] = {}
    for place in explained.places:
        everywhere = scenarios()[place.scenario].presets
        by_scenario.setdefault(place.scenario, set()).update(place.presets or everywhere)
    for scenario, presets in by_scenario.items():
        yield f"`{scenario}` ({', '.join(name for name in _NAMES if name in presets)})"


def _proposals() -> Iterator[str]:
    yield "## Proposals that Kafka never shipped"
    yield ""
    yield "Each proposal is off until `proposals=` or `--proposal` names it"
    yield "([how to](how-to/turn-on-a-proposal.md))."
    yield ""
    yield "| proposal | from | effect | refused, because it would change nothing |"
    yield "| --- | --- | --- | --- |"
    for proposal in PROPOSALS:
        refusals = _refusals(proposal)
        yield f"| `{proposal.name}` | {proposal.kip} | {proposal.does} | {refusals} |"
    yield ""


def _refusals(proposal: Proposal) -> str:
    """Return the releases that refuse a proposal, by reason."""
    by_reason: dict[str, list[str]] = {}
    for release in SUPPORTED_RELEASES:
        why = proposal.obstacle(Options.for_release(release))
        if why is not None:
            reason = why.replace(f"Kafka {release}", "the release")
            by_reason.setdefault(reason, []).append(release)
    return "; ".join(f"{', '.join(each)}: {why}" for why, each in by_reason.items()) or "–"


def _refused() -> Iterator[str]:
    yield "## Refused requests"
    yield ""
    yield "| request | response | reason |"
    yield "| --- | --- | --- |"
    for refused in REFUSED:
        yield f"| {refused.what} | {refused.answer} | {refused.reason} |"
    yield ""


def main() -> None:
    """Write the page."""
    PAGE.write_text(page(), encoding="utf-8")


if __name__ == "__main__":
    main()
