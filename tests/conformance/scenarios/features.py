"""UpdateFeatures: upgrades and downgrades of finalized features, and their effect."""

from itertools import product

from mockbroker.protocol.api_keys import ApiKey
from mockbroker.protocol.errors import ErrorCode
from mockbroker.protocol.messages.api_versions import ApiVersionsRequest, ApiVersionsResponse
from mockbroker.protocol.messages.update_features import (
    FeatureUpdateKey,
    UpdateFeaturesRequest,
    UpdateFeaturesResponse,
)
from mockbroker.protocol.schema.message import Message
from tests.conformance.releases import defaults_since
from tests.conformance.scenarios.configs import BROKER, Change, describe, increment
from tests.conformance.script import scenario
from tests.conformance.talk import CONTROLLER, Talk
from tests.conformance.transactions import (
    Transactor,
    await_complete,
    await_coordinator,
    await_stable,
    styles,
)

UPGRADE, SAFE_DOWNGRADE, UNSAFE_DOWNGRADE = 1, 2, 3
TV = "transaction.version"
ELR = "eligible.leader.replicas.version"


def update(
    *updates: tuple[str, int, int], validate_only: bool = False, timeout_ms: int = 30_000
) -> UpdateFeaturesRequest:
    """Build an UpdateFeatures request from (name, level, kind of change)."""
    return UpdateFeaturesRequest(
        timeout_ms=timeout_ms,
        feature_updates=[
            FeatureUpdateKey(
                feature=name,
                max_version_level=level,
                upgrade_type=kind,
                allow_downgrade=kind in {SAFE_DOWNGRADE, UNSAFE_DOWNGRADE},
            )
            for name, level, kind in updates
        ],
        validate_only=validate_only,
    )


def await_level(talk: Talk, title: str, name: str, level: int) -> None:
    """Wait until a broker has a feature at a level, and record its response as a step."""

    def is_so(answer: Message) -> bool:
        assert isinstance(answer, ApiVersionsResponse)
        found = {each.name: each.max_version_level for each in answer.finalized_features}
        return found.get(name, 0) == level

    request = ApiVersionsRequest(client_software_name="a", client_software_version="1")
    version = talk.latest(ApiKey.API_VERSIONS, 4)
    talk.until_quietly(request, version, is_so)
    answer = talk.expect(ApiVersionsResponse, talk.quietly(request, version))
    levels = {each.name: each.max_version_level for each in answer.finalized_features}
    talk.note(title, f"ApiVersions v{version}", {name: levels.get(name, "(absent)")})


@scenario(alone=True, presets=defaults_since("3.6"))
def update_features_that_are_refused(talk: Talk) -> None:
    for version in talk.versions(ApiKey.UPDATE_FEATURES):
        for title, updates in [
            ("none", []),
            ("unknown", [("no.such", 1, UPGRADE)]),
            ("unknown, down", [("no.such", 1, SAFE_DOWNGRADE)]),
            ("unknown, off", [("no.such", 0, SAFE_DOWNGRADE)]),
            ("no name", [("", 1, UPGRADE)]),
            ("metadata.version too high", [("metadata.version", 99, UPGRADE)]),
            ("metadata.version too low", [("metadata.version", 1, SAFE_DOWNGRADE)]),
            ("metadata.version off", [("metadata.version", 0, SAFE_DOWNGRADE)]),
            ("metadata.version negative", [("metadata.version", -1, UPGRADE)]),
            ("kraft.version too high", [("kraft.version", 7, UPGRADE)]),
            ("kraft.version as it is", [("kraft.version", 0, UPGRADE)]),
            ("twice", [("metadata.version", 99, UPGRADE), ("metadata.version", 98, UPGRADE)]),
            ("two unknown", [("no.such", 1, UPGRADE), ("no.other", 1, UPGRADE)]),
            ("kind 0", [("metadata.version", 20, 0)]),
            ("kind 9", [("metadata.version", 20, 9)]),
        ]:
            if version == 0 and title.startswith("kind"):
                continue
            talk.ask(f"{title}, v{version}", update(*updates), version)
            if version >= 1:
                checked = update(*updates, validate_only=True)
                talk.ask(f"{title}, only checked, v{version}", checked, version)
        talk.ask(f"without time, v{version}", update(("no.such", 1, 1), timeout_ms=0), version)


