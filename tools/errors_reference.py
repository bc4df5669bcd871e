"""Write docs/reference/errors.md from the tables behind `mockbroker errors`.

python -m tools.errors_reference
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Final

from mockbroker.cli.error_codes.error_table import error_meaning
from mockbroker.cli.error_codes.producer_actions import ProducerAction, producer_actions
from mockbroker.protocol.errors import ErrorCode

PAGE: Final = Path(__file__).parents[1] / "docs" / "reference" / "errors.md"

_HEAD: Final = """\
# Errors

<!-- Made by `make docs` (tools/errors_reference.py) from the code. -->

**You want it when** a client has got an error code, and you ask what it means and what to do.
**It needs** nothing but mockbroker; `mockbroker errors NAME` prints the same for one code, and
which requests of a producer have it.

The *group* is the kind of Kafka's exception (KIP-1050): `retriable`, `refresh` (retriable after new
metadata), `abortable`, `recoverable` (by a new client), `configuration`, or `other`. The *producer*
column is what a transactional producer of Kafka 4.4's Java client does: send the request again,
abort the transaction, or close; several, if that depends on the request. [What other clients
do](kip-691.md) was measured.

| code | name | exception | group | producer | what to do |
| --- | --- | --- | --- | --- | --- |
"""


def main() -> None:
    """Write the page."""
    PAGE.write_text(page(), "utf-8")


def page() -> str:
    """Return the whole page."""
    return _HEAD + "".join(f"| {' | '.join(row)} |\n" for row in _rows())


def _rows() -> Iterator[tuple[str, ...]]:
    for code in ErrorCode:
        meaning = error_meaning(code)
        found = set(producer_actions(code).values())
        yield (
            str(int(code)),
            f"`{code.name}`",
            f"`{meaning.exception}`" if meaning.exception else "–",
            meaning.group,
            " or ".join(each for each in ProducerAction if each in found) or "–",
            meaning.advice,
        )


if __name__ == "__main__":
    main()
