"""File `report.html`: one self-contained page, with the verdict at its top."""

from collections.abc import Iterator
from html import escape
from importlib.resources import files
from pathlib import Path
from typing import Final

from mockbroker.audit.rules.rule_table import RULES
from mockbroker.audit.verdict import RuleVerdict
from mockbroker.report.audited import (
    Audited,
    ExitCode,
    SourceVerdict,
)
from mockbroker.report.findings_section import Rows, date_text, findings_section
from mockbroker.report.html_page import html_page
from mockbroker.report.summary import headline, identity_text

NAME: Final = "report.html"
FINDINGS_NAME: Final = "findings.parquet"
"""File beside the page with a row for each finding."""
SENTENCES_MAX: Final = 500
"""Maximum number of sentences about a source."""
SCRIPT: Final = files(__package__).joinpath("report.js").read_text(encoding="utf-8")
"""Filters of the findings, and the keys of the overview."""


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
        *findings_section(audited, rows, more_in),
        *(line for each in audited.sources for line in _source(each)),
    ]
    script = SCRIPT if audited.findings() else ""
    return html_page(headline(audited), body, made_by="mockbroker audit", script=script)


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
    return f" · {date_text(first)} to {date_text(last)} UTC, by the cluster's clock"


def _broken(audited: Audited) -> Iterator[str]:
    if not audited.bad:
        return
    yield "<h2>What could not be judged</h2>"
    for bad in audited.bad:
        yield (
            f'<div class="card"><h3><code>{escape(bad.where)}</code></h3>'
            f'<p>{escape(bad.what)}</p><p class="soft">{escape(bad.advice)}</p></div>'
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
            shown = sentences[:SENTENCES_MAX]
            items = "".join(f"<li>{escape(sentence)}</li>" for sentence in shown)
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
