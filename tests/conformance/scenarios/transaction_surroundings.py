"""Transactions with deleted topics, unwritable logs and missing coordinators."""

from mockbroker.protocol.api_keys import ApiKey
from mockbroker.protocol.errors import ErrorCode
from mockbroker.protocol.messages.api_versions import ApiVersionsRequest, ApiVersionsResponse
from mockbroker.protocol.messages.delete_topics import DeleteTopicsRequest, DeleteTopicState
from mockbroker.protocol.messages.describe_transactions import DescribeTransactionsRequest
from mockbroker.protocol.messages.metadata import MetadataRequest, MetadataRequestTopic
from tests.conformance.batches import Producer
from tests.conformance.releases import EVERYWHERE, GENERATIONS, VARIANTS
from tests.conformance.requests import Reading, Wanted, fetch, list_offsets
from tests.conformance.scenarios.metadata import has_leaders
from tests.conformance.scenarios.transactional_offsets import offset_fetch
from tests.conformance.script import scenario
from tests.conformance.stored import Shown
from tests.conformance.talk import Talk
from tests.conformance.transactions import (
    MADE_UP_ID,
    Member,
    Transactor,
    add_offsets,
    add_partitions,
    await_complete,
    await_coordinator,
    await_stable,
    end_txn,
    init_producer_id,
    offset_commit,
    styles,
)

LOADING = frozenset({ErrorCode.NOT_COORDINATOR, ErrorCode.COORDINATOR_LOAD_IN_PROGRESS})


def delete_topic(talk: Talk, name: str) -> None:
    """Delete a topic, and wait until all brokers know."""
    gone = DeleteTopicsRequest(
        topics=[DeleteTopicState(name=name)], topic_names=[name], timeout_ms=30_000
    )
    talk.ask(f"delete {name}", gone, talk.latest(ApiKey.DELETE_TOPICS))
    unknown = MetadataRequest(
        topics=[MetadataRequestTopic(name=name)], allow_auto_topic_creation=False
    )
    newest = talk.latest(ApiKey.METADATA)
    talk.until_quietly(unknown, newest, lambda answer: not has_leaders(answer))


@scenario(transactional=True, presets=EVERYWHERE)
def topics_that_go_during_a_transaction(talk: Talk) -> None:
    for style in styles(talk.release):
        gone, kept = f"gone-{style.name}", f"kept-{style.name}"
        talk.topic(gone)
        talk.topic(kept)
        one = Transactor(talk, gone, style)
        one.init()
        one.add(None, (gone, 0), (kept, 0))
        one.write(None, (gone, 0), b"a")
        one.write(None, (kept, 0), b"a")
        delete_topic(talk, gone)
        one.write(f"to what is gone, {style.name}", (gone, 0), b"b", base_sequence=1)
        one.end(f"commit, {style.name}", committed=True)
        await_stable(talk, (kept, 0))
        talk.ask(f"what is kept, {style.name}", list_offsets((kept, 0, -1)), 1)
        await_complete(talk, one, committed=True)
        one.init(f"anew, {style.name}")


@scenario(transactional=True, presets=EVERYWHERE)
def topics_that_are_made_again_during_a_transaction(talk: Talk) -> None:
    *_, style = styles(talk.release)
    talk.topic("again")
    one = Transactor(talk, "again", style)
    one.init()
    one.add(None, ("again", 0))
    one.write(None, ("again", 0), b"a")
    delete_topic(talk, "again")
    talk.topic("again")
    talk.ask("nothing is open", list_offsets(("again", 0, -1), isolation_level=1), 2)
    one.write("the next sequence", ("again", 0), b"b", base_sequence=1)
    one.write("sequence 0", ("again", 0), b"b", base_sequence=0)
    one.end("commit", committed=True)
    await_complete(talk, one, committed=True)
    reading = Reading(isolation_level=1)
    request = fetch(talk, Wanted("again"), reading=reading)
    talk.ask("read back", request, talk.latest(ApiKey.FETCH))


@scenario(
    alone=True,
    settings={
        "transaction.state.log.min.isr": "2",
        "transaction.state.log.replication.factor": "1",
    },
    presets=GENERATIONS,
)
def a_transaction_log_with_too_few_replicas(talk: Talk) -> None:
    *_, style = styles(talk.release)
    await_coordinator(talk, "few")
    request = init_producer_id("few")
    for version in talk.versions(ApiKey.INIT_PRODUCER_ID):
        talk.ask_patiently(f"init, v{version}", request, version, unready=LOADING)
    for time in ("first", "second"):
        who = Producer(MADE_UP_ID, 0)
        add = add_partitions("few", who, ("few", 0))
        talk.topic(f"few-{time}")
        talk.ask(f"add, {time}", add, style.add_partitions)
        end = end_txn("few", who, committed=True)
        talk.ask(f"end, {time}", end, style.end_txn)
    if talk.versions(ApiKey.DESCRIBE_TRANSACTIONS):
        describe = DescribeTransactionsRequest(transactional_ids=["few"])
        talk.ask("describe", describe, 0)


@scenario(alone=True, presets=EVERYWHERE)
def nothing_is_coordinated_yet(talk: Talk) -> None:
    *_, style = styles(talk.release)
    talk.topic("t")
    who = Producer(MADE_UP_ID, 0)
    talk.ask("init", init_producer_id("early"), style.init_producer_id)
    talk.ask("add", add_partitions("early", who, ("t", 0)), style.add_partitions)
    talk.ask("add offsets", add_offsets("early", who, "g"), style.add_offsets)
    talk.ask("end", end_txn("early", who, committed=True), style.end_txn)
    commit = offset_commit(talk, "early", who, Member(group="g"), ("t", 0, 1))
    talk.ask("commit offsets", commit, 0)
    talk.ask("offsets", offset_fetch(talk, "g", ("t", 0)), talk.latest(ApiKey.OFFSET_FETCH, 7))
    listing = list_offsets(("t", 0, -1), isolation_level=1)
    talk.ask("nothing is open", listing, 2)


@scenario(alone=True, presets=EVERYWHERE)
def offsets_that_nobody_coordinates(talk: Talk) -> None:
    *_, style = styles(talk.release)
    talk.topic("t")
    one = Transactor(talk, "offsets", style)
    one.init()
    request = add_offsets("offsets", one.producer, "g")
    one.send("add offsets", request, style.add_offsets)
    one.end("commit", committed=True)
    one.init("anew")


@scenario(presets=("4.4", *VARIANTS))
def features_of_transactions(talk: Talk) -> None:
    request = ApiVersionsRequest(client_software_name="conformance", client_software_version="1")
    answer = talk.expect(ApiVersionsResponse, talk.quietly(request, 4))
    finalized: dict[str, Shown] = {
        each.name: f"{each.min_version_level}-{each.max_version_level}"
        for each in answer.finalized_features
    }
    talk.note("finalized features", "ApiVersions v4", dict(sorted(finalized.items())))
