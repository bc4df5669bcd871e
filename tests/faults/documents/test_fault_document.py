"""A document makes the fault that Python makes, and a fault is shown as the document it has."""

from collections.abc import Callable, Generator

import msgspec
import pytest

from mockbroker import API, ERR, Cluster, Fault, at
from mockbroker.faults.conditions import Event
from mockbroker.faults.documents.fault_document import (
    FaultDocument,
    FaultDocumentError,
    complete_schemas,
    document_of,
    is_expressible,
    make_fault,
)
from mockbroker.faults.kinds import effects
from mockbroker.faults.trigger import Trigger

Make = Callable[[Cluster], Fault]

TOXICS: list[tuple[str, Make]] = [
    ('"slow_close":{"delay":"1s"}', lambda c: c.fault(name="r").slow_close("1s")),
    ('"timeout":{"timeout":"5s"}', lambda c: c.fault(name="r").timeout("5s")),
    ('"timeout":{}', lambda c: c.fault(name="r").timeout()),
    ('"reset_peer":{"after":"20ms"}', lambda c: c.fault(name="r").reset_peer("20ms")),
    ('"limit_data":{"limit_bytes":7}', lambda c: c.fault(name="r").limit_data(7)),
]

FAULTS: list[tuple[str, Make]] = [
    (
        (
            '{"id":"r","match":{"client_id":"me"},"trigger":{"every_time":true},'
            '"effect":{"latency":{"latency":"200ms","jitter":"50ms"}}}'
        ),
        lambda c: c.fault(client_id="me", name="r").latency("200ms", jitter="50ms"),
    ),
    (
        (
            '{"id":"r","match":{"broker":1},"trigger":{"with_probability":0.25},'
            '"effect":{"bandwidth":{"rate_kb_s":5,"stream":"upstream"}}}'
        ),
        lambda c: c.fault(broker=1, name="r").bandwidth(5, stream="upstream", toxicity=0.25),
    ),
    (
        (
            '{"id":"r","match":{},"trigger":{"once":true},'
            '"effect":{"slicer":{"average_size":9,"size_variation":2,"delay":"5ms"}}}'
        ),
        lambda c: c.fault(name="r").slicer(9, size_variation=2, delay="5ms").once(),
    ),
    *(
        (
            '{"id":"r","match":{},"trigger":{"every_time":true},"effect":{' + effect + "}}",
            make,
        )
        for effect, make in TOXICS
    ),
    (
        (
            '{"id":"r","match":{"api":"Produce","topic":"orders"},"trigger":{"on_call":1},'
            '"effect":{"lose_response":"after_apply"}}'
        ),
        lambda c: c.fault(API.PRODUCE, topic="orders", name="r").lose_response().on_call(1),
    ),
    (
        (
            '{"id":"r","match":{"api":["Fetch","Produce"],"partition":[0,1]},"trigger":{"times":2},'
            '"effect":{"answer":"NOT_LEADER_OR_FOLLOWER"}}'
        ),
        lambda c: (
            c.fault([API.FETCH, API.PRODUCE], partition=[0, 1], name="r")
            .answer(ERR.NOT_LEADER_OR_FOLLOWER)
            .times(2)
        ),
    ),
    (
        (
            '{"id":"r","match":{"api":"EndTxn","transactional_id":"a*"},"trigger":{"every_time":true},'
            '"effect":{"apply_then_answer":"CONCURRENT_TRANSACTIONS","top_level":true}}'
        ),
        lambda c: (
            c.fault(API.END_TXN, transactional_id="a*", name="r")
            .apply_then_answer("CONCURRENT_TRANSACTIONS", top_level=True)
            .every_time()
        ),
    ),
    (
        (
            '{"id":"r","match":{"broker":1},"trigger":{"with_probability":0.25},'
            '"effect":{"drop_request":"before_apply","how":"silence"}}'
        ),
        lambda c: c.fault(broker=1, name="r").drop_request(how="silence").with_probability(0.25),
    ),
    (
        (
            '{"id":"r","match":{"api":"Produce"},"trigger":{"once":true},"effect":{"hold":"request",'
            '"until":{"marker":"abort","topic":"orders","partition":0},"block_connection":false}}'
        ),
        lambda c: (
            c.fault(API.PRODUCE, name="r")
            .hold(until=at.abort_marker("orders", 0), block_connection=False)
            .once()
        ),
    ),
    (
        (
            '{"id":"r","match":{},"trigger":{"once":true},"effect":{"hold_response":"after_apply",'
            '"until":{"marker":"commit","topic":"orders","partition":0,"producer_id":7}}}'
        ),
        lambda c: c.fault(name="r").hold_response(at.commit_marker("orders", 0, producer_id=7)),
    ),
    (
        (
            '{"id":"r","match":{},"trigger":{"once":true},"effect":{"hold":"request",'
            '"until":{"fault":"other","hits":2}}}'
        ),
        lambda c: c.fault(name="r").hold(at.fault(c.faults[0], hits=2)),
    ),
    (
        (
            '{"id":"r","match":{},"trigger":{"once":true},"effect":{"hold":"request",'
            '"until":{"epoch_bump":"a"}}}'
        ),
        lambda c: c.fault(name="r").hold(at.epoch_bump("a")),
    ),
    (
        (
            '{"id":"r","match":{},"trigger":{"once":true},"effect":{"hold":"request",'
            '"until":{"transaction_state":{"transactional_id":"a","state":"CompleteAbort"}}}}'
        ),
        lambda c: c.fault(name="r").hold(at.transaction_state("a", "CompleteAbort")),
    ),
    (
        (
            '{"id":"r","match":{},"trigger":{"once":true},"effect":{"hold":"request",'
            '"until":{"records":3,"topic":"orders","partition":0}}}'
        ),
        lambda c: c.fault(name="r").hold(at.records("orders", 3, partition=0)),
    ),
    (
        (
            '{"id":"r","match":{},"trigger":{"once":true},"effect":{"hold":"request",'
            '"until":{"log_end_offset":9,"topic":"orders","partition":0}}}'
        ),
        lambda c: c.fault(name="r").hold(at.log_end_offset("orders", 0, 9)),
    ),
    (
        '{"id":"r","match":{},"trigger":{"once":true},"effect":{"hold":"request","until":"2s"}}',
        lambda c: c.fault(name="r").hold("2000ms"),
    ),
    (
        '{"id":"r","match":{},"trigger":{"once":true},"effect":{"hold":"request"}}',
        lambda c: c.fault(name="r").hold(),
    ),
    (
        '{"id":"r","match":{"client_id":"me"},"trigger":{"once":true},"effect":{"delay":"250ms"}}',
        lambda c: c.fault(client_id="me", name="r").delay("250ms"),
    ),
    (
        (
            '{"id":"r","match":{"api":"Fetch","version":12},"trigger":{"once":true},'
            '"effect":{"throttle":"1m"}}'
        ),
        lambda c: c.fault(API.FETCH, version=12, name="r").throttle("60s"),
    ),
    (
        (
            '{"id":"r","match":{"producer_id":1,"producer_epoch":0,"base_sequence":5},'
            '"trigger":{"once":true},"effect":{"duplicate":true}}'
        ),
        lambda c: c.fault(producer_id=1, producer_epoch=0, base_sequence=5, name="r").duplicate(),
    ),
    (
        '{"id":"r","match":{"api":"Produce"},"trigger":{"once":true},"effect":{"corrupt":true}}',
        lambda c: c.fault(API.PRODUCE, name="r").corrupt(),
    ),
    (
        (
            '{"id":"r","match":{"group":"g","connection":3},"trigger":{"every_time":true},'
            '"effect":{"observe":true}}'
        ),
        lambda c: c.fault(group="g", connection=3, name="r").observe(),
    ),
    (
        '{"id":"r","match":{},"trigger":{"once":true},"effect":{"observe":true}}',
        lambda c: c.fault(name="r").observe().once(),
    ),
]


