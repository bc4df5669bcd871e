"""DescribeTransactions, ListTransactions and DescribeProducers, and the transaction log."""

from dataclasses import replace

from mockbroker.protocol.api_keys import ApiKey
from mockbroker.protocol.messages.describe_producers import DescribeProducersRequest, TopicRequest
from mockbroker.protocol.messages.describe_transactions import DescribeTransactionsRequest
from mockbroker.protocol.messages.list_transactions import ListTransactionsRequest
from tests.conformance.releases import EVERYWHERE, defaults_since, since
from tests.conformance.requests import delete_records
from tests.conformance.script import scenario
from tests.conformance.talk import Talk
from tests.conformance.transaction_log import STATES, note_transaction_log
from tests.conformance.transactions import (
    NOBODY,
    Style,
    Transactor,
    add_offsets,
    add_partitions,
    await_complete,
    await_coordinator,
    await_stable,
    styles,
)


def describe(*transactional_ids: str) -> DescribeTransactionsRequest:
    """Build a DescribeTransactions request."""
    return DescribeTransactionsRequest(transactional_ids=list(transactional_ids))


def describe_one(talk: Talk, style: Style) -> None:
    """Describe a transaction in all its states."""
    name = f"describe-{style.name}"
    one = Transactor(talk, name, style)
    how = style.name

    def see(title: str) -> None:
        talk.ask(f"{title}, {how}", describe(name), 0)

    await_coordinator(talk, name)
    see("unknown")
    one.init(timeout_ms=12_345)
    see("empty")
    if not style.bumps:
        one.add(None, ("described", 0))
        see("one partition added")
        one.add(None, ("described", 2), ("described", 1))
        see("more added")
        one.send(None, add_offsets(name, one.producer, "g"), style.add_offsets)
        see("offsets added")
    one.write(None, ("described", 0), b"a")
    see("written")
    one.end(None, committed=True)
    await_stable(talk, ("described", 0))
    await_complete(talk, one, committed=True)
    see("committed")
    one.add(None, ("described", 0))
    one.write(None, ("described", 0), b"b")
    see("written again")
    one.init()
    see("a new one")
    one.init(timeout_ms=777)
    see("another timeout")


@scenario(transactional=True, presets=since("3.6"))
def describe_transactions(talk: Talk) -> None:
    talk.topic("described", partitions=3)
    for style in styles(talk.release):
        describe_one(talk, style)
    talk.ask("several", describe("describe-old", "missing", "", "describe-old"), 0)
    talk.ask("none", describe(), 0)


@scenario(alone=True, presets=since("3.6"))
def list_transactions(talk: Talk) -> None:
    talk.topic("listed")
    style = next(iter(styles(talk.release)))
    empty = Transactor(talk, "list-empty", style)
    empty.init()
    ongoing = Transactor(talk, "list-ongoing", style)
    ongoing.init()
    ongoing.add(None, ("listed", 0))
    for verb, committed in {"commit": True, "abort": False}.items():
        one = Transactor(talk, f"list-{verb}", style)
        one.init()
        one.add(None, ("listed", 0))
        one.write(None, ("listed", 0), b"a")
        one.end(None, committed=committed)
        await_complete(talk, one, committed=committed)
    for version in talk.versions(ApiKey.LIST_TRANSACTIONS):

        def ask(title: str, request: ListTransactionsRequest, version: int = version) -> None:
            talk.ask(f"{title}, v{version}", request, version)

        ask("all", ListTransactionsRequest())
        for state in (*STATES, "empty", "Nonsense", ""):
            ask(f"state {state}", ListTransactionsRequest(state_filters=[state]))
        several = ListTransactionsRequest(state_filters=["Empty", "Nonsense", "Ongoing"])
        ask("several states", several)
        mine = ongoing.producer.producer_id
        ask("a producer", ListTransactionsRequest(producer_id_filters=[mine]))
        ask("an unknown producer", ListTransactionsRequest(producer_id_filters=[987_654, -1]))
        both = ListTransactionsRequest(state_filters=["Empty"], producer_id_filters=[mine])
        ask("a producer in another state", both)
        if version >= 1:
            talk.let_time_pass(100)  # some have gone on for more than 0 ms
            for duration in (-1, 0, 1_000_000, -5):
                ask(f"for {duration} ms", ListTransactionsRequest(duration_filter=duration))
        if version >= 2:
            for pattern in (
                "list-.*",
                ".*abort",
                "abort",
                "",
                "[",
                "LIST-.*",
                "list-(abort|empty)",
            ):
                like = ListTransactionsRequest(transactional_id_pattern=pattern)
                ask(f"like {pattern!r}", like)


