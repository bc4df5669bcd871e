"""What rules ask of an excerpt."""

import pytest

from mockbroker.ledger.excerpt import batch_text, first_tries
from mockbroker.ledger.row import Appended
from tests.service.support.ledger_rows import excerpt, row


@pytest.mark.parametrize(
    ("truncations", "cut"),
    [
        ([], None),
        ([(4, 0)], None),
        ([(6, 12)], 12),
        ([(6, 13)], None),
        ([(6, 12), (7, 11)], 11),
        ([(6, 3)], 10),
    ],
)
def test_a_batch_is_cut_by_what_happens_after_its_append(
    truncations: list[tuple[int, int]], cut: int | None
) -> None:
    batch = row(5, 10, record_count=3)
    assert excerpt(batch, truncations=truncations).cut_offset(batch) == cut


def test_a_retry_was_cut_with_its_first_try() -> None:
    first = row(1, 0, producer_id=7)
    retry = row(9, 0, producer_id=7, appended=Appended.RETRY)
    looked = excerpt(first, retry, truncations=[(5, 0)])
    assert looked.cut_offset(retry) == 0
    assert excerpt(first, retry, truncations=[(10, 1)]).cut_offset(retry) is None
    assert excerpt(retry, truncations=[(5, 0)]).cut_offset(retry) is None, "first try unknown"


def test_batches_and_clients_are_named() -> None:
    assert batch_text(row(1, 4)) == "offset 4"
    assert batch_text(row(1, 4, record_count=2)) == "offsets 4..5"
    idempotent = row(1, 4, record_count=2, producer_id=7, producer_epoch=1, base_sequence=3)
    assert batch_text(idempotent) == "offsets 4..5 (producer 7 epoch 1 #3..4)"
    looked = excerpt(clients={1: "shop"})
    assert looked.client_of(row(1)) == "'shop'"
    assert looked.client_of(row(1, connection=2)) == "'a client without id'"


def test_what_another_leader_wrote_at_an_offset_is_another_batch() -> None:
    batch = row(5, 10, record_count=3)
    assert excerpt(batch, epoch_ends={0: 11}).cut_offset(batch) == 11
    assert excerpt(batch, epoch_ends={0: -1}).cut_offset(batch) == 10
    assert excerpt(batch, epoch_ends={1: 11}).cut_offset(batch) is None
    deleted = excerpt(batch, epoch_ends={0: -1}, log_start=20)
    assert deleted.cut_offset(batch) is None
    retry = batch._replace(leader_epoch=1, appended=Appended.RETRY, appended_at=9)
    assert excerpt(batch, retry, epoch_ends={0: 10}).cut_offset(retry) == 10


def test_first_tries_are_found_in_the_order_of_their_appends() -> None:
    first, again = row(1, 0, producer_id=7), row(5, 0, producer_id=7)
    retry = row(9, 0, producer_id=7, appended=Appended.RETRY)
    assert first_tries([again, row(2, 0), first, retry]) == {(0, 0, 7): [first, again]}
    assert first_tries([first]) == {}
