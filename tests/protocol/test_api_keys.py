import pytest

from mockbroker.protocol.api_keys import ApiKey
from tests.support import facts

REQUESTS = {
    message["apiKey"]: name.removesuffix("Request")
    for name, message in facts.messages("4.4.0").items()
    if message["type"] == "request"
}


def test_the_keys_and_names_are_those_of_the_message_files() -> None:
    assert {key.value: key.title for key in ApiKey if not key.is_extension} == REQUESTS


def test_an_extension_key_is_far_from_kafkas_keys() -> None:
    extensions = [key for key in ApiKey if key.is_extension]
    assert extensions == [ApiKey.DESCRIBE_TRANSACTION_STATE]
    assert min(extensions) > 10 * max(REQUESTS)


@pytest.mark.parametrize("name", facts.advertised())
def test_every_advertised_key_is_known_by_its_name(name: str) -> None:
    key, _, _ = facts.advertised()[name]
    assert ApiKey(key).title == name


def test_a_title_is_written_as_in_kafkas_documents() -> None:
    assert ApiKey.INIT_PRODUCER_ID.title == "InitProducerId"
