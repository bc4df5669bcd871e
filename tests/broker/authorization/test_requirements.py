"""Each API is in one of the tables."""

from mockbroker.broker.api_table import API_TABLE
from mockbroker.broker.authorization.requirements import (
    AUTHORIZED_APIS,
    DECIDED_BY_HANDLER,
    ITEMS,
    NEEDS_NO_RIGHT,
    ON_CONFIGS,
    WHOLE,
)
from mockbroker.protocol.api_keys import ApiKey
from mockbroker.protocol.error_response import error_levels
from mockbroker.protocol.messages import request_type


def test_no_api_is_in_two_tables_that_exclude_each_other() -> None:
    in_tables = {*WHOLE, *ITEMS, *ON_CONFIGS}
    assert not in_tables & (DECIDED_BY_HANDLER | NEEDS_NO_RIGHT)
    assert not DECIDED_BY_HANDLER & NEEDS_NO_RIGHT


def test_every_api_is_served_with_an_authorizer() -> None:
    assert set(API_TABLE) == AUTHORIZED_APIS


def test_the_fields_that_name_resources_exist() -> None:
    for api_key, rights in WHOLE.items():
        fields = request_type(api_key).FIELDS
        assert all(right.named_by in {"", *fields} for right in rights), api_key


def test_refusals_have_a_place_in_the_response() -> None:
    for api_key in (*WHOLE, *ITEMS):
        versions = API_TABLE[ApiKey(api_key)].versions
        assert error_levels(api_key, versions[-1]), api_key
