"""Client quotas: allowed values and entities, and their descriptions (KIP-546, KIP-612)."""

from mockbroker.protocol.api_keys import ApiKey
from mockbroker.protocol.messages.alter_client_quotas import (
    AlterClientQuotasRequest,
    EntityData,
    EntryData,
    OpData,
)
from mockbroker.protocol.messages.describe_client_quotas import (
    ComponentData,
    DescribeClientQuotasRequest,
)
from tests.conformance.batches import plain
from tests.conformance.releases import defaults_since
from tests.conformance.requests import Wanted, fetch, produce
from tests.conformance.scenarios.fetch import fill
from tests.conformance.script import scenario
from tests.conformance.talk import Talk

Entity = tuple[tuple[str, str | None], ...]
ALICE: Entity = (("user", "alice"),)
EVERY_USER: Entity = (("user", None),)
PRODUCED = "producer_byte_rate"
CONSUMED = "consumer_byte_rate"
REQUESTS = "request_percentage"
MUTATIONS = "controller_mutation_rate"
CONNECTIONS = "connection_creation_rate"
EXACT, DEFAULT, ANY = 0, 1, 2
PLENTY = 1e9
Component = tuple[str, int, str | None]
FILTERS: list[list[Component]] = [
    [],
    [("user", EXACT, "alice")],
    [("user", EXACT, "nobody")],
    [("user", DEFAULT, None)],
    [("user", ANY, None)],
    [("client-id", ANY, None)],
    [("ip", ANY, None)],
    [("ip", EXACT, "10.0.0.1")],
    [("ip", DEFAULT, None)],
    [("user", EXACT, "alice"), ("client-id", EXACT, "c")],
    [("client-id", ANY, None), ("user", EXACT, "bob")],
    [("user", DEFAULT, None), ("client-id", DEFAULT, None)],
    [("user", ANY, None), ("client-id", ANY, None)],
]
ODD_FILTERS: list[list[Component]] = [
    [("", EXACT, "alice")],
    [("nonsense", EXACT, "alice")],
    [("USER", EXACT, "alice")],
    [("user", EXACT, None)],
    [("user", EXACT, "")],
    [("user", DEFAULT, "alice")],
    [("user", ANY, "alice")],
    [("user", 3, None)],
    [("user", -1, "alice")],
    [("user", EXACT, "alice"), ("user", EXACT, "bob")],
    [("user", ANY, None), ("user", EXACT, "bob")],
    [("user", EXACT, "alice"), ("ip", EXACT, "10.0.0.1")],
    [("client-id", ANY, None), ("ip", ANY, None)],
    [("nonsense", 3, None), ("", 3, None)],
]


def entry(entity: Entity, **values: float | None) -> EntryData:
    """Describe a change of an entity's quotas; None removes one."""
    return entry_of(entity, list(values.items()))


def entry_of(entity: Entity, values: list[tuple[str, float | None]]) -> EntryData:
    """Describe a change of an entity's quotas in the given order, with repetitions."""
    return EntryData(
        entity=[EntityData(entity_type=kind, entity_name=name) for kind, name in entity],
        ops=[OpData(key=key, value=value or 0.0, remove=value is None) for key, value in values],
    )


def alter(*entries: EntryData, validate_only: bool = False) -> AlterClientQuotasRequest:
    """Build an AlterClientQuotas request."""
    return AlterClientQuotasRequest(entries=list(entries), validate_only=validate_only)


def describe(*components: Component, strict: bool = False) -> DescribeClientQuotasRequest:
    """Build a DescribeClientQuotas request with a filter."""
    return DescribeClientQuotasRequest(
        components=[
            ComponentData(entity_type=kind, match_type=match_type, match=match)
            for kind, match_type, match in components
        ],
        strict=strict,
    )


def ask_for_all(talk: Talk, when: str) -> None:
    """Describe all quotas, as soon as the last change is visible."""
    talk.wait_a_moment()
    talk.ask(f"all, {when}", describe(), talk.latest(ApiKey.DESCRIBE_CLIENT_QUOTAS))