@pytest.fixture(scope="module")
def shared() -> Generator[Cluster]:
    with Cluster(topics={"orders": 2}) as cluster:
        yield cluster


@pytest.fixture
def cluster(shared: Cluster) -> Generator[Cluster]:
    shared.fault(API.METADATA, name="other").observe()
    yield shared
    for fault in shared.faults:
        fault.remove()


def read(text: str) -> FaultDocument:
    return msgspec.json.decode(text, type=FaultDocument)


@pytest.mark.parametrize(("text", "make"), FAULTS)
def test_python_and_json_make_the_same_fault(cluster: Cluster, text: str, make: Make) -> None:
    by_python = make(cluster)
    given, words = document_of(by_python.state), str(by_python.state)
    assert is_expressible(by_python.state)
    assert msgspec.json.encode(given).decode() == text
    by_python.remove()
    by_document = make_fault(cluster, read(text))
    assert str(by_document.state) == words
    assert document_of(by_document.state) == given


def test_every_kind_has_its_example() -> None:
    documents = [read(text) for text, _ in FAULTS]
    assert {name for each in documents for name in each.effect} >= set(effects())
    assert {name for each in documents for name in each.trigger or ()} == set(Trigger.KINDS)
    assert all(any(f'"{name}":' in text for text, _ in FAULTS) for name in Event.KINDS)


