"""APIs by their names."""

from typing import get_args

import pytest

from mockbroker import API
from mockbroker.settings.api_names import ApiName, api_of, apis_of


@pytest.mark.parametrize(
    "name",
    [
        "InitProducerId",
        "INIT_PRODUCER_ID",
        "init_producer_id",
        "init-producer-id",
        "initPROducerid",
    ],
)
def test_an_api_is_found_in_any_case_with_or_without_underscores(name: str) -> None:
    assert api_of(name) is API.INIT_PRODUCER_ID


@pytest.mark.parametrize(
    ("name", "near"),
    [("Prodce", "Produce"), ("END_TX", "EndTxn"), ("describetopic", "DescribeTopicPartitions")],
)
def test_an_unknown_name_suggests_the_nearest_one(name: str, near: str) -> None:
    with pytest.raises(ValueError, match=rf"^Kafka has no API {name!r}; did you mean {near!r}\?$"):
        api_of(name)


def test_a_name_like_no_other_suggests_nothing() -> None:
    with pytest.raises(ValueError, match=r"^Kafka has no API 'xyz'$"):
        api_of("xyz")


def test_one_api_or_several_are_given_themselves_or_by_name() -> None:
    assert apis_of("Fetch") is API.FETCH
    assert apis_of(API.FETCH) is API.FETCH
    assert apis_of(("FETCH", API.PRODUCE)) == [API.FETCH, API.PRODUCE]


def test_a_number_without_an_api_and_an_empty_collection_are_refused() -> None:
    with pytest.raises(ValueError, match="no API with the number 999"):
        apis_of(999)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="an empty collection"):
        apis_of([])


def test_type_checkers_know_the_names_that_there_are() -> None:
    assert set(get_args(ApiName)) == {name for key in API for name in (key.title, key.name)}