@scenario(transactional=True, presets=since("2.8"))
def describe_producers(talk: Talk) -> None:
    talk.topic("produced", partitions=2)

    def ask(title: str, *topics: tuple[str, list[int]]) -> None:
        wanted = [TopicRequest(name=name, partition_indexes=each) for name, each in topics]
        talk.ask(title, DescribeProducersRequest(topics=wanted), 0)

    ask("nobody yet", ("produced", [0, 1]))
    for style in styles(talk.release):
        one = Transactor(talk, f"producers-{style.name}", style)
        one.init()
        one.add(None, ("produced", 0), ("produced", 1))
        ask(f"added, {style.name}", ("produced", [0, 1]))
        one.write(None, ("produced", 0), b"a", b"b")
        ask(f"written, {style.name}", ("produced", [0]))
        one.write(None, ("produced", 0), b"c")
        ask(f"written more, {style.name}", ("produced", [0]))
        one.end(None, committed=True)
        await_stable(talk, ("produced", 0))
        ask(f"committed, {style.name}", ("produced", [0]))
        one.add(None, ("produced", 0))
        one.write(None, ("produced", 0), b"d")
        ask(f"open again, {style.name}", ("produced", [0]))
        one.init()
        await_stable(talk, ("produced", 0))
        ask(f"fenced, {style.name}", ("produced", [0]))
    talk.quietly(delete_records(("produced", 0, -1)), talk.latest(ApiKey.DELETE_RECORDS))
    ask("the records are deleted", ("produced", [0]))
    ask("missing ones", ("produced", [5, -1]), ("missing", [0]), ("", [0]), ("a b", [0]))
    ask("none of a topic", ("produced", []))
    ask("nothing")
    ask("one twice", ("produced", [1, 1]))


@scenario(alone=True, presets=EVERYWHERE)
def the_transaction_log(talk: Talk) -> None:
    talk.topic("logged", partitions=3)
    # Each of these ids is kept in a partition of its own.
    names = iter(["log-b", "log-c", "log-a"])
    for style in styles(talk.release):
        one = Transactor(talk, next(names), style)
        one.init()
        one.init(timeout_ms=4321)
        if not style.bumps:
            one.add(None, ("logged", 1), ("logged", 0))
            one.add(None, ("logged", 1))
        one.write(None, ("logged", 1), b"a")
        one.end(None, committed=True)
        await_complete(talk, one, committed=True)
        one.add(None, ("logged", 0))
        one.write(None, ("logged", 0), b"b")
        one.end(None, committed=False)
        await_complete(talk, one, committed=False)
        one.add(None, ("logged", 2))
        one.write(None, ("logged", 2), b"c")
        before = one.producer
        one.init()
        await_stable(talk, ("logged", 2))
        if style.init_producer_id >= 3:
            one.init(None, one.producer)
        one.end(f"a zombie, {style.name}", committed=True, producer=before)
        one.end(f"nothing begun, {style.name}", committed=False)
        one.init(None, NOBODY, timeout_ms=999)
    for partition in range(3):
        note_transaction_log(talk, f"partition {partition}", partition)


@scenario(alone=True, presets=("4.4",))
def the_transaction_log_by_request_version(talk: Talk) -> None:
    talk.topic("logged")
    *_, newest = styles(talk.release)
    for version in talk.versions(ApiKey.END_TXN):
        one = Transactor(talk, "log-a", replace(newest, end_txn=version))
        one.init()
        add = add_partitions("log-a", one.producer, ("logged", 0))
        one.send(None, add, version)
        one.write(None, ("logged", 0), b"a")
        one.end(None, committed=version % 2 == 0)
        await_stable(talk, ("logged", 0))
    Transactor(talk, "log-a", newest).init()
    for partition in range(3):
        note_transaction_log(talk, f"partition {partition}", partition)


@scenario(alone=True, presets=defaults_since("2.8"))
def describe_while_nothing_is_known(talk: Talk) -> None:
    if talk.versions(ApiKey.DESCRIBE_TRANSACTIONS):
        talk.ask("a transaction", describe("nothing-known"), 0)
    wanted = [TopicRequest(name="missing", partition_indexes=[0, 1])]
    talk.ask("producers", DescribeProducersRequest(topics=wanted), 0)