def test_a_fault_without_a_trigger_fires_once_and_gets_a_name(cluster: Cluster) -> None:
    fault = make_fault(cluster, read('{"effect": {"delay": 5}}'))
    assert fault.state.trigger.as_json() == {"once": True}
    assert fault.name.startswith("fault-")


def test_the_former_name_of_a_fault_is_read(cluster: Cluster) -> None:
    text = '{"effect": {"hold": "request", "until": {"rule": "other", "hits": 2}}}'
    assert str(make_fault(cluster, read(text)).state.effect) == (
        "hold(until=at.fault('other', hits=2))"
    )


def test_null_and_false_count_as_omitted(cluster: Cluster) -> None:
    text = '{"effect": {"delay": 5, "answer": null, "duplicate": false, "top_level": false}}'
    assert str(make_fault(cluster, read(text)).state.effect) == "delay('5ms')"


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ('{"match": {"topc": "orders"}, "effect": {"observe": true}}', r"`topc` - at `\$.match`"),
        ('{"efect": {}}', "`efect`"),
        ('{"match": {}}', "missing required field `effect`"),
    ],
)
def test_a_document_of_another_form_is_refused(text: str, why: str) -> None:
    with pytest.raises(msgspec.ValidationError, match=why):
        read(text)


def test_schemas_without_faults_are_unchanged() -> None:
    schemas: dict[str, object] = {"Other": {}}
    complete_schemas(schemas)
    assert schemas == {"Other": {}}


