"""File `report.html`: one self-contained page, with the verdict at its top."""

from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from html import escape
from pathlib import Path
from typing import Final

from mockbroker.audit.finding import Finding, Severity
from mockbroker.audit.rules.rule_table import RULES
from mockbroker.audit.verdict import RuleVerdict
from mockbroker.journal.entry import Entry
from mockbroker.journal.files.lines import journal_lines
from mockbroker.report.audited import (
    Audited,
    ExitCode,
    Placed,
    SourceVerdict,
)
from mockbroker.report.html_page import html_page, picture
from mockbroker.report.summary import headline, identity_text
from mockbroker.timeline.finding_timeline import finding_timeline

NAME: Final = "report.html"
FINDINGS_NAME: Final = "findings.parquet"
"""File beside the page with a row for each finding."""
LISTED_MAX: Final = 500
"""Maximum number of listed findings."""

_MS: Final = 1000

Rows = Mapping[int, Sequence[Entry]]
"""The rows around findings, by the number of the finding."""


def write_report(folder: Path, audited: Audited, rows: Rows) -> Path:
    """Write the page, and return the file.

    Raises:
        OSError: it cannot be written.

    """
    path = folder / NAME
    path.write_text(report_page(audited, rows, more_in=FINDINGS_NAME), encoding="utf-8")
    return path


def report_page(audited: Audited, rows: Rows, *, more_in: str = "") -> str:
    """Return the page as HTML; `more_in` names what has the findings that are not listed."""
    body = [
        *_top(audited),
        *_broken(audited),
        *_findings(audited, rows, more_in),
        *(line for each in audited.sources for line in _source(each)),
    ]
    return html_page(headline(audited), body, made_by="mockbroker audit")


def _top(audited: Audited) -> Iterator[str]:
    looks = {ExitCode.CLEAN: "clean", ExitCode.FINDINGS: "findings"}
    look = looks.get(audited.exit_code(), "broken")
    if look == "clean" and not audited.is_clean:
        look = "mild"
    sources = ", ".join(f"<code>{escape(each.source)}</code>" for each in audited.sources)
    yield f'<div class="banner {look}"><h1>{escape(headline(audited))}</h1>'
    yield f'<p class="soft">{sources or "Nothing could be judged."}{_times(audited)}</p></div>'
    counts = [each.verdict.counts for each in audited.sources]
    tiles = {
        "events": sum(each.events for each in counts),
        "batches and markers": sum(each.appends for each in counts),
        "partitions": sum(each.partitions for each in counts),
        "producers": sum(each.producers for each in counts),
        "transactional ids": sum(each.transactional_ids for each in counts),
    }
    boxes = (f'<div class="tile"><b>{count:,}</b>{name}</div>' for name, count in tiles.items())
    yield f'<div class="tiles">{"".join(boxes)}</div>'
    if audited.ledger is not None:
        yield f"<p>Joined with the ledger <code>{escape(audited.ledger)}</code>.</p>"
    if audited.expected:
        names = ", ".join(f"<code>{escape(each)}</code>" for each in audited.expected)
        yield f"<p>The load's plan says that it breaks {names}.</p>"


def _times(audited: Audited) -> str:
    firsts = [each.verdict.counts.first_time_ms for each in audited.sources]
    lasts = [each.verdict.counts.last_time_ms for each in audited.sources]
    first = min((each for each in firsts if each is not None), default=None)
    last = max((each for each in lasts if each is not None), default=None)
    if first is None or last is None:
        return ""
    return f" · {_time(first)} to {_time(last)} UTC, by the cluster's clock"


def _broken(audited: Audited) -> Iterator[str]:
    if not audited.bad:
        return
    yield "<h2>What could not be judged</h2>"
    for bad in audited.bad:
        yield (
            f'<div class="card"><h3><code>{escape(bad.where)}</code></h3>'
            f'<p>{escape(bad.what)}</p><p class="soft">{escape(bad.advice)}</p></div>'
        )


def _findings(audited: Audited, rows: Rows, more_in: str) -> Iterator[str]:
    findings = audited.findings()
    if not findings:
        return
    yield "<h2>Findings</h2>"
    for placed in findings:
        if placed.number in rows:
            yield _drawn(placed, rows[placed.number])
    others = [placed for placed in findings if placed.number not in rows]
    if others:
        yield _listed(others, more_in)


