"""The cases that are searched, and the promises that Kafka itself breaks in them."""

from collections.abc import Iterator, Mapping
from typing import Final

from tests.model.checker.values import Case

WITHOUT_VERIFICATION: Final = "A late batch begins a transaction that nobody ends (KIP-890)."
"""Up to 3.5, brokers append what arrives after its transaction has ended."""
WITHOUT_EPOCH_PER_TRANSACTION: Final = (
    "A late EndTxn ends the next transaction, and a late batch joins it (KAFKA-17754)."
)
"""Before transaction.version 2, two transactions of a producer have the same epoch."""

RELEASES: Final[tuple[tuple[str, int | None], ...]] = (
    ("2.5", None),
    ("2.8", None),
    ("3.9", None),
    ("4.4", 0),
    ("4.4", 1),
    ("4.4", 2),
)
"""Releases and versions of transactions; from 2.5 on, producers ask for another epoch (KIP-360)."""


def known_defects(case: Case) -> Mapping[str, str]:
    """Return the promises that this release of Kafka breaks, with the reason."""
    if case.transaction_version == 2:
        return {}
    broken: tuple[str, ...] = (
        "promised_ends_are_kept",
        "nothing_is_committed_unasked",
        "transactions_are_whole",
    )
    defects: dict[str, str] = dict.fromkeys(broken, WITHOUT_EPOCH_PER_TRANSACTION)
    if case.release < "3.6":
        defects["nothing_hangs"] = WITHOUT_VERIFICATION
    return defects


def cases_of(release: str, transaction_version: int | None, faults: int) -> Iterator[Case]:
    """Yield what is searched in a release: two producers with one id or with two, or one."""
    for transactional_ids, transactions in (
        (("id", "id"), (1, 1)),
        (("id-1", "id-2"), (1, 1)),
        (("id", "id"), (2, 0)),
    ):
        yield Case(release, transaction_version, transactional_ids, transactions, faults)
