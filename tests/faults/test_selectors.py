"""Selectors: all given ones must match, and omitted ones match anything."""

from collections.abc import Mapping
from dataclasses import replace

import pytest

from mockbroker.broker.request_items import Item
from mockbroker.faults.call_facts import CallFacts
from mockbroker.faults.selectors import NearMiss, Selectors
from mockbroker.protocol.api_keys import ApiKey
from tests.support.faults import produce_to


def facts(*named: Mapping[str, object], client_id: str | None = "app-1") -> CallFacts:
    items = [Item((("topic_data", index),), each) for index, each in enumerate(named)]
    items = items or [Item((), {})]
    who = ("User:alice", "OUTSIDE")
    return CallFacts(ApiKey.PRODUCE, 9, 1, 4, client_id, produce_to(0), items, *who)


ORDERS = {"topic": "orders", "partition": 0}
PAYMENTS = {"topic": "payments", "partition": 0}


def chosen(selectors: Selectors, of: CallFacts) -> list[object]:
    found = selectors.chosen(of)
    assert isinstance(found, list), str(found)
    return [item.named["topic"] for item in found]


def missed(selectors: Selectors, of: CallFacts) -> NearMiss:
    found = selectors.chosen(of)
    assert isinstance(found, NearMiss)
    return found


def test_empty_selectors_match_every_item() -> None:
    assert chosen(Selectors({}), facts(ORDERS, PAYMENTS)) == ["orders", "payments"]


def test_only_items_that_fit_are_chosen() -> None:
    assert chosen(Selectors({"topic": "orders"}), facts(ORDERS, PAYMENTS)) == ["orders"]
    assert chosen(Selectors({"partition": 0}), facts(ORDERS, PAYMENTS)) == ["orders", "payments"]


def test_selectors_are_anded_within_an_item() -> None:
    other = {"topic": "orders", "partition": 1}
    both = {"topic": "payments", "partition": 1}
    assert missed(Selectors(both), facts(other, PAYMENTS)).selector in {"topic", "partition"}


def test_a_selector_does_not_match_a_field_that_the_call_lacks() -> None:
    assert missed(Selectors({"group": "g"}), facts(ORDERS)) == NearMiss(0, "group", "g", None)
    assert missed(Selectors({"topic": "orders"}), facts()).found is None
    assert missed(Selectors({"client_id": "*"}), facts(ORDERS, client_id=None)).found is None


@pytest.mark.parametrize(
    ("wanted", "fits"),
    [
        ({"api": ApiKey.PRODUCE}, True),
        ({"api": (ApiKey.FETCH, ApiKey.PRODUCE)}, True),
        ({"api": ApiKey.FETCH}, False),
        ({"version": 9, "broker": 1, "connection": 4}, True),
        ({"broker": 2}, False),
        ({"client_id": "app-?"}, True),
        ({"client_id": "app"}, False),
        ({"principal": "User:alice"}, True),
        ({"principal": "User:a*", "listener": "OUTSIDE"}, True),
        ({"principal": "User:bob"}, False),
        ({"listener": ["INSIDE", "PLAINTEXT"]}, False),
        ({"topic": "ord*"}, True),
        ({"topic": {"orders", "others"}}, True),
        ({"topic": "[a-z]*"}, False),
        ({"topic": None}, True),
    ],
)
def test_values_collections_and_wildcards(wanted: dict[str, object], fits: bool) -> None:
    assert isinstance(Selectors(wanted).chosen(facts(ORDERS)), list) == fits


@pytest.mark.parametrize(("given", "kept"), [(True, True), (False, None), (None, None)])
def test_calls_between_brokers_are_chosen_on_request(given: bool | None, kept: bool | None) -> None:
    selectors = Selectors({"topic": "orders", "between_brokers": given})
    assert selectors.are_between_brokers is (kept is True)
    assert selectors.match.between_brokers is kept
    assert ("between_brokers=True" in str(selectors)) is (kept is True)
    call = replace(facts(ORDERS), between_brokers=selectors.are_between_brokers)
    assert chosen(selectors, call) == ["orders"]


def test_an_api_that_brokers_do_not_call_is_refused_between_brokers() -> None:
    apis = [ApiKey.ADD_PARTITIONS_TO_TXN, ApiKey.PRODUCE]
    served = "AddPartitionsToTxn, DescribeTransactionState"
    with pytest.raises(ValueError, match=f"do not call each other with Produce, only: {served}"):
        Selectors({"api": apis, "between_brokers": True})


def test_connections_are_not_chosen_between_brokers() -> None:
    with pytest.raises(ValueError, match="between_brokers: bytes of connections"):
        Selectors({"between_brokers": True}).check_of_connections()


def test_a_predicate_is_called_last() -> None:
    asked: list[CallFacts] = []

    def when(of: CallFacts) -> bool:
        asked.append(of)
        return False

    call = facts(ORDERS)
    assert missed(Selectors({"topic": "payments"}, when), call).selector == "topic"
    assert not asked
    assert missed(Selectors({"topic": "orders"}, when), call).selector == "when"
    assert asked == [call]


def test_a_near_miss_names_the_selector_that_did_not_match() -> None:
    miss = missed(Selectors({"api": ApiKey.PRODUCE, "topic": "payments"}), facts(ORDERS))
    assert str(miss) == "topic was 'orders', the fault wants 'payments'"
    miss = missed(Selectors({"api": ApiKey.END_TXN}), facts(ORDERS))
    assert str(miss) == "api was Produce, the fault wants EndTxn"


def test_the_item_that_fits_best_is_the_nearest() -> None:
    wanted = Selectors({"topic": "orders", "partition": 7})
    assert missed(wanted, facts(PAYMENTS, ORDERS)) == NearMiss(1, "partition", 7, 0)


def test_an_unknown_selector_is_refused() -> None:
    why = r"unknown selector 'topc'; did you mean 'topic'\?; there are api, .*topic"
    with pytest.raises(ValueError, match=why):
        Selectors({"topc": "orders"})


def test_selectors_are_written_as_they_are_given() -> None:
    selectors = Selectors({"api": ApiKey.PRODUCE, "topic": "orders"}, lambda _: True)
    assert str(selectors) == "api=Produce, topic='orders', when=…"
