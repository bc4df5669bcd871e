"""A memento brings back all that a root reaches, and keeps every object the same one."""

from array import array
from collections import OrderedDict, deque
from functools import partial
from typing import Any

import pytest

from tests.model.checker.mementos import Graph, Memento
from tests.model.checker.moments import digest_of
from tests.model.checker.values import Case
from tests.model.checker.world import Doing


class Slotted:
    __slots__ = ("later", "number")

    def __init__(self) -> None:
        self.number = 1


class Plain:
    def __init__(self) -> None:
        self.items: list[int] = [1]

    def add(self) -> None:
        self.items.append(2)


CONTAINERS: dict[str, Any] = {
    "dict": {"a": 1},
    "ordered dict": OrderedDict(a=1, b=2),
    "list": [1, 2],
    "deque": deque([1, 2]),
    "set": {1, 2},
    "array": array("q", [1, 2]),
    "bytearray": bytearray(b"ab"),
}


@pytest.mark.parametrize("name", CONTAINERS)
def test_the_content_of_a_container_comes_back(name: str) -> None:
    inner = CONTAINERS[name]
    before = type(inner)(inner) if name != "array" else inner[:]
    graph = Graph((inner,))
    memento = graph.save()
    inner.clear() if hasattr(inner, "clear") else inner.pop()
    assert inner != before
    graph.bring_back(memento)
    assert inner == before


def test_attributes_come_back_and_new_ones_go() -> None:
    slotted, plain = Slotted(), Plain()
    items = plain.items
    graph = Graph((slotted, plain))
    memento = graph.save()
    slotted.number = 2
    plain.items = []
    vars(plain)["other"] = 3
    items.append(9)
    graph.bring_back(memento)
    assert slotted.number == 1
    assert plain.items is items
    assert items == [1]
    assert "other" not in vars(plain)


def test_mementos_share_what_did_not_change_between_them() -> None:
    plain, other = Plain(), [1]
    graph = Graph((plain, other))
    first = graph.save()
    plain.items.append(2)
    second = graph.save()
    graph.bring_back(first, is_unchanged=True)
    assert (plain.items, other) == ([1], [1])
    graph.bring_back(second, is_unchanged=True)
    assert (plain.items, other) == ([1, 2], [1])
    same = [before is second[identity] for identity, before in first.items()]
    assert sorted(same) == [False, True, True]


def test_what_appeared_since_is_forgotten_and_comes_back_with_its_own_memento() -> None:
    plain = Plain()
    graph = Graph(plain)
    before = graph.save()
    added = [7]
    vars(plain)["added"] = added
    with_added = graph.save()
    graph.bring_back(before)
    added.append(8)
    graph.bring_back(with_added)
    assert vars(plain)["added"] is added
    assert added == [7]


def test_what_a_method_or_a_partial_call_refers_to_comes_back() -> None:
    plain, argument = Plain(), [1]
    graph = Graph((plain.add, partial(len, argument)))
    memento = graph.save()
    plain.add()
    argument.append(2)
    graph.bring_back(memento)
    assert plain.items == [1]
    assert argument == [1]


@pytest.mark.parametrize("transaction_version", [0, 1, 2])
def test_a_cluster_comes_back_as_it_was_after_every_step(transaction_version: int) -> None:
    doing = Doing(Case("4.4", transaction_version, transactions=(2, 1), faults=2))
    world, brokers = doing.first, doing.moments.brokers
    graph = Graph(brokers)
    before: list[tuple[Memento, bytes, str]] = []
    for number in range(40):
        before.append((graph.save(), digest_of(brokers), brokers.cluster.as_text()))
        actions = list(world.actions(2))
        if not actions:
            break
        world, _ = doing.done(world, actions[number % len(actions)])
    assert len(before) > 20
    for memento, digest, text in reversed(before):
        graph.bring_back(memento)
        assert digest_of(brokers) == digest
        assert brokers.cluster.as_text() == text
