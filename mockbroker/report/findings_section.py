"""Section of a report with its findings: an overview, filters, cards with pictures, and a list."""

from collections.abc import Iterator, Mapping, Sequence
from html import escape
from typing import Final

from mockbroker.audit.finding import Finding, Severity
from mockbroker.journal.entry import Entry
from mockbroker.journal.files.lines import journal_lines, time_text
from mockbroker.report.audited import Audited, Placed, SourceVerdict
from mockbroker.report.html_page import picture
from mockbroker.timeline.finding_timeline import finding_timeline
from mockbroker.timeline.findings_overview import NumberedFinding, findings_overview
from mockbroker.timeline.overview_svg import overview_svg

LISTED_MAX: Final = 5_000
"""Maximum number of listed findings without a picture."""
FILTERED_FROM: Final = 10
"""Number of findings from which on the page has filters."""

_DAY_MS: Final = 86_400_000

Rows = Mapping[int, Sequence[Entry]]
"""The rows around findings, by the number of the finding."""


def findings_section(audited: Audited, rows: Rows, more_in: str) -> Iterator[str]:
    """Yield the lines of the section; `more_in` names what has the findings that are not listed."""
    findings = audited.findings()
    if not findings:
        return
    drawn = [placed for placed in findings if placed.number in rows]
    others = [placed for placed in findings if placed.number not in rows]
    listed = others[:LISTED_MAX]
    yield "<h2>Findings</h2>"
    if len(findings) > 1:
        yield from _overviews(audited, [*drawn, *listed], rows)
    if len(findings) >= FILTERED_FROM:
        yield (
            '<form class="filters" hidden><output aria-live="polite"></output>'
            '<button type="reset">show all</button></form>'
            '<p class="none soft" hidden>No finding is of this kind.</p>'
        )
    has_sources = len(audited.sources) > 1
    long = {each.source for each in audited.sources if _has_days(each)}
    for placed in drawn:
        entries = rows[placed.number]
        lines = journal_lines(entries, has_dates=placed.source in long)
        yield _drawn(placed, entries, lines, has_sources=has_sources)
    if listed:
        yield '<h3 class="more">More findings, without a picture</h3>'
        yield from (_listed(placed, has_sources=has_sources) for placed in listed)
    left = len(others) - len(listed)
    if left:
        where = f"in {more_in}" if more_in else "not listed"
        yield f'<p class="soft">{left:,} more are {where}.</p>'


def _overviews(audited: Audited, findings: Sequence[Placed], rows: Rows) -> Iterator[str]:
    for each in audited.sources:
        numbered = [
            NumberedFinding(placed.number, placed.finding, bool(rows.get(placed.number)))
            for placed in findings
            if placed.source == each.source
        ]
        if numbered:
            yield _overview(each, numbered, has_title=len(audited.sources) > 1)


def _overview(
    source: SourceVerdict, findings: Sequence[NumberedFinding], *, has_title: bool
) -> str:
    label = "The findings by partition and time; each mark leads to its first finding"
    title = f"<h3><code>{escape(source.source)}</code></h3>" if has_title else ""
    drawing = overview_svg(findings_overview(findings), label)
    return f'<div class="card overview">{title}<div class="scroll">{drawing}</div></div>'


def _has_days(source: SourceVerdict) -> bool:
    """Return whether the evidence is of several days."""
    first, last = source.verdict.counts.first_time_ms, source.verdict.counts.last_time_ms
    return first is not None and last is not None and first // _DAY_MS != last // _DAY_MS


def _drawn(
    placed: Placed, entries: Sequence[Entry], lines: Sequence[str], *, has_sources: bool
) -> str:
    finding = placed.finding
    label = f"The timeline around finding {placed.number}"
    drawing = picture(finding_timeline(finding, entries), label) if entries else ""
    proof = set(finding.evidence)
    shown = [
        f"<b>{escape(line)}</b>" if entry.seq in proof else escape(line)
        for entry, line in zip(entries, lines, strict=True)
    ]
    proven = [line for line in shown if line.startswith("<b>")]
    around = (
        f"<details><summary>{len(shown)} rows around it</summary>"
        f'<div class="rows">{chr(10).join(shown)}</div></details>'
    )
    return (
        f'<div class="card finding" id="finding-{placed.number}"><h3>{_name(placed)}</h3>'
        f"<p>{escape(finding.text)}</p>{_following(finding)}"
        f'<p class="soft">{escape(finding.advice)}</p>{_facts(placed, has_sources=has_sources)}'
        f'{drawing}<div class="rows">{chr(10).join(proven)}</div>{around if entries else ""}</div>'
    )


def _listed(placed: Placed, *, has_sources: bool) -> str:
    finding = placed.finding
    return (
        f'<div class="item finding" id="finding-{placed.number}"><b>{_name(placed)}</b>'
        f" {escape(finding.text)}{_following(finding)}{_facts(placed, has_sources=has_sources)}"
        "</div>"
    )


def _name(placed: Placed) -> str:
    severity = placed.finding.severity
    rule = escape(placed.finding.rule)
    return f'{_badge(severity)}{placed.number}. <span class="rule">{rule}</span>'


def _badge(severity: Severity) -> str:
    return f'<span class="badge {severity.value}">{severity.value}</span>'


def _following(finding: Finding) -> str:
    items = "".join(f"<li>{escape(each)}</li>" for each in finding.consequences)
    return f"<ul>{items}</ul>" if items else ""


def _facts(placed: Placed, *, has_sources: bool) -> str:
    """Return what is known of a finding; filters read it from the classes."""
    finding = placed.finding
    facts = (
        ("source", "source", placed.source if has_sources else ""),
        ("partition", "where", finding.place),
        ("producer", "producer", _producer(finding)),
        ("transactional id", "transaction", finding.transactional_id or ""),
        ("offsets", "", _offsets(finding)),
        ("time", "", "" if finding.virtual_time_ms is None else date_text(finding.virtual_time_ms)),
    )
    said = " · ".join(
        f"{name} <code{f' class={style}' * bool(style)}>{escape(fact)}</code>"
        for name, style, fact in facts
        if fact
    )
    return f'<p class="soft">{said}</p>' if said else ""


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


def date_text(virtual_time_ms: int) -> str:
    """Return a time with its date."""
    return time_text(virtual_time_ms, "%Y-%m-%d %H:%M:%S.%f")
