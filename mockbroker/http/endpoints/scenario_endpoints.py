"""The session as a scenario over HTTP."""

from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

from mockbroker.faults.documents.strict import Document, View
from mockbroker.http.endpoint import ApiRequest, Endpoints

if TYPE_CHECKING:
    from mockbroker.scenario.recording import Recording

SCENARIO: Final = Endpoints()
_RECORDING: Final = "mockbroker.scenario.recording"
"""Loaded by name: the port need not wait for the table of actions."""


class RecordingQuery(Document):
    """Whether steps wait for what clients had done before them."""

    waits: bool = True


class RecordingView(View):
    """What was done to the cluster since its start, or since it was reset."""

    scenario: dict[str, Any]
    """A scenario, as a file has it."""
    left_out: list[str]
    """Actions that a file has no form for, such as a fault with a predicate of Python."""


@SCENARIO.add("GET", "/scenario", reads=RecordingQuery, answers=RecordingView)
def get_scenario(request: ApiRequest[RecordingQuery]) -> RecordingView:
    """Record what was done to the cluster as a scenario: settings, faults, and control calls."""
    recording: Recording = import_module(_RECORDING).record(
        request.cluster, waits=request.document.waits
    )
    return RecordingView(scenario=recording.document, left_out=list(recording.left_out))
