"""Checks of fenced producers and of requests that were not served."""

import pytest

from mockbroker.control.assertions.client_checks import (
    ProducerName,
    fencing_findings,
    unhandled_findings,
)
from mockbroker.journal.compact.ledger import Ledger
from mockbroker.journal.compact.transaction_event import EpochGiven, Fenced


@pytest.fixture
def ledger() -> Ledger:
    written = Ledger()
    written.epochs += [EpochGiven(1, 0, "svc", 7, 0, -1, -1), EpochGiven(2, 0, "svc", 7, 1, 7, 0)]
    written.fenced[Fenced(None, 7, 0, "Produce", "INVALID_PRODUCER_EPOCH")] = 2
    return written


@pytest.mark.parametrize(
    ("producer", "is_fenced"),
    [
        (ProducerName("svc"), True),
        (ProducerName("svc", 7, 0), True),
        (ProducerName(producer_id=7), True),
        (ProducerName("svc", producer_epoch=1), False),
        (ProducerName(producer_id=8), False),
        (ProducerName("other"), False),
    ],
)
def test_a_producer_has_to_match_all_given_fields(
    ledger: Ledger, producer: ProducerName, is_fenced: bool
) -> None:
    assert (not fencing_findings(ledger, producer)) is is_fenced


def test_a_finding_names_the_producers_that_were_fenced_instead(ledger: Ledger) -> None:
    (finding,) = fencing_findings(ledger, ProducerName("svc", producer_epoch=1))
    assert finding.text == (
        "no request of 'svc' epoch 1 got PRODUCER_FENCED or INVALID_PRODUCER_EPOCH; assigned "
        "in this order: 7 e0, 7 e1. Fenced producers: producer 7 epoch 0 (INVALID_PRODUCER_EPOCH "
        "to Produce, 2 times)"
    )
    (unknown,) = fencing_findings(Ledger(), ProducerName())
    assert "no request of any producer" in unknown.text
    assert "no epoch was assigned" in unknown.text


def test_unserved_requests_are_reported_with_their_count(ledger: Ledger) -> None:
    assert unhandled_findings(ledger) == []
    ledger.hung_up[("unknown_api", "key 99, version 0")] = 1
    ledger.hung_up[("fault", "rule lost")] = 5
    (finding,) = unhandled_findings(ledger)
    assert finding.text == "unknown api: key 99, version 0, 1 time"