@scenario(alone=True, presets=defaults_since("2.8"))
def client_quotas(talk: Talk) -> None:
    newest = talk.latest(ApiKey.ALTER_CLIENT_QUOTAS)
    ask_for_all(talk, "when there is nothing")
    for version in talk.versions(ApiKey.ALTER_CLIENT_QUOTAS):
        name = f"alice{version}"
        user: Entity = (("user", name),)
        talk.ask(f"set one, v{version}", alter(entry(user, producer_byte_rate=1000.0)), version)
        ask_for_all(talk, f"after v{version}")
        talk.ask(
            f"set another, only to be validated, v{version}",
            alter(entry(user, consumer_byte_rate=1000.0), validate_only=True),
            version,
        )
        ask_for_all(talk, f"after validation with v{version}")
        talk.ask(
            f"change one and set one, v{version}",
            alter(entry(user, producer_byte_rate=2000.0, consumer_byte_rate=3000.0)),
            version,
        )
        ask_for_all(talk, f"after a change with v{version}")
        talk.ask(f"take one away, v{version}", alter(entry(user, producer_byte_rate=None)), version)
        ask_for_all(talk, f"after taking away with v{version}")
        talk.ask(
            f"take it away again, v{version}", alter(entry(user, producer_byte_rate=None)), version
        )
        talk.ask(f"take all away, v{version}", alter(entry(user, consumer_byte_rate=None)), version)
        ask_for_all(talk, f"after taking all away with v{version}")
    talk.ask("none at all", alter(), newest)
    talk.ask("nothing for an entity", alter(entry(ALICE)), newest)
    talk.ask("take away what nobody knows", alter(entry_of(ALICE, [("nonsense", None)])), newest)
    ask_for_all(talk, "after nothing was set")


@scenario(alone=True, presets=defaults_since("2.8"))
def client_quotas_of_entities(talk: Talk) -> None:
    newest = talk.latest(ApiKey.ALTER_CLIENT_QUOTAS)
    entities: list[Entity] = [
        ALICE,
        EVERY_USER,
        (("client-id", "c"),),
        (("client-id", None),),
        (("user", "alice"), ("client-id", "c")),
        (("user", "bob"), ("client-id", None)),
        (("user", None), ("client-id", "c")),
        (("user", None), ("client-id", None)),
        (("client-id", "d"), ("user", "bob")),
        (("user", "a/b c*ü"),),
    ]
    for entity in entities:
        talk.ask(f"set for {entity}", alter(entry(entity, producer_byte_rate=PLENTY)), newest)
    for address in ("10.0.0.1", "fe80::1", None):
        request = alter(entry((("ip", address),), connection_creation_rate=1e6))
        talk.ask(f"set for address {address}", request, newest)
    ask_for_all(talk, "after that")
    for version in talk.versions(ApiKey.DESCRIBE_CLIENT_QUOTAS):
        for strict in (False, True):
            for components in FILTERS:
                title = f"those of {components}{', strictly' if strict else ''}, v{version}"
                talk.ask(title, describe(*components, strict=strict), version)


@scenario(presets=defaults_since("2.8"))
def client_quotas_of_odd_filters(talk: Talk) -> None:
    for version in talk.versions(ApiKey.DESCRIBE_CLIENT_QUOTAS):
        for components in ODD_FILTERS:
            talk.ask(f"those of {components}, v{version}", describe(*components), version)


ODD_ENTITIES: list[Entity] = [
    (),
    (("nonsense", "x"),),
    (("", "x"),),
    (("user", ""),),
    (("client-id", ""),),
    (("ip", ""),),
    (("user", "alice"), ("nonsense", "x")),
    (("user", "alice"), ("user", "alice")),
    (("user", "alice"), ("user", "bob")),
    (("user", "alice"), ("ip", "10.0.0.1")),
    (("client-id", "c"), ("ip", "10.0.0.1")),
    (("ip", "no such host"),),
    (("ip", "300.1.1.1"),),
    (("ip", "127.1"),),
]
ODD_VALUES: list[list[tuple[str, float | None]]] = [
    [(PRODUCED, 0.0)],
    [(PRODUCED, -1.0)],
    [(PRODUCED, 1.5)],
    [(PRODUCED, 1e300)],
    [(PRODUCED, float(2**63))],
    [(PRODUCED, 1.0000001)],
    [(REQUESTS, 0.5)],
    [(REQUESTS, -0.5)],
    [(MUTATIONS, 1e300)],
    [(CONNECTIONS, 5.0)],
    [("nonsense", 5.0)],
    [("", 5.0)],
    [(PRODUCED, PLENTY), ("nonsense", 5.0)],
    [("nonsense", 5.0), (PRODUCED, PLENTY)],
    [(CONSUMED, PLENTY), (CONSUMED, PLENTY)],
    [(CONSUMED, PLENTY), (CONSUMED, None)],
]
ODD_VALUES_OF_ADDRESSES: list[list[tuple[str, float | None]]] = [
    [(PRODUCED, PLENTY)],
    [(CONNECTIONS, 0.5)],
    [(CONNECTIONS, 1.5)],
    [(CONNECTIONS, 1e10)],
    [(CONNECTIONS, 0.0)],
]


