"""Rows of the table of endpoints."""

import pytest

from mockbroker.control.cluster_handle import ClusterHandle
from mockbroker.faults.documents.strict import View
from mockbroker.http.application import ENDPOINTS
from mockbroker.http.endpoint import ApiRequest, Endpoints, Nothing
from mockbroker.http.problem import Problem
from tests.support.fake_host import FakeHost


class Shown(View):
    """A view."""


def test_a_function_becomes_a_row() -> None:
    rows = Endpoints()

    @rows.add("GET", "/things", reads=Nothing, answers=Shown)
    def list_things(_asked: ApiRequest[Nothing]) -> Shown:
        """List all things.

        At length.
        """
        return Shown()

    @rows.add("DELETE", "/things", reads=Nothing)
    def clear_things(_asked: ApiRequest[Nothing]) -> None:
        """Remove all things."""

    listed, cleared = rows.rows
    assert (listed.path, listed.status, listed.answers) == ("/api/v1/things", 200, Shown)
    assert (listed.name, listed.summary, listed.has_body) == (
        "list_things",
        "List all things",
        False,
    )
    assert (cleared.status, cleared.answers) == (204, None)
    assert list_things.__name__ == "list_things"


@pytest.mark.parametrize("text", ["", "-1", "one", "²", "1.0"])
def test_a_path_with_an_invalid_number_is_not_found(text: str) -> None:
    asked = ApiRequest(ClusterHandle(), FakeHost(), Nothing(), {"partition": text})
    with pytest.raises(Problem, match="there is no partition"):
        asked.number("partition")


def test_every_endpoint_has_a_unique_name_and_a_description() -> None:
    names = [endpoint.name for endpoint in ENDPOINTS]
    assert len(set(names)) == len(names)
    assert len({(each.method, each.path) for each in ENDPOINTS}) == len(ENDPOINTS)
    assert all(len(endpoint.summary) > 10 for endpoint in ENDPOINTS)
    assert all(endpoint.reads.__doc__ for endpoint in ENDPOINTS)
