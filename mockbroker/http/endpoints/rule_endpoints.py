"""Rules over HTTP: made, looked at, waited for, released, removed."""

import asyncio
from collections.abc import Callable
from typing import Final

import msgspec

from mockbroker.control.cluster_handle import ClusterHandle
from mockbroker.faults.documents.rule_document import RuleDocument
from mockbroker.faults.documents.rule_making import make_fault
from mockbroker.faults.documents.rule_view import RulesView, RuleView, rule_view
from mockbroker.faults.documents.strict import Document, View
from mockbroker.faults.documents.toxic_document import Duration
from mockbroker.faults.fault import Fault
from mockbroker.faults.rule import Rule
from mockbroker.http.endpoint import ApiRequest, Endpoints, Nothing
from mockbroker.http.missing import missing
from mockbroker.http.problem import Problem
from mockbroker.settings.duration import milliseconds

MILLISECONDS: Final = 1000
RULES: Final = Endpoints()


class RuleWaitQuery(Document):
    """What to wait for: so many hits, calls held, or calls released, all counted from the start."""

    hits: int | None = None
    held: int | None = None
    released: int | None = None
    timeout: Duration = "5s"


class ReleasedView(View):
    """How many calls were released."""

    released: int


@RULES.add("GET", "/rules", reads=Nothing, answers=RulesView)
def list_rules(asked: ApiRequest[Nothing]) -> RulesView:
    """List all rules, those that are over included."""
    return RulesView(rules=[rule_view(fault) for fault in asked.cluster.faults])


@RULES.add(
    "POST", "/rules", reads=RuleDocument, answers=RuleView, status=201, problems=("conflict",)
)
def add_rule(asked: ApiRequest[RuleDocument]) -> RuleView:
    """Make a rule, behind those that there are."""
    name = asked.said.id
    if name is not None and any(fault.rule.name == name for fault in asked.cluster.faults):
        raise Problem("conflict", f"there is a rule {name!r} already; PUT replaces it", path="$.id")
    return rule_view(make_fault(asked.cluster, asked.said))


@RULES.add("DELETE", "/rules", reads=Nothing)
def clear_rules(asked: ApiRequest[Nothing]) -> None:
    """Remove all rules; what they hold is released."""
    for fault in asked.cluster.faults:
        fault.remove()


@RULES.add("POST", "/rules/{id}/release", reads=Nothing, answers=ReleasedView)
def release_rule(asked: ApiRequest[Nothing]) -> ReleasedView:
    """Release the calls that a rule holds."""
    return ReleasedView(released=_fault(asked.cluster, asked.names["id"]).release())


@RULES.add("GET", "/rules/{id}/wait", reads=RuleWaitQuery, answers=RuleView, problems=("timeout",))
async def wait_for_rule(asked: ApiRequest[RuleWaitQuery]) -> RuleView:
    """Wait until a rule has struck, held or released so many calls."""
    fault, said = _fault(asked.cluster, asked.names["id"]), asked.said
    rule = fault.rule
    counts = {"hits": said.hits, "held": said.held, "released": said.released}
    wanted = {what: count for what, count in counts.items() if count is not None} or {"hits": 1}

    def is_so() -> bool:
        counts = {"hits": rule.hits, "held": rule.held_ever, "released": rule.released}
        return all(counts[what] >= count for what, count in wanted.items())

    timeout_ms = milliseconds(said.timeout)
    if not await _happens(asked, rule, is_so, timeout_ms):
        what = ", ".join(f"{what}={count}" for what, count in wanted.items())
        raise Problem("timeout", f"no {what} within {timeout_ms} ms: {fault.story()}")
    return rule_view(fault)


@RULES.add("GET", "/rules/{id}", reads=Nothing, answers=RuleView)
def get_rule(asked: ApiRequest[Nothing]) -> RuleView:
    """Show a rule, and what has come of it."""
    return rule_view(_fault(asked.cluster, asked.names["id"]))


@RULES.add("PUT", "/rules/{id}", reads=RuleDocument, answers=RuleView)
def put_rule(asked: ApiRequest[RuleDocument]) -> RuleView:
    """Make a rule, in the place of the one of that id if there is one."""
    name, cluster = asked.names["id"], asked.cluster
    if asked.said.id not in {None, name}:
        raise Problem("invalid", f"the path says {name!r}", path="$.id")
    names = [fault.rule.name for fault in cluster.faults]
    at = names.index(name) if name in names else None
    if at is not None:
        # One that cannot be made leaves the old one as it is.
        make_fault(cluster, msgspec.structs.replace(asked.said, id=None)).remove()
        cluster.faults[at].remove()
    fault = make_fault(cluster, msgspec.structs.replace(asked.said, id=name))
    if at is not None:
        fault.rule.plan.move(fault.rule, at)
    return rule_view(fault)


@RULES.add("DELETE", "/rules/{id}", reads=Nothing)
def remove_rule(asked: ApiRequest[Nothing]) -> None:
    """Remove a rule; what it holds is released."""
    _fault(asked.cluster, asked.names["id"]).remove()


def _fault(cluster: ClusterHandle, name: str) -> Fault:
    faults = {fault.rule.name: fault for fault in cluster.faults}
    if name not in faults:
        raise missing("rule", name, faults)
    return faults[name]


async def _happens(
    asked: ApiRequest[RuleWaitQuery], rule: Rule, is_so: Callable[[], bool], timeout_ms: int
) -> bool:
    """Wait on the loop; a rule that is removed meanwhile is not there.

    Raises:
        Problem: it was removed, or the cluster stops.

    """
    changed = asyncio.Event()
    watched = (rule.watchers, asked.host.stop_watchers)
    for watchers in watched:
        watchers.append(changed.set)
    try:
        async with asyncio.timeout(timeout_ms / MILLISECONDS):
            while not is_so():
                await changed.wait()
                changed.clear()
                _require_still_there(asked, rule)
    except TimeoutError:
        return False
    finally:
        for watchers in watched:
            watchers.remove(changed.set)
    return True


def _require_still_there(asked: ApiRequest[RuleWaitQuery], rule: Rule) -> None:
    if asked.host.is_stopping:
        raise Problem("not-running", "the cluster stops")
    if not any(fault.rule is rule for fault in asked.cluster.faults):
        raise Problem("not-found", f"the rule {rule.name!r} was removed")