@pytest.mark.parametrize(
    ("text", "path", "why"),
    [
        ('{"effect": {}}', "$.effect", "exactly one of answer, apply_then_answer, "),
        ('{"effect": {"answer": "A", "delay": 1}}', "$.effect", "found answer, delay"),
        (
            '{"effect": {"error": "NONE"}}',
            "$.effect",
            "unknown field `error`; did you mean answer",
        ),
        ('{"effect": {"dely": 1}}', "$.effect", "unknown field `dely`; did you mean delay"),
        (
            '{"effect": {"delay": "1s", "how": "silence"}}',
            "$.effect",
            "`how` does not go with `delay`",
        ),
        (
            '{"effect": {"lose_response": "before_apply"}}',
            "$.effect.lose_response",
            "Invalid value 'before_apply'",
        ),
        ('{"effect": {"duplicate": 1}}', "$.effect.duplicate", "expected `true`"),
        ('{"effect": {"observe": true}, "trigger": {}}', "$.trigger", "found none"),
        ('{"effect": {"hold": "request", "until": {}}}', "$.effect.until", "found none"),
        (
            '{"effect": {"hold": "request", "until": {"marker": "abort", "topic": "orders"}}}',
            "$.effect.until",
            "missing required field `partition`",
        ),
        (
            '{"effect": {"hold": "request", "until": {"epoch_bump": "x", "hits": 2}}}',
            "$.effect.until",
            "`hits` does not go with `epoch_bump`",
        ),
        ('{"effect": {"latency": {}}}', "$.effect.latency", "missing required field `latency`"),
        (
            '{"effect": {"latency": {"latency": "1s", "jiter": "1s"}}}',
            "$.effect.latency",
            "unknown field `jiter`; did you mean jitter",
        ),
        (
            '{"effect": {"timeout": {"stream": "sideways"}}}',
            "$.effect.timeout.stream",
            "Invalid enum value 'sideways'",
        ),
        ('{"effect": {"timeout": {}, "reset_peer": {}}}', "$.effect", "found reset_peer, timeout"),
        (
            '{"id": "other", "effect": {"observe": true}}',
            "$.id",
            "a fault 'other' already exists",
        ),
        (
            '{"match": {"api": "Prodce"}, "effect": {"observe": true}}',
            "$.match.api",
            "Kafka has no API 'Prodce'; did you mean 'Produce'?",
        ),
        ('{"effect": {"answer": "OOPS"}}', "$.effect", "'OOPS' is not an error code of Kafka"),
        (
            '{"match": {"api": "EndTxn", "topic": "orders"}, "effect": {"observe": true}}',
            "$.match.topic",
            "topic: calls of EndTxn do not have it",
        ),
        ('{"match": {"api": "Vote"}, "effect": {"observe": true}}', "$.match.api", "not served"),
        (
            '{"effect": {"timeout": {"toxicity": 0.5}}, "trigger": {"times": 2}}',
            "$.trigger",
            "already has with_probability(0.5), which times(2) would replace",
        ),
        ('{"effect": {"answer": 4711}}', "$.effect", "4711 is not the number of an error of Kafka"),
        ('{"effect": {"delay": "soon"}}', "$.effect", "'soon' is not a duration"),
        (
            '{"effect": {"delay": 1}, "trigger": {"times": 0}}',
            "$.trigger",
            "a fault fires at least once",
        ),
        (
            '{"match": {"api": "Heartbeat"}, "effect": {"corrupt": true}}',
            "$.effect",
            "Heartbeat carries no records",
        ),
        (
            '{"effect": {"hold": "request", "until": {"rule": "othr"}}}',
            "$.effect.until.fault",
            "there is no fault 'othr'; did you mean 'other'?",
        ),
    ],
)
def test_an_invalid_fault_is_refused_and_not_added(
    cluster: Cluster, text: str, path: str, why: str
) -> None:
    with pytest.raises(FaultDocumentError) as mistake:
        make_fault(cluster, read(text))
    assert mistake.value.path == path
    assert why in mistake.value.why
    assert [fault.name for fault in cluster.faults] == ["other"]


def test_a_predicate_of_python_is_not_expressible(cluster: Cluster) -> None:
    by_call = cluster.fault(API.PRODUCE, when=lambda _facts: True).duplicate()
    by_state = cluster.fault(API.PRODUCE).hold(at.condition(lambda _cluster: True))
    assert not is_expressible(by_call.state)
    assert not is_expressible(by_state.state)
    given = document_of(by_state.state)
    assert given is not None
    assert given.effect == {"hold": "request"}


def test_a_fault_without_an_effect_has_no_document_yet(cluster: Cluster) -> None:
    begun = cluster.fault(API.PRODUCE, topic=("b", "a"))
    assert document_of(begun.state) is None
    assert begun.state.selectors.match.topic == ["a", "b"]
    assert is_expressible(begun.state)
