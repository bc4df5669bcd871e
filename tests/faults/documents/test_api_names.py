"""APIs by their names."""

import pytest

from mockbroker import API
from mockbroker.faults.documents.api_names import api_of


def test_an_api_has_kafkas_name_and_ours() -> None:
    assert api_of("InitProducerId") is API.INIT_PRODUCER_ID
    assert api_of("INIT_PRODUCER_ID") is API.INIT_PRODUCER_ID


def test_a_name_that_is_none_names_one_that_is_near() -> None:
    with pytest.raises(ValueError, match="no API 'Prodce'; did you mean Produce"):
        api_of("Prodce")
