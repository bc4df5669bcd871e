"""Requests of a load to the HTTP API: faults before it starts, and requests at moments."""

import os
from collections.abc import Mapping, Sequence
from typing import Any, Final, cast

from mockbroker.http.admin_client import AdminClient, path_to
from mockbroker.spark.load.load_plan import AdminCall, Plan

TOKEN: Final = "MOCKBROKER_ADMIN_TOKEN"


def make_rules(
    admin: str | None, plan: Plan, *, topic: str, client_ids: Sequence[str]
) -> list[str]:
    """Create the plan's faults, and return their ids.

    Raises:
        AdminRequestError: there is no answer, or a rule is refused.

    """
    made: list[str] = []
    for rule in plan.rules:
        for client_id in client_ids if _speaks_of_clients(rule) else client_ids[:1]:
            document = filled(rule, {"topic": topic, "client_id": client_id})
            made.append(_client(admin).post(path_to("rules"), document)["id"])
    return made


def remove_rules(admin: str | None, ids: Sequence[str]) -> list[dict[str, Any]]:
    """Remove the created faults, and return the final state of each.

    Raises:
        AdminRequestError: there is no answer, or a rule is not there.

    """
    views = [_client(admin).get(path_to("rules", each)) for each in ids]
    for each in ids:
        _client(admin).delete(path_to("rules", each))
    return views


def ask(admin: str | None, moment: AdminCall, *, topic: str, partition: int) -> None:
    """Send the request of a moment.

    Raises:
        AdminRequestError: there is no answer, or it is refused.

    """
    words = {"topic": topic, "partition": partition}
    path = path_to(*(part.format(**words) for part in moment.path.split("/")))
    _client(admin).post(path, filled(moment.document, words))


def filled(document: Mapping[str, object], words: Mapping[str, object]) -> dict[str, object]:
    """Fill placeholders in a document's texts; a single numeric placeholder becomes a number."""
    return {name: _filled(value, words) for name, value in document.items()}


def _filled(value: object, words: Mapping[str, object]) -> object:
    if isinstance(value, str):
        name = value.removeprefix("{").removesuffix("}")
        return words[name] if value == f"{{{name}}}" and name in words else _put(value, words)
    if isinstance(value, Mapping):
        return filled(cast("Mapping[str, object]", value), words)
    if isinstance(value, list | tuple):
        return [_filled(each, words) for each in cast("Sequence[object]", value)]
    return value


def _put(text: str, words: Mapping[str, object]) -> str:
    for name, word in words.items():
        text = text.replace(f"{{{name}}}", str(word))
    return text


def _speaks_of_clients(rule: Mapping[str, object]) -> bool:
    return "{client_id}" in str(rule)


def _client(admin: str | None) -> AdminClient:
    assert admin is not None, "a plan that needs an admin API was begun without one"
    return AdminClient(admin, os.environ.get(TOKEN))
