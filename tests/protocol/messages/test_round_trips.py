"""Every message in every version round-trips through the compiled and the interpreted codec."""

import pytest

from mockbroker.protocol.codec import decode, encode, message_construct
from mockbroker.protocol.schema.message import Message
from tests.support.declared import ValueMaker, all_messages, versions

SAMPLES = 4


def assert_round_trip(value: Message, version: int) -> None:
    message = type(value)
    interpreted = message_construct(message, version)
    data = encode(value, version)
    assert interpreted.build_bytes(value) == data
    assert decode(message, version, data) == value
    assert interpreted.parse_bytes(data) == value


@pytest.mark.parametrize("message", all_messages(), ids=lambda message: message.__name__)
def test_an_encoded_message_is_decoded_again(message: type[Message]) -> None:
    for version in versions(message):
        for sample in range(SAMPLES):
            seed = f"{message.__name__} v{version} #{sample}"  # pytest shows it at a failure
            assert_round_trip(ValueMaker(seed).message(message, version), version)


@pytest.mark.parametrize("message", all_messages(), ids=lambda message: message.__name__)
def test_the_smallest_values_are_decoded_again(message: type[Message]) -> None:
    for version in versions(message):
        assert_round_trip(ValueMaker("", small=True).message(message, version), version)


@pytest.mark.parametrize("message", all_messages(), ids=lambda message: message.__name__)
def test_a_message_with_nothing_set_can_be_written_in_every_version(message: type[Message]) -> None:
    for version in versions(message):
        data = encode(message(), version)
        assert encode(decode(message, version, data), version) == data