@scenario(alone=True, presets=defaults_since("2.8"))
def client_quotas_that_are_refused(talk: Talk) -> None:
    newest = talk.latest(ApiKey.ALTER_CLIENT_QUOTAS)
    for validate_only in (False, True):
        only = ", only to be validated" if validate_only else ""
        for entity in ODD_ENTITIES:
            request = alter(entry(entity, producer_byte_rate=PLENTY), validate_only=validate_only)
            talk.ask(f"set for {entity}{only}", request, newest)
        for values in ODD_VALUES:
            request = alter(entry_of(ALICE, values), validate_only=validate_only)
            talk.ask(f"set {values}{only}", request, newest)
        for values in ODD_VALUES_OF_ADDRESSES:
            request = alter(entry_of((("ip", "10.0.0.2"),), values), validate_only=validate_only)
            talk.ask(f"set {values} for an address{only}", request, newest)
        ask_for_all(talk, f"after refusals{only}")
    bob: Entity = (("user", "bob"),)
    talk.ask(
        "one of two is refused",
        alter(entry(ALICE, producer_byte_rate=PLENTY), entry(bob, nonsense=1.0)),
        newest,
    )
    ask_for_all(talk, "after one of two")
    talk.ask(
        "an entity twice",
        alter(entry(bob, producer_byte_rate=PLENTY), entry(bob, consumer_byte_rate=PLENTY)),
        newest,
    )
    ask_for_all(talk, "after an entity twice")
    talk.ask("of v0 as well", alter(entry((), producer_byte_rate=1.0)), 0)


EVERY_CLIENT: Entity = (("client-id", None),)
EVERY_CLIENT_OF_USERS: Entity = (("user", None), ("client-id", None))
LARGE_BYTES = 16_000


@scenario(alone=True, presets=defaults_since("2.8"))
def client_quotas_that_throttle(talk: Talk) -> None:
    """The first request beyond a quota: later ones depend on the time that has passed.

    Each entity has a rate of its own, so that all of these requests are the first ones.
    """
    talk.topic("t")
    fill(talk, "t", LARGE_BYTES, 5)
    for title, entity in (
        ("of every client", EVERY_CLIENT),
        ("of every user", EVERY_USER),
        ("of every client of users", EVERY_CLIENT_OF_USERS),
    ):
        _set(talk, entity, producer_byte_rate=1500.0)
        data = plain(b"x" * LARGE_BYTES, at_ms=talk.at(0))
        talk.ask(
            f"produce beyond the quota {title}",
            produce(talk, ("t", 0, data)),
            talk.latest(ApiKey.PRODUCE),
            connection=f"producer {title}",
        )
        _set(talk, entity, producer_byte_rate=None, consumer_byte_rate=1500.0)
        talk.ask(
            f"fetch beyond the quota {title}",
            fetch(talk, Wanted("t", 0)),
            talk.latest(ApiKey.FETCH),
            connection=f"consumer {title}",
        )
        _set(talk, entity, consumer_byte_rate=None)
        talk.ask(
            f"fetch without the quota {title}",
            fetch(talk, Wanted("t", 0, 1, max_bytes=500)),
            talk.latest(ApiKey.FETCH),
            connection=f"reader {title}",
        )
    _set(talk, EVERY_CLIENT, producer_byte_rate=1e9, consumer_byte_rate=1e9)
    within = produce(talk, ("t", 0, plain(b"x", at_ms=talk.at(0))))
    talk.ask("produce within the quota", within, talk.latest(ApiKey.PRODUCE), connection="within")
    _set(talk, EVERY_CLIENT, producer_byte_rate=None, consumer_byte_rate=None)


def _set(talk: Talk, entity: Entity, **values: float | None) -> None:
    """Set or remove quotas, and wait until the broker knows it."""
    talk.quietly(alter(entry(entity, **values)), talk.latest(ApiKey.ALTER_CLIENT_QUOTAS))
    talk.wait_a_moment(4)
