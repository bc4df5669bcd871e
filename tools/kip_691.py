"""Write docs/reference/kip-691.md: the observed reactions of clients to each error of the KIP.

    python -m tools.kip_691

The page has what `python -m tests.clients.kip_691.record` measured, and a test measures it again.
"""

from collections.abc import Iterable, Iterator
from itertools import groupby
from pathlib import Path
from typing import Final

from mockbroker.protocol.api_keys import ApiKey
from tests.clients.kip_691.kip import LISTED, NOT_BY_A_BROKER
from tests.clients.kip_691.only_by_fault import ONLY_BY_FAULT
from tests.clients.kip_691.recording import RECORDED, RECORDED_ON_KAFKA, Recording, read
from tests.clients.kip_691.row import Row
from tests.clients.kip_691.rows import ROWS
from tests.clients.kip_691.template import Outcome, Verdict
from tests.clients.transactors.clients import TITLES_OF_KIP_691 as TITLES
from tools.paragraph import paragraph

ROOT: Final = Path(__file__).parents[1]
PAGE: Final = ROOT / "docs" / "reference" / "kip-691.md"


def with_measurements(text: str) -> str:
    """Return the text of the page with new generated parts.

    Raises: ValueError if the text has no place for it.
    """
    recording = read(RECORDED)
    text = _with(text, "counts", _counts(recording))
    text = _with(text, "on-kafka", _on_kafka(read(RECORDED_ON_KAFKA)))
    text = _with(text, "not-by-a-broker", _not_by_a_broker())
    text = _with(text, "only-by-a-fault", _only_by_a_fault())
    return _with(text, "tables", _tables(recording))


def _with(text: str, name: str, lines: Iterable[str]) -> str:
    begin = f"<!-- {name}: made by `make docs` (tools/kip_691.py) -->\n"
    end = f"<!-- end of {name} -->"
    before, rest = text.split(begin)
    _, after = rest.split(end)
    return before + begin + "\n" + "\n".join(lines).strip() + "\n\n" + end + after


def _tables(recording: Recording) -> Iterator[str]:
    rows = sorted(ROWS, key=lambda row: _PHASES.index(row.api))
    for api, of_api in groupby(rows, key=lambda row: row.api):
        yield f"### {api.title}\n"
        yield f"| error | cause | {' | '.join(TITLES)} | KIP-691 |"
        yield "| --- " * (len(TITLES) + 3) + "|"
        for row in of_api:
            cells = (_cell(row, recording[row.name][title]) for title in TITLES)
            yield f"| {_error(row)} | {_reached(row)} | {' | '.join(cells)} | {_wanted(row)} |"
        yield ""


_PHASES: Final = (
    ApiKey.SASL_HANDSHAKE,
    ApiKey.FIND_COORDINATOR,
    ApiKey.INIT_PRODUCER_ID,
    ApiKey.METADATA,
    ApiKey.ADD_PARTITIONS_TO_TXN,
    ApiKey.PRODUCE,
    ApiKey.ADD_OFFSETS_TO_TXN,
    ApiKey.TXN_OFFSET_COMMIT,
    ApiKey.END_TXN,
)
"""The calls in the order of a transaction."""


def _error(row: Row) -> str:
    listed = LISTED.get(row.error)
    exception = "" if listed is None else f"{listed.exception}<br>"
    return f"{exception}`{row.error.name}` ({row.error.value})"


def _reached(row: Row) -> str:
    if row.is_fault:
        return f"`{row.line}`"
    when = f"{row.moment.value}; brokers of {row.kafka}"
    if row.line.startswith('"""'):
        told = row.line.strip('"')
        return f"{told}<br>{when}"
    code = "<br>".join(f"`{line.strip()}`" for line in row.line.splitlines())
    return f"{code}<br>{when}"


def _cell(row: Row, outcome: Outcome) -> str:
    mark = "" if _agrees(row, outcome.verdict) else "**≠** "
    ends = "" if outcome.is_exactly_once else "<br>**not exactly once**"
    return f"{mark}{outcome.verdict.value}{_named(outcome)}{_answered(row, outcome)}{ends}"


