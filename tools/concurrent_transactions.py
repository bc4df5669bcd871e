"""Write the table of docs/how-to/meet-concurrent-transactions.md from what was measured.

    python -m tools.concurrent_transactions

`python -m tests.clients.concurrent_transactions.record` measures it.
"""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

from tests.clients.concurrent_transactions.measurement import Measured
from tests.clients.concurrent_transactions.recording import RECORDED, Recording, read

PAGE: Final = Path(__file__).parents[1] / "docs" / "how-to" / "meet-concurrent-transactions.md"
_BEGIN: Final = "<!-- shares: made by `make docs` (tools/concurrent_transactions.py) -->\n"
_END: Final = "\n<!-- end of shares -->"


def with_shares(text: str) -> str:
    """Return the text of the page with a new table.

    Raises: ValueError if the text has no place for it.
    """
    before, rest = text.split(_BEGIN)
    _, after = rest.split(_END)
    lines = "\n".join(_table(read(RECORDED)))
    return f"{before}{_BEGIN}\n{lines}\n{_END}{after}"


def _table(recording: Recording) -> Iterator[str]:
    yield f"| client | {' | '.join(f'Kafka {version}' for version in recording)} |"
    yield f"| --- |{' ---: |' * len(recording)}"
    for title in next(iter(recording.values())):
        cells = (share_text(rounds[title]) for rounds in recording.values())
        yield f"| {title} | {' | '.join(cells)} |"


def share_text(rounds: Sequence[Measured]) -> str:
    """Format the shares of the rounds, in order."""
    shares = [round(100 * each.met / each.transactions) for each in rounds]
    if not any(shares):
        return "never"
    return ", ".join(f"{share} %" for share in shares)


if __name__ == "__main__":
    PAGE.write_text(with_shares(PAGE.read_text("utf-8")), "utf-8")
