"""A document makes the fault that Python makes, and a fault is shown as the document it has."""

from collections.abc import Callable, Generator

import msgspec
import pytest

from mockbroker import API, ERR, Cluster, Fault, at
from mockbroker.faults.documents.rule_document import (
    EFFECTS,
    EVENTS,
    TRIGGERS,
    RuleDocument,
)
from mockbroker.faults.documents.rule_making import (
    RuleMistakeError,
    document_of,
    is_sayable,
    make_fault,
    match_of,
    trigger_of,
)

Make = Callable[[Cluster], Fault]

TOXICS: list[tuple[str, Make]] = [
    ('"slow_close":{"delay":"1s"}', lambda c: c.fault(name="r").slow_close("1s")),
    ('"timeout":{"timeout":"5s"}', lambda c: c.fault(name="r").timeout("5s")),
    ('"timeout":{}', lambda c: c.fault(name="r").timeout()),
    ('"reset_peer":{"after":"20ms"}', lambda c: c.fault(name="r").reset_peer(20)),
    ('"limit_data":{"limit_bytes":7}', lambda c: c.fault(name="r").limit_data(7)),
]

RULES: list[tuple[str, Make]] = [
    (
        (
            '{"id":"r","match":{"client_id":"me"},"trigger":{"every_time":true},'
            '"effect":{"latency":{"latency":"200ms","jitter":"50ms"}}}'
        ),
        lambda c: c.fault(client_id="me", name="r").latency("200ms", jitter=50),
    ),
    (
        (
            '{"id":"r","match":{"broker":1},"trigger":{"with_probability":0.25},'
            '"effect":{"bandwidth":{"stream":"upstream","rate_kb_s":5}}}'
        ),
        lambda c: c.fault(broker=1, name="r").bandwidth(5, stream="upstream", toxicity=0.25),
    ),
    (
        (
            '{"id":"r","match":{},"trigger":{"once":true},'
            '"effect":{"slicer":{"average_size":9,"size_variation":2,"delay":"5ms"}}}'
        ),
        lambda c: c.fault(name="r").slicer(9, size_variation=2, delay=5).once(),
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
            '"until":{"rule":"other","hits":2}}}'
        ),
        lambda c: c.fault(name="r").hold(at.rule(c.faults[0], hits=2)),
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
        '{"id":"r","match":{},"trigger":{"once":true},"effect":{"hold":"request","until":"2s"}}',
        lambda c: c.fault(name="r").hold("2000ms"),
    ),
    (
        '{"id":"r","match":{},"trigger":{"once":true},"effect":{"hold":"request"}}',
        lambda c: c.fault(name="r").hold(),
    ),
    (
        '{"id":"r","match":{"client_id":"me"},"trigger":{"once":true},"effect":{"delay":"250ms"}}',
        lambda c: c.fault(client_id="me", name="r").delay(250),
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


def read(text: str) -> RuleDocument:
    return msgspec.json.decode(text, type=RuleDocument)


@pytest.mark.parametrize(("text", "make"), RULES)
def test_both_ways_make_the_same_rule(cluster: Cluster, text: str, make: Make) -> None:
    by_python = make(cluster)
    said, words = document_of(by_python.rule), str(by_python.rule)
    assert is_sayable(by_python.rule)
    assert msgspec.json.encode(said).decode() == text
    by_python.remove()
    by_document = make_fault(cluster, read(text))
    assert str(by_document.rule) == words
    assert document_of(by_document.rule) == said


def test_every_verb_has_its_example() -> None:
    documents = [read(text) for text, _ in RULES]
    effects = {name for each in documents for name in EFFECTS if getattr(each.effect, name)}
    assert effects == set(EFFECTS)
    triggers = {name for each in documents for name in TRIGGERS if getattr(each.trigger, name)}
    assert triggers == set(TRIGGERS)
    assert all(any(f'"{name}":' in text for text, _ in RULES) for name in EVENTS)


def test_a_rule_without_a_trigger_strikes_once_and_gets_a_name(cluster: Cluster) -> None:
    fault = make_fault(cluster, read('{"effect": {"delay": 5}}'))
    assert trigger_of(fault.rule).once
    assert fault.rule.name.startswith("rule-")


@pytest.mark.parametrize(
    ("text", "path", "why"),
    [
        ('{"id": "other", "effect": {"observe": true}}', "$.id", "there is a rule 'other' already"),
        (
            '{"match": {"api": "Prodce"}, "effect": {"observe": true}}',
            "$.match.api",
            "Kafka has no API 'Prodce'; did you mean Produce?",
        ),
        ('{"effect": {"answer": "OOPS"}}', "$.effect", "'OOPS' is no error code of Kafka's"),
        ('{"effect": {"answer": 4711}}', "$.effect", "4711 is not a valid ErrorCode"),
        ('{"effect": {"delay": "soon"}}', "$.effect", "'soon' is no duration"),
        (
            '{"effect": {"delay": 1}, "trigger": {"times": 0}}',
            "$.trigger",
            "a rule strikes at least once",
        ),
        (
            '{"match": {"api": "Heartbeat"}, "effect": {"corrupt": true}}',
            "$.effect",
            "Heartbeat carries no records",
        ),
        (
            '{"effect": {"hold": "request", "until": {"rule": "othr"}}}',
            "$.effect.until.rule",
            "there is no rule 'othr'; did you mean 'other'?",
        ),
    ],
)
def test_a_rule_that_cannot_be_is_refused_and_leaves_nothing(
    cluster: Cluster, text: str, path: str, why: str
) -> None:
    with pytest.raises(RuleMistakeError) as mistake:
        make_fault(cluster, read(text))
    assert mistake.value.path == path
    assert why in mistake.value.why
    assert [fault.rule.name for fault in cluster.faults] == ["other"]


def test_a_predicate_of_python_is_not_sayable(cluster: Cluster) -> None:
    by_call = cluster.fault(API.PRODUCE, when=lambda _facts: True).duplicate()
    by_state = cluster.fault(API.PRODUCE).hold(at.condition(lambda _cluster: True))
    assert not is_sayable(by_call.rule)
    assert not is_sayable(by_state.rule)
    said = document_of(by_state.rule)
    assert said is not None
    assert said.effect.until is None


def test_a_rule_without_an_effect_has_no_document_yet(cluster: Cluster) -> None:
    begun = cluster.fault(API.PRODUCE, topic=("b", "a"))
    assert document_of(begun.rule) is None
    assert match_of(begun.rule).topic == ["a", "b"]
    assert is_sayable(begun.rule)
