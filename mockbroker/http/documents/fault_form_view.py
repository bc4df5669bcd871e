"""Document of the form for a fault: what calls of an API can carry."""

from typing import Final

from mockbroker.broker.api_table import Route
from mockbroker.faults.call_facts import selectable
from mockbroker.faults.documents.strict import View
from mockbroker.faults.effect import Effect
from mockbroker.faults.kinds import effects
from mockbroker.faults.selectors import NAMES, OF_CONNECTION
from mockbroker.faults.trigger import Trigger
from mockbroker.faults.unsent_error import unsent_error
from mockbroker.protocol.api_keys import ApiKey
from mockbroker.protocol.errors import ErrorCode

_VALUES: Final = {
    "answer": {"error": "UNKNOWN_SERVER_ERROR"},
    "apply_then_answer": {"error": "UNKNOWN_SERVER_ERROR"},
    "delay": {"by": "1ms"},
    "throttle": {"by": "1ms"},
}
"""Values of effects that need one, to ask whether an API can carry the effect."""


class FaultFormView(View):
    """Choices for a fault on the calls of one API."""

    api: str
    selectors: list[str]
    """Selectors that its calls can have."""
    effects: list[str]
    """Effects that its calls can have."""
    errors: list[str]
    """Errors that Kafka's brokers answer it with."""
    triggers: list[str]
    apis: list[str]
    """All APIs that the cluster serves."""


def fault_form_view(api: ApiKey, served: dict[ApiKey, Route]) -> FaultFormView:
    """Show the choices for an API."""
    versions = served[api].versions
    can_have = {*selectable(api, versions), *OF_CONNECTION, "version"}
    return FaultFormView(
        api=api.title,
        selectors=[name for name in NAMES if name in can_have],
        effects=[name for name in effects() if _can_carry(name, api, versions)],
        errors=sorted(
            code.name
            for code in ErrorCode
            if code is not ErrorCode.NONE and unsent_error(code, [api]) is None
        ),
        triggers=list(Trigger.KINDS),
        apis=sorted(each.title for each in served),
    )


def _can_carry(name: str, api: ApiKey, versions: range) -> bool:
    kind = effects()[name]
    if not issubclass(kind, Effect):
        return False  # a toxic is on a connection, and not on an API
    try:
        kind(**_VALUES.get(name, {})).check(api, versions)
    except ValueError:
        return False
    return True
