"""The one table of what is served."""

import pytest

from mockbroker.call import Call
from mockbroker.dispatch import handles, routes
from mockbroker.protocol.api_keys import ApiKey
from mockbroker.protocol.messages import request_type
from mockbroker.protocol.schema import Message


def test_every_route_serves_versions_that_are_declared() -> None:
    for api_key, route in routes().items():
        assert route.api_key is api_key
        declared = request_type(api_key).VERSIONS
        assert all(version in declared for version in route.versions), api_key


def test_the_table_is_in_the_order_of_the_keys() -> None:
    assert list(routes()) == sorted(routes())


def test_the_table_is_made_once() -> None:
    assert routes() is routes()


def second(_request: Message, _call: Call) -> None:
    """Answer what is answered already."""


def test_an_api_cannot_be_handled_twice() -> None:
    routes()
    with pytest.raises(AssertionError, match="PRODUCE is handled twice"):
        handles(ApiKey.PRODUCE, versions=range(1))(second)
