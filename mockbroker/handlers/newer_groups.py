"""The group protocols after the classic one, each as a broker answers that has it turned off.

Consumer groups of KIP-848 need `group.version`, share groups (KIP-932) `share.version`, streams
groups (KIP-1071) `streams.version`; all three are 0 here (docs/decisions/0011). A protocol that
comes to be served takes its rows out of the table, and has handlers of its own.
"""

from collections.abc import Mapping
from typing import Final, NamedTuple

from mockbroker.call import Call
from mockbroker.default_messages import DEFAULT_MESSAGES
from mockbroker.dispatch import Handle, handles
from mockbroker.protocol.api_keys import ApiKey
from mockbroker.protocol.error_response import error_response
from mockbroker.protocol.errors import ApiError, ErrorCode
from mockbroker.protocol.schema import Message


class TurnedOff(NamedTuple):
    """An API that is known, and refused because its feature is at level 0."""

    feature: str
    versions: range
    message: str = ""
    """What is said beside the error code, where Kafka says something."""


_UNSUPPORTED: Final = DEFAULT_MESSAGES[ErrorCode.UNSUPPORTED_VERSION]

_TURNED_OFF: Final[Mapping[ApiKey, TurnedOff]] = {
    ApiKey.CONSUMER_GROUP_HEARTBEAT: TurnedOff("group.version", range(2)),
    ApiKey.CONSUMER_GROUP_DESCRIBE: TurnedOff("group.version", range(2)),
    ApiKey.SHARE_GROUP_HEARTBEAT: TurnedOff("share.version", range(1, 2)),
    ApiKey.SHARE_GROUP_DESCRIBE: TurnedOff("share.version", range(1, 2)),
    ApiKey.SHARE_FETCH: TurnedOff("share.version", range(1, 3)),
    ApiKey.SHARE_ACKNOWLEDGE: TurnedOff("share.version", range(1, 3)),
    ApiKey.DESCRIBE_SHARE_GROUP_OFFSETS: TurnedOff("share.version", range(2)),
    ApiKey.ALTER_SHARE_GROUP_OFFSETS: TurnedOff("share.version", range(1), _UNSUPPORTED),
    ApiKey.DELETE_SHARE_GROUP_OFFSETS: TurnedOff("share.version", range(1), _UNSUPPORTED),
    ApiKey.STREAMS_GROUP_HEARTBEAT: TurnedOff("streams.version", range(2)),
    ApiKey.STREAMS_GROUP_DESCRIBE: TurnedOff("streams.version", range(2)),
    ApiKey.STREAMS_GROUP_TOPOLOGY_DESCRIPTION_UPDATE: TurnedOff("streams.version", range(1)),
}


def _refusing(turned_off: TurnedOff) -> Handle:
    why = f"{turned_off.feature} is 0: the protocol is not served; classic groups are"
    noted = ApiError(ErrorCode.UNSUPPORTED_VERSION, why)
    answered = ApiError(ErrorCode.UNSUPPORTED_VERSION, turned_off.message)

    def refuse(request: Message, call: Call) -> Message:
        call.service.refusals.note(
            "feature_refused", noted, api=call.api_key.name, client_id=call.client_id
        )
        return error_response(request, call.api_version, answered)

    return refuse


for _api_key, _turned_off in _TURNED_OFF.items():
    handles(_api_key, versions=_turned_off.versions)(_refusing(_turned_off))