@scenario(alone=True, presets=("2.8",))
def update_features_of_zookeeper(talk: Talk) -> None:
    for title, updates in [
        ("none", []),
        ("unknown", [("no.such", 1, UPGRADE)]),
        ("unknown, down", [("no.such", 1, SAFE_DOWNGRADE)]),
        ("unknown, off", [("no.such", 0, SAFE_DOWNGRADE)]),
        ("off without downgrade", [("no.such", 0, UPGRADE)]),
        ("negative", [("no.such", -1, UPGRADE)]),
        ("no name", [("", 1, UPGRADE)]),
        ("twice", [("a", 1, UPGRADE), ("a", 2, UPGRADE)]),
        ("two unknown", [("no.such", 1, UPGRADE), ("no.other", 1, UPGRADE)]),
    ]:
        talk.ask(title, update(*updates), 0)


@scenario(brokers=3, presets=defaults_since("2.8"))
def update_features_of_others(talk: Talk) -> None:
    controller = talk.controller()
    other = controller % 3 + 1
    talk.roles[other] = "another broker"
    for broker in (1, 2, 3):  # with KRaft, Metadata names any of them
        talk.names.learn_text(f" controller {broker} ", " controller <controller> ")
    for version in talk.versions(ApiKey.UPDATE_FEATURES):
        for title, updates in [("none", []), ("unknown", [("no.such", 1, UPGRADE)])]:
            for broker in (other, CONTROLLER):
                talk.ask(f"{title}, v{version}", update(*updates), version, broker=broker)


@scenario(alone=True, presets=("4.4",))
def update_features(talk: Talk) -> None:
    for version in talk.versions(ApiKey.UPDATE_FEATURES):
        for title, updates in [
            ("too high", [(TV, 3, UPGRADE)]),
            ("negative", [(TV, -1, SAFE_DOWNGRADE)]),
            ("as it is, up", [(TV, 2, UPGRADE)]),
            ("as it is, down", [(TV, 2, SAFE_DOWNGRADE)]),
            ("as it is, unsafe", [(TV, 2, UNSAFE_DOWNGRADE)]),
            ("down without saying so", [(TV, 1, UPGRADE)]),
            ("two down, one unknown", [(TV, 1, SAFE_DOWNGRADE), ("no.such", 1, UPGRADE)]),
            ("one unknown, one down", [("no.such", 1, UPGRADE), (TV, 1, SAFE_DOWNGRADE)]),
        ]:
            talk.ask(f"{title}, v{version}", update(*updates), version)
        for kind, level in product((SAFE_DOWNGRADE, UNSAFE_DOWNGRADE), (1, 0)):
            if version >= 1:
                request = update((TV, level, kind), validate_only=True)
                talk.ask(f"{level}, only checked, as {kind}, v{version}", request, version)
        await_level(talk, f"nothing changed, v{version}", TV, 2)
        for level, kind in [
            (1, SAFE_DOWNGRADE),
            (0, SAFE_DOWNGRADE),
            (1, UPGRADE),
            (0, UNSAFE_DOWNGRADE),
            (2, UPGRADE),
        ]:
            request = update((TV, level, kind))
            answer = talk.ask(f"to {level} as {kind}, v{version}", request, version)
            if talk.expect(UpdateFeaturesResponse, answer).error_code == ErrorCode.NONE:
                await_level(talk, f"is at {level}, v{version}", TV, level)


