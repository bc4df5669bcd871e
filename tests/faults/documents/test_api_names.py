"""APIs by their names."""

import pytest

from mockbroker import API
from mockbroker.faults.documents.api_names import api_of


def test_an_api_is_found_by_kafkas_name_and_by_the_name_in_python() -> None:
    assert api_of("InitProducerId") is API.INIT_PRODUCER_ID
    assert api_of("INIT_PRODUCER_ID") is API.INIT_PRODUCER_ID


def test_an_unknown_name_suggests_a_similar_one() -> None:
    with pytest.raises(ValueError, match="no API 'Prodce'; did you mean Produce"):
        api_of("Prodce")
