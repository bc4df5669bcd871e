"""Records whose checksum does not fit any more."""

import pytest

from mockbroker.faults.effects.corrupt import Corrupt
from mockbroker.faults.trigger import Times
from mockbroker.protocol import crc32c as checksums
from mockbroker.protocol.api_keys import ApiKey
from mockbroker.protocol.errors import ErrorCode
from mockbroker.protocol.messages.fetch import FetchResponse
from mockbroker.protocol.records.batch import CRC_FROM, parse_batch_header
from tests.faults.test_call_facts import fetch_in_session
from tests.support.faults import Plan, produced


@pytest.fixture
def plan() -> Plan:
    return Plan()


def test_produced_records_are_refused_as_corrupt_the_others_are_not(plan: Plan) -> None:
    plan.fault(Corrupt(), Times(1), api=ApiKey.PRODUCE, partition=1)
    peer = plan.brokers.connect()
    answer = produced(peer, 0, 1)
    assert answer == {("orders", 0): 0, ("orders", 1): ErrorCode.CORRUPT_MESSAGE}
    assert plan.ends() == [1, 0]
    assert produced(peer, 1) == {("orders", 1): 0}


@pytest.mark.parametrize("version", [12, 13])
def test_fetched_records_are_corrupted_but_not_the_log(plan: Plan, version: int) -> None:
    peer = plan.brokers.connect()
    produced(peer, 0, 1)
    plan.fault(Corrupt(), Times(1), api=ApiKey.FETCH, partition=1)
    is_whole: list[dict[int, bool]] = []
    for _ in range(2):
        request = fetch_in_session(plan.brokers, version, 0, -1, 0, 1)
        answer = peer.ask(request, version, FetchResponse)
        is_whole.append(
            {p.partition_index: fits(p.records) for p in answer.responses[0].partitions}
        )
    assert is_whole == [{0: True, 1: False}, {0: True, 1: True}]


def fits(records: object) -> bool:
    data = bytes(records)  # type: ignore[call-overload]
    return checksums.crc32c(data[CRC_FROM:]) == parse_batch_header(data).crc


def test_only_apis_that_carry_records_can_be_corrupted() -> None:
    Corrupt().check(ApiKey.PRODUCE, range(14))
    Corrupt().check(ApiKey.FETCH, range(19))
    with pytest.raises(ValueError, match="Heartbeat carries no records"):
        Corrupt().check(ApiKey.HEARTBEAT, range(5))
    assert str(Corrupt()) == "corrupt()"