@scenario(alone=True, presets=("4.4",))
def update_several_features(talk: Talk) -> None:
    newest = talk.latest(ApiKey.UPDATE_FEATURES)
    for name, level, kind in [
        ("group.version", 0, SAFE_DOWNGRADE),
        ("share.version", 0, SAFE_DOWNGRADE),
        ("streams.version", 0, SAFE_DOWNGRADE),
        (ELR, 0, SAFE_DOWNGRADE),
        (ELR, 1, SAFE_DOWNGRADE),
        (ELR, 1, UPGRADE),
        (ELR, 2, UPGRADE),
    ]:
        answer = talk.ask(f"{name} to {level}", update((name, level, kind)), newest)
        if talk.expect(UpdateFeaturesResponse, answer).error_code == ErrorCode.NONE:
            await_level(talk, f"{name} is at {level}", name, level)
    several = update(("group.version", 0, SAFE_DOWNGRADE), (TV, 0, SAFE_DOWNGRADE))
    talk.ask("two at once", several, newest)
    await_level(talk, "both are off", TV, 0)
    again = update((TV, 1, UPGRADE), (TV, 2, UPGRADE))
    talk.ask("one twice", again, newest)
    await_level(talk, "the last one counts", TV, 2)
    mixed = update((ELR, 0, SAFE_DOWNGRADE), (TV, 0, UPGRADE))
    talk.ask("one can, one cannot", mixed, newest)
    talk.ask("kraft.version to 1", update(("kraft.version", 1, UPGRADE)), newest)


LOWER_METADATA_VERSIONS = {
    "4.4": (32, 29, 25, 7),
    "3.9": (20, 19, 14, 7, 6, 4, 3, 1),
    "3.6": (13, 10, 7, 6, 4, 3, 1),
}


@scenario(alone=True, presets=defaults_since("3.6"))
def metadata_version_goes_down_and_up(talk: Talk) -> None:
    newest = talk.latest(ApiKey.UPDATE_FEATURES)
    levels = LOWER_METADATA_VERSIONS[talk.release.preset]
    for level, kind in product(levels, (UPGRADE, SAFE_DOWNGRADE, UNSAFE_DOWNGRADE)):
        request = update(("metadata.version", level, kind), validate_only=True)
        talk.ask(f"to {level} as {kind}, only checked", request, newest)


@scenario(alone=True, presets=("4.4",))
def levels_of_transactions_are_in_force(talk: Talk) -> None:
    newest = talk.latest(ApiKey.UPDATE_FEATURES)
    *_, style = styles(talk.release)
    talk.topic("t")
    name = "levels"
    await_coordinator(talk, name)
    one = Transactor(talk, name, style)
    one.init()
    one.write("begun at 2", ("t", 0), b"a")
    for level, kind in [(1, SAFE_DOWNGRADE), (2, UPGRADE), (0, SAFE_DOWNGRADE)]:
        talk.ask(f"to {level}", update((TV, level, kind)), newest)
        await_level(talk, f"is at {level}", TV, level)
        one.end(f"ended at {level}", committed=True)
        if level:
            await_stable(talk, ("t", 0))
            await_complete(talk, one, committed=True)
            one.write(f"begun at {level}", ("t", 0), b"b")


@scenario(alone=True, presets=("4.4",))
def eligible_leader_replicas_pin_a_config(talk: Talk) -> None:
    newest = talk.latest(ApiKey.UPDATE_FEATURES)
    configs = talk.latest(ApiKey.INCREMENTAL_ALTER_CONFIGS)
    name = "min.insync.replicas"

    def change(title: str) -> None:
        for broker, value, operation in [
            ("1", "1", 0),
            ("", None, 1),
            ("1", None, 1),
            ("", "1", 0),
        ]:
            request = increment(BROKER, broker, Change(name, value, operation))
            talk.ask(f"{title}: {broker!r}, {value}", request, configs)
            talk.let_time_pass(300)
            asked = describe((BROKER, "1", [name]), (BROKER, "", [name]))
            talk.ask(f"{title}, described", asked, talk.latest(ApiKey.DESCRIBE_CONFIGS))

    change("on")
    talk.ask("off", update((ELR, 0, SAFE_DOWNGRADE)), newest)
    await_level(talk, "is off", ELR, 0)
    change("off")
    request = increment(BROKER, "1", Change(name, "1"))
    talk.ask("the broker's own", request, configs)
    talk.ask("none for all", increment(BROKER, "", Change(name, None, 1)), configs)
    talk.ask("on again", update((ELR, 1, UPGRADE)), newest)
    await_level(talk, "is on", ELR, 1)
    talk.let_time_pass(500)
    change("on again")
