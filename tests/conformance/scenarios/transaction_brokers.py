"""Transactions on three brokers: one of them is the coordinator, all have partitions."""

from mockbroker.protocol.api_keys import ApiKey
from mockbroker.protocol.errors import ErrorCode
from mockbroker.protocol.messages.describe_transactions import DescribeTransactionsRequest
from mockbroker.protocol.messages.find_coordinator import (
    FindCoordinatorRequest,
    FindCoordinatorResponse,
)
from mockbroker.protocol.messages.init_producer_id import InitProducerIdResponse
from mockbroker.protocol.messages.list_offsets import ListOffsetsResponse
from mockbroker.protocol.schema.message import Message
from tests.conformance.batches import TRANSACTIONAL, Item, Producer, batch
from tests.conformance.patience import UNREADY
from tests.conformance.releases import GENERATIONS
from tests.conformance.requests import Reading, Wanted, fetch, list_offsets, produce
from tests.conformance.scenarios.transaction_markers import marker, write_markers
from tests.conformance.script import scenario
from tests.conformance.talk import Talk
from tests.conformance.transactions import (
    add_offsets,
    add_partitions,
    await_coordinator,
    end_txn,
    init_producer_id,
    is_accepted,
    styles,
)

BROKERS = (1, 2, 3)
ADDED = 2
STILL_UNREADY = UNREADY - {ErrorCode.NOT_COORDINATOR}


def name_coordinator(talk: Talk, transactional_id: str) -> tuple[int, int]:
    """Find the coordinator and another broker, and name both, because any broker may be either."""
    await_coordinator(talk, transactional_id)
    request = FindCoordinatorRequest(
        key=transactional_id, key_type=1, coordinator_keys=[transactional_id]
    )
    version = talk.latest(ApiKey.FIND_COORDINATOR)
    answer = talk.expect(FindCoordinatorResponse, talk.quietly(request, version))
    coordinator = answer.coordinators[0].node_id if answer.coordinators else answer.node_id
    other = coordinator % len(BROKERS) + 1
    talk.roles[coordinator] = "the coordinator"
    talk.roles[other] = "another broker"
    return coordinator, other


@scenario(brokers=3, alone=True, presets=GENERATIONS)
def transactions_of_three_brokers(talk: Talk) -> None:
    *_, style = styles(talk.release)
    talk.topic("t", assignments=[[1], [2], [3]])
    name = "three"
    coordinator, other = name_coordinator(talk, name)
    request = init_producer_id(name)
    version = style.init_producer_id
    answer = talk.ask_patiently("init", request, version, broker=coordinator)
    given = talk.expect(InitProducerIdResponse, answer)
    who = Producer(given.producer_id, given.producer_epoch)
    parts = [("t", 0), ("t", 1), ("t", 2)]
    for title, wanted, api_version in [
        ("init", request, version),
        ("add", add_partitions(name, who, *parts), style.add_partitions),
        ("offsets", add_offsets(name, who, "g"), style.add_offsets),
        ("end", end_txn(name, who, committed=True), style.end_txn),
    ]:
        title = f"{title}, of another"  # noqa: PLW2901 - the same thing, told in full
        talk.ask_patiently(title, wanted, api_version, broker=other, unready=STILL_UNREADY)
    if talk.versions(ApiKey.DESCRIBE_TRANSACTIONS):
        describe = DescribeTransactionsRequest(transactional_ids=[name])
        talk.ask("described by another", describe, 0, broker=other)
        talk.ask("described", describe, 0, broker=coordinator)
    if not style.bumps:
        add = add_partitions(name, who, *parts)
        talk.ask_patiently("add", add, style.add_partitions, broker=coordinator)
    talk.roles.clear()
    for broker in BROKERS:
        data = batch(Item(), at_ms=talk.at(0), attributes=TRANSACTIONAL, producer=who)
        write = produce(talk, ("t", broker - 1, data), transactional_id=name)
        talk.ask_patiently(f"write {broker}", write, style.produce, broker=broker)
    reading = Reading(isolation_level=1)
    newest = talk.latest(ApiKey.FETCH)
    for broker in BROKERS:
        fetching = fetch(talk, Wanted("t", broker - 1), reading=reading)
        talk.ask(f"open {broker}", fetching, newest, broker=broker)
    talk.roles[coordinator] = "the coordinator"
    end = end_txn(name, who, committed=True)
    talk.ask_patiently("commit", end, style.end_txn, broker=coordinator)
    talk.roles.clear()
    for broker in BROKERS:
        stable = list_offsets(("t", broker - 1, -1), isolation_level=1)
        talk.until_quietly(stable, 2, lambda each: "offset=2" in repr(each), broker=broker)
        fetching = fetch(talk, Wanted("t", broker - 1), reading=reading)
        talk.ask(f"committed {broker}", fetching, newest, broker=broker)
    # Markers go to leaders, whoever sends them.
    wrong = write_markers(marker(who, *parts))
    talk.ask("markers for all", wrong, talk.latest(ApiKey.WRITE_TXN_MARKERS), broker=2)


def await_decided(talk: Talk, broker: int) -> None:
    """Wait until no transaction is open in the partition that a broker leads."""
    request = list_offsets(("t", broker - 1, -1))
    every = talk.expect(ListOffsetsResponse, talk.quietly(request, 2, broker=broker))

    def is_stable(answer: Message) -> bool:
        found = talk.expect(ListOffsetsResponse, answer)
        return found.topics[0].partitions[0].offset >= every.topics[0].partitions[0].offset

    stable = list_offsets(("t", broker - 1, -1), isolation_level=1)
    talk.until_quietly(stable, 2, is_stable, broker=broker)


@scenario(brokers=3, alone=True, presets=GENERATIONS)
def transactional_writes_to_other_brokers(talk: Talk) -> None:
    talk.topic("t", assignments=[[1], [2], [3]])
    for style in styles(talk.release):
        name = f"elsewhere-{style.name}"
        coordinator, _ = name_coordinator(talk, name)
        talk.roles.clear()
        request = init_producer_id(name)

        def is_given(found: Message) -> bool:
            return isinstance(found, InitProducerIdResponse) and found.producer_id >= 0

        talk.until_quietly(request, 0, is_given, broker=coordinator)
        answer = talk.expect(InitProducerIdResponse, talk.quietly(request, 0, broker=coordinator))
        talk.names.learn_producer(answer.producer_id)
        who = Producer(answer.producer_id, answer.producer_epoch)
        if not style.bumps:
            add = add_partitions(name, who, *(("t", index) for index in range(ADDED)))
            talk.until_quietly(add, style.add_partitions, is_accepted, broker=coordinator)
        for broker in BROKERS:
            for index in range(3):
                data = batch(Item(), at_ms=talk.at(0), attributes=TRANSACTIONAL, producer=who)
                write = produce(talk, ("t", index, data), transactional_id=name)
                how = f"partition {index}, {style.name}"
                talk.ask_patiently(how, write, style.produce, broker=broker)
        end = end_txn(name, who, committed=True)
        talk.until_quietly(end, style.end_txn, is_accepted, broker=coordinator)
        for broker in BROKERS:
            if broker <= ADDED or talk.release.since("3.6"):  # before, the third one hangs
                await_decided(talk, broker)
            stable = list_offsets(("t", broker - 1, -1), isolation_level=1)
            talk.ask(f"stable up to, {style.name}", stable, 2, broker=broker)
