"""Table of the served APIs."""

from importlib import import_module
from pkgutil import iter_modules

import pytest

from mockbroker.broker import handlers
from mockbroker.broker.api_table import (
    API_TABLE,
    Route,
    handler_of,
    routes,
)
from mockbroker.protocol.api_keys import ApiKey
from mockbroker.protocol.messages import request_type


def test_every_route_serves_versions_that_are_declared() -> None:
    for api_key, route in routes().items():
        assert route.api_key is api_key
        declared = request_type(api_key).VERSIONS
        assert all(version in declared for version in route.versions), api_key


def test_the_table_is_in_the_order_of_the_keys() -> None:
    assert list(routes()) == sorted(routes())


def test_the_table_is_made_once() -> None:
    assert routes() is routes()


def test_every_module_beside_the_handlers_is_used_by_one_of_them() -> None:
    named = {spec.module or api_key.name.lower() for api_key, spec in API_TABLE.items()}
    modules = {module.name for module in iter_modules(handlers.__path__)}
    imported = {
        value.__module__.rpartition(".")[2]
        for name in named
        for value in vars(import_module(f"{handlers.__name__}.{name}")).values()
        if str(getattr(value, "__module__", "")).startswith(handlers.__name__)
    }
    assert named <= modules
    assert modules - named <= imported | {"default_messages", "record_versions"}


def test_a_route_finds_its_function_at_the_first_call() -> None:
    route = Route(ApiKey.END_TXN, range(1))
    assert route.handle is not handler_of(ApiKey.END_TXN)
    with pytest.raises(AttributeError):
        route.handle(None, None)  # type: ignore[arg-type]
    assert route.handle is handler_of(ApiKey.END_TXN)
