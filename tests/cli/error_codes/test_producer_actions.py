"""Actions of a transactional producer after errors."""

import pytest

from mockbroker.cli.error_codes.producer_actions import (
    PRODUCER_APIS,
    ProducerAction,
    producer_action,
    producer_actions,
)
from mockbroker.protocol.api_keys import ApiKey
from mockbroker.protocol.errors import RETRIABLE_ERRORS, ErrorCode


@pytest.mark.parametrize("api", PRODUCER_APIS)
def test_a_retriable_error_is_sent_again_everywhere(api: ApiKey) -> None:
    assert {producer_action(api, error) for error in RETRIABLE_ERRORS} == {ProducerAction.RETRIABLE}
    assert producer_action(api, ErrorCode.NONE) is ProducerAction.SUCCESS


@pytest.mark.parametrize("api", PRODUCER_APIS)
def test_a_fenced_producer_is_over(api: ApiKey) -> None:
    assert producer_action(api, ErrorCode.PRODUCER_FENCED) is ProducerAction.FATAL


def test_an_old_epoch_can_be_outlived_only_in_produce() -> None:
    found = producer_actions(ErrorCode.INVALID_PRODUCER_EPOCH)
    assert found.pop(ApiKey.PRODUCE) is ProducerAction.ABORTABLE
    assert set(found.values()) == {ProducerAction.FATAL}
    assert ApiKey.FIND_COORDINATOR not in found


def test_unexpected_errors_are_fatal_except_in_produce_and_add_partitions_to_txn() -> None:
    unknown = {api: producer_action(api, ErrorCode.UNKNOWN_SERVER_ERROR) for api in PRODUCER_APIS}
    abortable = {api for api, each in unknown.items() if each is ProducerAction.ABORTABLE}
    assert abortable == {ApiKey.PRODUCE, ApiKey.ADD_PARTITIONS_TO_TXN}
    assert set(unknown.values()) == {ProducerAction.ABORTABLE, ProducerAction.FATAL}


def test_a_group_that_moved_on_costs_the_transaction() -> None:
    for error in (ErrorCode.ILLEGAL_GENERATION, ErrorCode.UNKNOWN_MEMBER_ID):
        assert producer_actions(error) == {ApiKey.TXN_OFFSET_COMMIT: ProducerAction.ABORTABLE}


def test_a_duplicate_sequence_counts_as_a_success() -> None:
    assert producer_actions(ErrorCode.DUPLICATE_SEQUENCE_NUMBER) == {
        ApiKey.PRODUCE: ProducerAction.SUCCESS
    }


def test_errors_have_an_action_in_the_apis_that_send_them() -> None:
    assert set(producer_actions(ErrorCode.NOT_ENOUGH_REPLICAS)) == {ApiKey.PRODUCE}
    assert set(producer_actions(ErrorCode.UNKNOWN_SERVER_ERROR)) == set(PRODUCER_APIS)


def test_errors_that_no_producer_gets_have_no_action() -> None:
    assert not producer_actions(ErrorCode.INVALID_FETCH_SIZE)
    assert not producer_actions(ErrorCode.FETCH_SESSION_ID_NOT_FOUND)
    assert not producer_actions(ErrorCode.NONE)
    with pytest.raises(LookupError):
        producer_action(ApiKey.FETCH, ErrorCode.INVALID_FETCH_SIZE)
