from uuid import UUID

from mockbroker.state.group.share.state_partitions import StatePartitions, TopicState, combined

ORDERS, BILLS = UUID(int=1), UUID(int=2)


def topic(name: str, *partitions: int) -> TopicState:
    return TopicState(name, frozenset(partitions))


def test_a_topic_begins() -> None:
    beginning = StatePartitions().beginning({ORDERS: topic("orders", 0, 1)})
    assert beginning.topic_ids == {ORDERS}
    begun = beginning.begun({ORDERS: topic("orders", 0)})
    assert begun.initializing == {ORDERS: topic("orders", 1)}
    assert begun.initialized == {ORDERS: topic("orders", 0)}
    assert begun.begun({ORDERS: topic("orders", 1)}) == StatePartitions(
        {}, {ORDERS: topic("orders", 0, 1)}
    )


def test_a_failure_leaves_other_topics() -> None:
    both = StatePartitions().beginning({ORDERS: topic("orders", 0), BILLS: topic("bills", 0)})
    assert both.failed({ORDERS: topic("orders", 0)}).initializing == {BILLS: topic("bills", 0)}


def test_a_topic_ends_and_begins_again() -> None:
    known = StatePartitions(initialized={ORDERS: topic("orders", 0), BILLS: topic("bills", 0)})
    ending = known.ending({ORDERS: "orders"})
    assert (ending.initialized, ending.deleting) == (
        {BILLS: topic("bills", 0)},
        {ORDERS: "orders"},
    )
    assert ending.every_topic == {ORDERS, BILLS}
    assert ending.ended([ORDERS]).deleting == {}
    assert ending.beginning({ORDERS: topic("orders", 0)}).deleting == {}


def test_a_deleted_topic_is_nowhere() -> None:
    known = StatePartitions(
        {ORDERS: topic("orders", 1), BILLS: topic("bills", 1)},
        {ORDERS: topic("orders", 0)},
        {ORDERS: "orders"},
    )
    assert known.without_topic(ORDERS) == StatePartitions({BILLS: topic("bills", 1)}, {}, {})


def test_partitions_of_both_are_combined() -> None:
    assert combined({ORDERS: topic("orders", 0)}, {ORDERS: topic("orders", 1)}) == {
        ORDERS: topic("orders", 0, 1)
    }
