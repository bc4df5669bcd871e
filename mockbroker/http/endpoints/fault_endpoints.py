"""Faults over HTTP: make, show, wait for, release and remove them.

`/rules` is the former name of `/faults`. It is served as before, but the OpenAPI document does not
have it.
"""

import asyncio
from collections.abc import Callable
from dataclasses import replace
from typing import Final

import msgspec

from mockbroker.control.cluster_handle import ClusterHandle
from mockbroker.faults.documents.fault_document import FaultDocument, make_fault
from mockbroker.faults.documents.fault_view import FaultsView, FaultView, RulesView, fault_view
from mockbroker.faults.documents.strict import Document, View
from mockbroker.faults.fault import Fault
from mockbroker.faults.fault_state import FaultState
from mockbroker.faults.tagged import DurationField
from mockbroker.http.endpoint import ApiRequest, Endpoint, Endpoints, Nothing
from mockbroker.http.missing import missing
from mockbroker.http.problem import Problem
from mockbroker.settings.duration import milliseconds

MILLISECONDS: Final = 1000
FAULTS: Final = Endpoints()


class FaultWaitQuery(Document):
    """A number of hits, held calls or released calls to wait for, all counted from the start."""

    hits: int | None = None
    held: int | None = None
    released: int | None = None
    timeout: DurationField = "5s"


class ReleasedView(View):
    """Number of released calls."""

    released: int


@FAULTS.add("GET", "/faults", reads=Nothing, answers=FaultsView)
def list_faults(request: ApiRequest[Nothing]) -> FaultsView:
    """List all faults, including those that can fire no more."""
    return FaultsView(faults=[fault_view(fault) for fault in request.cluster.faults])


@FAULTS.add(
    "POST", "/faults", reads=FaultDocument, answers=FaultView, status=201, problems=("conflict",)
)
def add_fault(request: ApiRequest[FaultDocument]) -> FaultView:
    """Create a fault, which is applied inside the existing ones."""
    name = request.document.id
    if name is not None and any(fault.name == name for fault in request.cluster.faults):
        raise Problem("conflict", f"a fault {name!r} already exists; PUT replaces it", path="$.id")
    return fault_view(make_fault(request.cluster, request.document))


@FAULTS.add("DELETE", "/faults", reads=Nothing)
def clear_faults(request: ApiRequest[Nothing]) -> None:
    """Remove all faults; the calls that they hold are released."""
    request.cluster.faults.clear()


@FAULTS.add("POST", "/faults/{id}/release", reads=Nothing, answers=ReleasedView)
def release_fault(request: ApiRequest[Nothing]) -> ReleasedView:
    """Release the calls that a fault holds."""
    return ReleasedView(released=_fault(request.cluster, request.names["id"]).release())


@FAULTS.add(
    "GET", "/faults/{id}/wait", reads=FaultWaitQuery, answers=FaultView, problems=("timeout",)
)
async def wait_for_fault(request: ApiRequest[FaultWaitQuery]) -> FaultView:
    """Wait until a fault has fired at, held or released a number of calls."""
    fault, document = _fault(request.cluster, request.names["id"]), request.document
    state = fault.state
    counts = {"hits": document.hits, "held": document.held, "released": document.released}
    wanted = {what: count for what, count in counts.items() if count is not None} or {"hits": 1}

    def is_so() -> bool:
        counts = {"hits": state.hits, "held": state.held_ever, "released": state.released}
        return all(counts[what] >= count for what, count in wanted.items())

    timeout_ms = milliseconds(document.timeout)
    if not await _happens(request, state, is_so, timeout_ms):
        what = ", ".join(f"{what}={count}" for what, count in wanted.items())
        raise Problem("timeout", f"no {what} within {timeout_ms} ms: {fault.story()}")
    return fault_view(fault)


@FAULTS.add("GET", "/faults/{id}", reads=Nothing, answers=FaultView)
def get_fault(request: ApiRequest[Nothing]) -> FaultView:
    """Show a fault, and its counts."""
    return fault_view(_fault(request.cluster, request.names["id"]))


@FAULTS.add("PUT", "/faults/{id}", reads=FaultDocument, answers=FaultView)
def put_fault(request: ApiRequest[FaultDocument]) -> FaultView:
    """Create a fault, or replace the one with that id."""
    name, cluster = request.names["id"], request.cluster
    if request.document.id not in {None, name}:
        raise Problem("invalid", f"the path has {name!r}", path="$.id")
    names = [fault.name for fault in cluster.faults]
    at = names.index(name) if name in names else None
    if at is not None:
        # An invalid document leaves the old fault unchanged.
        make_fault(cluster, msgspec.structs.replace(request.document, id=None)).remove()
        cluster.faults[at].remove()
    fault = make_fault(cluster, msgspec.structs.replace(request.document, id=name))
    if at is not None:
        fault.state.plan.move(fault.state, at)
    return fault_view(fault)


@FAULTS.add("DELETE", "/faults/{id}", reads=Nothing)
def remove_fault(request: ApiRequest[Nothing]) -> None:
    """Remove a fault; the calls that it holds are released."""
    _fault(request.cluster, request.names["id"]).remove()


def _fault(cluster: ClusterHandle, name: str) -> Fault:
    faults = {fault.name: fault for fault in cluster.faults}
    if name not in faults:
        raise missing("fault", name, faults)
    return faults[name]


async def _happens(
    request: ApiRequest[FaultWaitQuery],
    state: FaultState,
    is_so: Callable[[], bool],
    timeout_ms: int,
) -> bool:
    """Wait on the loop for a fault.

    Raises:
        Problem: it was removed, or the cluster stops.

    """
    changed = asyncio.Event()
    watched = (state.watchers, request.host.stop_watchers)
    for watchers in watched:
        watchers.append(changed.set)
    try:
        async with asyncio.timeout(timeout_ms / MILLISECONDS):
            while not is_so():
                await changed.wait()
                changed.clear()
                _require_still_there(request, state)
    except TimeoutError:
        return False
    finally:
        for watchers in watched:
            watchers.remove(changed.set)
    return True


def _require_still_there(request: ApiRequest[FaultWaitQuery], state: FaultState) -> None:
    if request.host.is_stopping:
        raise Problem("not-running", "the cluster is stopping")
    if not any(fault.state is state for fault in request.cluster.faults):
        raise Problem("not-found", f"the fault {state.name!r} was removed")


# The former name


def list_rules(request: ApiRequest[Nothing]) -> RulesView:
    """List all faults under the former name of the field."""
    return RulesView(rules=[fault_view(fault) for fault in request.cluster.faults])


def _former(endpoint: Endpoint) -> Endpoint:
    path = endpoint.path.replace("/faults", "/rules", 1)
    if endpoint.handle is list_faults:
        return replace(endpoint, path=path, handle=list_rules, answers=RulesView)
    return replace(endpoint, path=path)


FORMER: Final = tuple(_former(each) for each in FAULTS.rows)
"""The endpoints under their former name."""