def _answered(row: Row, outcome: Outcome) -> str:
    """Return the error that the client received, if it differs."""
    if row.error.name in outcome.answered:
        return ""
    return "".join(f"<br>(answered {error})" for error in outcome.answered)


def _named(outcome: Outcome) -> str:
    """Return the first error that a call raised or a callback got, if any."""
    calls = [each for each in outcome.raised if not each.startswith("callback: ")]
    names = [each.partition(": ")[2] for each in (*calls, *outcome.raised)]
    telling = [name for name in names if name not in _SAYS_NOTHING]
    return "".join(f"<br>`{name}`" for name in (telling or names)[:1])


_SAYS_NOTHING: Final = {"_STATE", "_FATAL", "_PURGE_QUEUE"}
"""Consequences in librdkafka's terms."""


def _wanted(row: Row) -> str:
    listed = LISTED.get(row.error)
    if listed is None:
        return "–"
    return "fatal" if listed.is_fatal else "non-fatal"


def _agrees(row: Row, verdict: Verdict) -> bool:
    listed = LISTED.get(row.error)
    if verdict is Verdict.UNNOTICED:
        return False
    if listed is None or verdict in {Verdict.UNASKED, Verdict.REFUSED}:
        return True
    return listed.is_fatal == (verdict is Verdict.FATAL)


def _not_by_a_broker() -> Iterator[str]:
    for exception, why in NOT_BY_A_BROKER.items():
        yield paragraph(f"- **{exception}**: {why}")


def _only_by_a_fault() -> Iterator[str]:
    reasons: dict[str, list[str]] = {}
    for (api, error), why in ONLY_BY_FAULT.items():
        reasons.setdefault(why, []).append(f"`{error.name}` of {api.title}")
    for why, errors in reasons.items():
        yield paragraph(f"- {', '.join(errors)}: {why}")


_CAUSES: Final = {
    "_another_producer": "another producer with the same transactional id",
    "_it_is_aborted_in_its_name": "a second client with its producer id aborts the transaction",
    "_records_are_written_in_its_name": "a second client with its producer id writes records",
    "_keys_are_needed": "the topic is compacted, and the records have no keys",
    "_segments_are_small": "a batch is larger than a segment",
    "_messages_are_small": "a batch is larger than the topic allows",
    "_the_format_is_old": "the topic has an old message format",
    "_the_id_may_not_be_described": "the transactional id may not be described",
    "_the_id_may_not_be_used": "the right to the transactional id was taken",
    "_the_source_may_not_be_read": "the right to read the source was taken",
    "_the_group_may_not_be_read": "the right to the group was taken",
    "_the_name_is_none": "the topic name is invalid",
    "_the_topic_is_internal": "the topic is internal",
    "_two_replicas_are_to_acknowledge": "the producer wants two acknowledgements",
    "_the_listener_is_another": "the client uses SASL on a PLAINTEXT listener",
}
"""Causes of the errors on real Kafka, by the function that provokes them."""


def _on_kafka(recording: Recording) -> Iterator[str]:
    for row in ROWS:
        if row.name in recording:
            cause = _CAUSES[row.reach.__name__]
            yield paragraph(f"- `{row.error.name}` of {row.api.title} on {row.kafka}: {cause}")


def _counts(recording: Recording) -> Iterator[str]:
    yield "| | " + " | ".join(TITLES) + " |"
    yield "| --- " * (len(TITLES) + 1) + "|"
    for verdict in Verdict:
        outcomes = ([cells[title].verdict for cells in recording.values()] for title in TITLES)
        yield f"| {verdict.value} | " + " | ".join(str(o.count(verdict)) for o in outcomes) + " |"
    listed = [row for row in ROWS if row.error in LISTED]
    differ = (
        sum(not _agrees(row, recording[row.name][title].verdict) for row in listed)
        for title in TITLES
    )
    yield f"| other than the KIP wants (of {len(listed)}) | {' | '.join(map(str, differ))} |"


def main() -> None:
    """Write the page."""
    PAGE.write_text(with_measurements(PAGE.read_text("utf-8")), encoding="utf-8")


if __name__ == "__main__":
    main()
