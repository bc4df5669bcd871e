"""Sections about a cluster in the report of a failed test."""

from typing import TYPE_CHECKING, Final

from mockbroker.journal.excerpt import journal_excerpt

if TYPE_CHECKING:
    from mockbroker.control.cluster_handle import ClusterHandle

JOURNAL_LINES: Final = 40
"""Number of events that a failure shows one by one; the others are counted."""
ENTRIES_READ: Final = 5_000
"""Number of the journal's last rows from which these are chosen."""
UNFIRED_MAX: Final = 3
"""Number of unfired faults that a failure lists; the others are counted."""


def failure_sections(cluster: "ClusterHandle", failure: str = "") -> dict[str, str]:
    """Describe a cluster: its partitions and batches, its events, its faults.

    Of events, those come first that concern a topic in the text of the failure.
    """
    sections = {
        "timeline": _timeline(cluster),
        "journal": _journal(cluster, failure),
        "faults": _faults(cluster),
    }
    return {name: text for name, text in sections.items() if text}


def _timeline(cluster: "ClusterHandle") -> str:
    """Draw the partitions, and list the batches that producers sent."""
    parts = [cluster.lanes(), cluster.timeline() if cluster.keeps_ledger else ""]
    return "\n\n".join(part for part in parts if part.strip())


def _journal(cluster: "ClusterHandle", failure: str) -> str:
    if not cluster.journal.is_on:
        return ""
    entries = cluster.journal.entries(ENTRIES_READ)
    return "\n".join(journal_excerpt(entries, JOURNAL_LINES, failure))


def _faults(cluster: "ClusterHandle") -> str:
    """Describe the faults, and the seed that repeats their random choices."""
    stories = [fault.story() for fault in cluster.faults]
    if stories:
        seed = cluster.drawn_from
        stories.append(f"random choices used seed {seed}: --mockbroker-seed={seed} repeats them")
    return "\n".join(stories)


def unfired_text(cluster: "ClusterHandle") -> str | None:
    """Name the faults that never fired, in five lines at most; return None if all have fired."""
    stories = [fault.story() for fault in cluster.faults if not fault.hits]
    if not stories:
        return None
    shown = stories if len(stories) <= UNFIRED_MAX else stories[: UNFIRED_MAX - 1]
    more = [f"  and {len(stories) - len(shown)} more"] if len(shown) < len(stories) else []
    return "\n".join(
        [
            "faults that never fired:",
            *(f"  {story}" for story in shown),
            *more,
            "(@pytest.mark.mockbroker(allow_unfired=True) permits them)",
        ]
    )
