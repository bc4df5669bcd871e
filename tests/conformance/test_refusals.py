"""Each refusal of the newer group APIs is recorded, or has a reason why it is not."""

from collections.abc import Iterator

from mockbroker.protocol.api_keys import ApiKey
from tests.conformance import golden
from tests.conformance.recordings import read
from tests.conformance.refusals import TABLE, Answered, Refusal, errors_in, refusals
from tests.conformance.releases import CLASSIC, RELEASES
from tests.conformance.script import Scenario, scenarios

OFFSETS = {"OffsetCommit", "OffsetFetch", "TxnOffsetCommit", "OffsetDelete", "DeleteGroups"}
"""APIs of classic groups too, whose scenarios are in other modules."""
NEWEST = {"4.4", CLASSIC}
KNOWN = list(refusals(TABLE.read_text("utf-8")))


def answered(scenario: Scenario) -> Iterator[tuple[str, Answered]]:
    """List the errors that the newest release answered, with their APIs."""
    release = next(each for each in RELEASES if scenario.applies_to(each))
    for step in read(scenario, release):
        api = step.asked.partition(" ")[0]
        for error in errors_in(step.answer):
            yield api, error


def asking(apis: set[str]) -> list[Scenario]:
    """Return the scenarios of these APIs in the newest release."""
    chosen = [each for each in scenarios().values() if NEWEST.intersection(each.presets)]
    texts = {path: path.read_text("utf-8") for path in map(golden.path_of, chosen)}
    with_apis = {path for path, text in texts.items() if any(f'"{api} v' in text for api in apis)}
    return [each for each in chosen if golden.path_of(each) in with_apis]


def unrecorded(table: list[Refusal]) -> list[Refusal]:
    """Return the refusals whose scenario does not show them."""
    known = scenarios()
    shown = {each.scenario: set(answered(known[each.scenario])) for each in table if each.scenario}
    return [
        each
        for each in table
        if each.scenario
        and not any(api == each.api and each.matches(error) for api, error in shown[each.scenario])
    ]


def test_each_refusal_is_in_its_scenario() -> None:
    assert unrecorded(KNOWN) == []


def test_a_refusal_that_its_scenario_does_not_show_is_found() -> None:
    text = "ShareFetch\n share_session_limit\n  SHARE_SESSION_LIMIT_REACHED\n  INVALID_REQUEST\n"
    (missing,) = unrecorded(list(refusals(text)))
    assert missing.code == "INVALID_REQUEST"


def test_each_refusal_is_listed_once() -> None:
    keys = [(each.api, each.code, each.message) for each in KNOWN]
    assert sorted(keys, key=repr) == sorted(set(keys), key=repr)


def test_each_recorded_refusal_is_listed() -> None:
    apis = {each.api for each in KNOWN} - OFFSETS
    missing = {
        (scenario.name, api, error)
        for scenario in asking(apis)
        for api, error in answered(scenario)
        if api in apis and not any(each.api == api and each.matches(error) for each in KNOWN)
    }
    assert missing == set()


def test_the_table_names_apis_and_reasons() -> None:
    titles = {each.title for each in ApiKey}
    for each in KNOWN:
        assert each.api in titles, each
        assert bool(each.scenario) != bool(each.reason), each
