"""Producer ids come in blocks of a thousand for each broker."""

from mockbroker.state.producer.producer_id_manager import PRODUCER_ID_BLOCK_SIZE, ProducerIdManager


def test_a_broker_counts_up_from_its_block() -> None:
    manager = ProducerIdManager()
    assert [manager.generate_producer_id(1) for _ in range(3)] == [0, 1, 2]


def test_each_broker_has_a_block_of_its_own() -> None:
    manager = ProducerIdManager()
    assert [manager.generate_producer_id(broker) for broker in (2, 3, 1, 2)] == [0, 1000, 2000, 1]


def test_a_used_up_block_is_followed_by_the_next_free_one() -> None:
    manager = ProducerIdManager()
    ids = [manager.generate_producer_id(1) for _ in range(PRODUCER_ID_BLOCK_SIZE)]
    other = manager.generate_producer_id(2)
    assert ids == list(range(PRODUCER_ID_BLOCK_SIZE))
    assert (other, manager.generate_producer_id(1)) == (1000, 2000)


def test_the_text_tells_apart_what_brokers_assign_next() -> None:
    one, other = ProducerIdManager(), ProducerIdManager()
    for manager in one, other:
        manager.generate_producer_id(1)
    assert (
        one.as_text() == other.as_text() == ["producer ids from 1000", "broker 1 assigns (1, 1000)"]
    )
    one.generate_producer_id(1)
    assert one.as_text() != other.as_text()
