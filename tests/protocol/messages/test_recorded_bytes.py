"""Our bytes equal those of Kafka's own classes: 4.4.0's and, for older versions, 2.4.1's.

`python -m tests.protocol.golden.record` records them again.
"""

import pytest

from mockbroker.protocol.codec import decode, encode
from mockbroker.protocol.schema.message import Message
from tests.protocol.golden.stored import Recorded, recorded, value_of
from tests.support.declared import kafkas_messages, versions

BY_MESSAGE: dict[str, list[Recorded]] = {}
for row in recorded():
    BY_MESSAGE.setdefault(row.message, []).append(row)
# The oldest request header, of ControlledShutdown v0, is compared in test_headers.py.
NOT_RECORDED = {("RequestHeader", 0)}


@pytest.mark.parametrize("message", kafkas_messages(), ids=lambda message: message.__name__)
def test_kafkas_bytes_are_read_and_written(message: type[Message]) -> None:
    for row in BY_MESSAGE[message.__name__]:
        value = value_of(message, row.version, row.value)
        assert encode(value, row.version) == row.data, f"v{row.version} of {row.release}"
        assert decode(message, row.version, row.data) == value


def test_every_version_is_recorded() -> None:
    declared = {(m.__name__, version) for m in kafkas_messages() for version in versions(m)}
    assert {(row.message, row.version) for row in recorded()} == declared - NOT_RECORDED
