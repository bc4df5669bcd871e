"""Page of a failed test: the failure, pictures of its clusters, their journals and faults."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from html import escape

from mockbroker.report.html_page import html_page, picture
from mockbroker.timeline.timeline import Timeline


@dataclass(frozen=True, slots=True, kw_only=True)
class FailedCluster:
    """A cluster of a failed test."""

    partitions: Sequence[Timeline] = ()
    transactions: Sequence[Timeline] = ()
    notes: Sequence[str] = ()
    """Sentences about what is not shown."""
    sections: Mapping[str, str]
    """Texts by title: the journal, the faults."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FailedTest:
    """Content of the page."""

    name: str
    """The test's node id."""
    failure: str
    """Text of the exception."""
    trace: str
    """The failure as pytest prints it."""
    clusters: Sequence[FailedCluster]


def failure_page(test: FailedTest) -> str:
    """Return the page as HTML."""
    failure = f'<div class="rows wrapped">{escape(test.failure)}</div>'
    body = [f'<div class="banner findings"><h1>{escape(test.name)}</h1>{failure}</div>']
    for number, cluster in enumerate(test.clusters, 1):
        if len(test.clusters) > 1:
            body.append(f"<h2>Cluster {number} of {len(test.clusters)}</h2>")
        body += _cluster(cluster)
    body.append(
        f"<details><summary>The failure as pytest prints it</summary>{_text(test.trace)}</details>"
    )
    return html_page(test.name, body, made_by="a failed test")


def _cluster(cluster: FailedCluster) -> Iterator[str]:
    for title, timelines in (
        ("Partitions", cluster.partitions),
        ("Transactional ids", cluster.transactions),
    ):
        if timelines:
            yield f"<h2>{title}</h2>"
        for each in timelines:
            yield f'<div class="card">{picture(each)}</div>'
    for note in cluster.notes:
        yield f'<p class="soft">{escape(note)}</p>'
    for title, text in cluster.sections.items():
        yield f'<h2>{escape(title.capitalize())}</h2><div class="card">{_text(text)}</div>'


def _text(text: str) -> str:
    return f'<div class="rows" tabindex="0">{escape(text)}</div>'
