"""The table of Kafka's error codes includes every recorded one."""

from collections import defaultdict
from collections.abc import Iterator
from itertools import product

import pytest

from mockbroker.broker.api_table import routes
from mockbroker.protocol.api_keys import ApiKey
from mockbroker.protocol.error_response import ERROR_CODES, error_levels
from mockbroker.protocol.errors import ErrorCode
from mockbroker.protocol.response_errors import RESPONSE_ERRORS
from tests.conformance.recordings import read
from tests.conformance.releases import RELEASES
from tests.conformance.script import scenarios
from tests.conformance.stored import Shown

BY_TITLE = {api.title: api for api in ApiKey}


def codes_in(shown: Shown) -> Iterator[str]:
    if isinstance(shown, dict):
        for name, value in shown.items():
            if name in ERROR_CODES and isinstance(value, str):
                yield value
            yield from codes_in(value)
    elif isinstance(shown, list):
        for each in shown:
            yield from codes_in(each)


def recorded() -> dict[ApiKey, set[ErrorCode]]:
    """Return the recorded errors of real brokers, by API."""
    found: dict[ApiKey, set[ErrorCode]] = defaultdict(set)
    for scenario, release in product(scenarios().values(), RELEASES):
        for step in read(scenario, release) if scenario.applies_to(release) else ():
            api = BY_TITLE.get(step.asked.split(" ")[0])
            if api is not None:
                found[api] |= {ErrorCode[code] for code in codes_in(step.answer)}
    return found


@pytest.mark.slow
def test_every_recorded_error_is_in_the_table() -> None:
    found = recorded()
    assert len(found) > 60
    missing = {
        api.title: sorted(code.name for code in codes - RESPONSE_ERRORS[api])
        for api, codes in found.items()
        if codes - RESPONSE_ERRORS[api]
    }
    assert missing == {}


def test_every_api_with_errors_in_its_responses_has_a_row() -> None:
    with_errors = {
        route.api_key
        for route in routes().values()
        if any(error_levels(route.api_key, version) for version in route.versions)
    }
    assert with_errors <= set(RESPONSE_ERRORS)


def test_server_errors_are_possible_in_every_api_and_foreign_errors_in_none() -> None:
    for api, errors in RESPONSE_ERRORS.items():
        assert ErrorCode.UNKNOWN_SERVER_ERROR in errors, api
    assert ErrorCode.MEMBER_ID_REQUIRED not in RESPONSE_ERRORS[ApiKey.PRODUCE]
    assert ErrorCode.OUT_OF_ORDER_SEQUENCE_NUMBER not in RESPONSE_ERRORS[ApiKey.END_TXN]
    everywhere = set(ErrorCode)
    for errors in RESPONSE_ERRORS.values():
        everywhere &= errors
    assert {code.name for code in everywhere} == {
        "NONE", "UNKNOWN_SERVER_ERROR", "INVALID_REQUEST", "UNSUPPORTED_VERSION",
    }  # fmt: skip