def _drawn(placed: Placed, entries: Sequence[Entry]) -> str:
    finding = placed.finding
    label = f"The timeline around finding {placed.number}"
    drawing = picture(finding_timeline(finding, entries), label) if entries else ""
    proof = set(finding.evidence)
    lines = [
        f"<b>{escape(line)}</b>" if entry.seq in proof else escape(line)
        for entry, line in zip(entries, journal_lines(entries), strict=True)
    ]
    proven = [line for line in lines if line.startswith("<b>")]
    around = (
        f"<details><summary>{len(lines)} rows around it</summary>"
        f'<div class="rows">{chr(10).join(lines)}</div></details>'
    )
    return (
        f'<div class="card" id="finding-{placed.number}"><h3>{_badge(finding.severity)}'
        f"{placed.number}. {escape(finding.rule)}</h3><p>{escape(finding.text)}</p>"
        f"{_following(finding)}"
        f'<p class="soft">{escape(finding.advice)}</p>{_facts(placed)}'
        f'{drawing}<div class="rows">{chr(10).join(proven)}</div>{around if entries else ""}</div>'
    )


def _following(finding: Finding) -> str:
    items = "".join(f"<li>{escape(each)}</li>" for each in finding.consequences)
    return f"<ul>{items}</ul>" if items else ""


def _facts(placed: Placed) -> str:
    finding = placed.finding
    facts = {
        "source": placed.source,
        "partition": finding.place,
        "producer": _producer(finding),
        "transactional id": finding.transactional_id or "",
        "offsets": _offsets(finding),
        "time": "" if finding.virtual_time_ms is None else _time(finding.virtual_time_ms),
    }
    said = " · ".join(f"{name} <code>{escape(fact)}</code>" for name, fact in facts.items() if fact)
    return f'<p class="soft">{said}</p>'


def _producer(finding: Finding) -> str:
    if finding.producer_id is None:
        return ""
    of = "" if finding.producer_epoch is None else f" epoch {finding.producer_epoch}"
    return f"{finding.producer_id}{of}"


def _offsets(finding: Finding) -> str:
    if finding.first_offset is None:
        return ""
    last = finding.first_offset if finding.last_offset is None else finding.last_offset
    return str(last) if last == finding.first_offset else f"{finding.first_offset}–{last}"


def _listed(others: Sequence[Placed], more_in: str) -> str:
    rows = "".join(
        f'<tr><td class="number">{each.number}</td><td>{_badge(each.finding.severity)}</td>'
        f"<td>{escape(each.finding.rule)}</td><td>{escape(each.finding.place)}</td>"
        f"<td>{escape(each.finding.text)}{_following(each.finding)}</td></tr>"
        for each in others[:LISTED_MAX]
    )
    left = len(others) - LISTED_MAX
    where = f"in {more_in}" if more_in else "not listed"
    more = f'<p class="soft">{left:,} more are {where}.</p>' if left > 0 else ""
    return (
        '<div class="card"><h3>More findings, without a picture</h3><div class="scroll"><table>'
        f"<tr><th>#</th><th></th><th>rule</th><th>where</th><th></th></tr>{rows}</table></div>"
        f"{more}</div>"
    )


def _source(each: SourceVerdict) -> Iterator[str]:
    yield f"<h2>What was judged in <code>{escape(each.source)}</code></h2>"
    rows = "".join(
        f"<tr><td><code>{ruled.rule}</code></td><td>{escape(RULES[ruled.rule].sentence)}</td>"
        f"<td>{_outcome(ruled)}</td></tr>"
        for ruled in each.verdict.rules
    )
    yield (
        '<div class="card scroll"><table><tr><th>rule</th><th>finds</th><th>judged</th></tr>'
        f"{rows}</table></div>"
    )
    for title, sentences in (
        ("Notes", (f"{identity_text(each.verdict.identity)}.", *each.notes)),
        ("Unknown in the evidence", each.verdict.unknown),
    ):
        if sentences:
            items = "".join(f"<li>{escape(sentence)}</li>" for sentence in sentences[:LISTED_MAX])
            yield f'<div class="card"><h3>{title}</h3><ul>{items}</ul></div>'


def _outcome(ruled: RuleVerdict) -> str:
    if not ruled.is_judged:
        return f'<span class="no">not judged: {escape(ruled.reason)}</span>'
    parts = [f"{ruled.findings:,} found"] if ruled.findings else []
    if ruled.consequences:
        parts.append(f"{ruled.consequences:,} as a consequence")
    if parts:
        return f'<span class="found">{", ".join(parts)}</span>'
    return "judged, none found"


def _badge(severity: Severity) -> str:
    return f'<span class="badge {severity.value}">{severity.value}</span>'


def _time(virtual_time_ms: int) -> str:
    at = datetime.fromtimestamp(virtual_time_ms / _MS, UTC)
    return at.strftime("%Y-%m-%d %H:%M:%S.%f")[:-3]
