"""Every error on every API and version that is served: on one item, the others untouched."""

from typing import Final

import pytest

from mockbroker.broker.api_table import routes
from mockbroker.broker.request_items import Item
from mockbroker.faults.call_facts import facts_of, selectable
from mockbroker.faults.effects.answer import Answer
from mockbroker.faults.fault_state import FaultState
from mockbroker.protocol.api_keys import ApiKey
from mockbroker.protocol.codec import decode_prefix
from mockbroker.protocol.error_response import error_levels, errors_in
from mockbroker.protocol.errors import ErrorCode
from mockbroker.protocol.headers import ResponseHeader, response_header_version
from mockbroker.protocol.messages import request_type, response_type
from mockbroker.protocol.messages.read_share_group_state import ReadShareGroupStateResponse
from mockbroker.protocol.messages.write_share_group_state import WriteShareGroupStateResponse
from mockbroker.protocol.schema.message import Message
from tests.faults.test_call_facts import call_of
from tests.protocol.golden.stored import Recorded, recorded, value_of
from tests.support.faults import Plan

SERVED: Final = tuple(key for key in routes() if not key.is_extension)
RECORDED: Final = recorded()
HUNG_UP_ON: Final = {(ApiKey.PRODUCE, version) for version in range(3)}
"""Versions that 4.x advertises and does not answer."""
EMPTY: Final = {(ApiKey.DESCRIBE_LOG_DIRS, 1), (ApiKey.DESCRIBE_LOG_DIRS, 2)}
"""Versions whose refusal has neither a top-level error code nor a directory with one."""
WITHOUT_SESSION: Final = {ErrorCode.SHARE_SESSION_NOT_FOUND, ErrorCode.INVALID_SHARE_SESSION_EPOCH}
"""Errors of a whole request: the recorded ones continue sessions. `test_share_answer` has some."""
WITHOUT_ITEMS: Final = (ReadShareGroupStateResponse(), WriteShareGroupStateResponse())
"""Answers to requests with a topic without partitions: Kafka does not look at the other topics."""
ERROR: Final = ErrorCode.INVALID_REPLICATION_FACTOR
"""An error that hardly any API returns itself, so that it comes from the fault."""


def requests_of(api_key: ApiKey) -> list[tuple[int, Message]]:
    """Return the largest recorded request of an API in each version."""
    kind = request_type(api_key)
    rows: dict[int, Recorded] = {}
    for row in RECORDED:
        if row.message == kind.__name__:
            rows[row.version] = max(row, rows.get(row.version, row), key=lambda r: len(r.data))
    served = Plan().brokers.service.routes[api_key].versions
    return [(v, value_of(kind, v, row.value)) for v, row in sorted(rows.items()) if v in served]


def has_items(api_key: ApiKey, version: int) -> bool:
    """Return whether an answer has error codes for the items of its request."""
    levels = error_levels(api_key, version)
    return api_key is not ApiKey.DESCRIBE_LOG_DIRS and any("[]" in level for level in levels)


def ask(plan: Plan, request: Message, version: int) -> Message | None:
    assert request.API is not None
    peer = plan.brokers.connect()
    peer.send(request, version)
    frames = peer.new_frames()
    if not frames:
        return None
    header_version = response_header_version(request.API, version)
    _, position = decode_prefix(ResponseHeader, header_version, frames[0])
    answer, _ = decode_prefix(response_type(request.API), version, frames[0], position)
    return answer


def rule_for(plan: Plan, api_key: ApiKey, item: Item | None) -> FaultState:
    named = {} if item is None else dict(item.named)
    return plan.fault(Answer(ERROR), None, api=api_key, **named)


@pytest.mark.parametrize("api_key", SERVED, ids=lambda key: key.title)
def test_an_error_is_sent_in_every_version(api_key: ApiKey) -> None:
    asked = requests_of(api_key)
    assert asked
    for version, request in asked:
        if getattr(request, "acks", 1) == 0 or (api_key, version) in EMPTY:
            continue
        plan = Plan()
        fault = rule_for(plan, api_key, None)
        answer = ask(plan, request, version)
        assert fault.hits == 1
        assert answer is not None, version
        found = [code for code in errors_in(answer) if code]
        assert found, f"v{version} {request} {answer}"
        assert set(found) == {ERROR}, f"v{version} {answer}"


@pytest.mark.parametrize("api_key", SERVED, ids=lambda key: key.title)
def test_items_have_the_selectors_that_are_offered_and_no_others(api_key: ApiKey) -> None:
    for version, request in requests_of(api_key):
        items = facts_of(request, call_of(Plan().brokers, api_key, version)).items
        found = {name for item in items for name in item.named}
        assert found <= selectable(api_key, [version]), f"v{version}"


@pytest.mark.parametrize("api_key", SERVED, ids=lambda key: key.title)
def test_one_item_fails_and_the_others_succeed(api_key: ApiKey) -> None:
    for version, request in requests_of(api_key):
        plan = Plan()
        items = facts_of(request, call_of(plan.brokers, api_key, version)).items
        names = {tuple(sorted(item.named.items(), key=str)) for item in items}
        if len(names) < 2 or getattr(request, "acks", 1) == 0:
            continue
        if (api_key, version) in HUNG_UP_ON or not has_items(api_key, version):
            continue
        if getattr(ask(Plan(), request, version), "error_code", None) in WITHOUT_SESSION:
            continue
        fault = rule_for(plan, api_key, max(items, key=lambda item: len(item.path)))
        answer = ask(plan, request, version)
        assert fault.hits == 1, f"v{version}"
        assert answer is not None
        codes = list(errors_in(answer))
        struck = sum(code is ERROR for code in codes)
        if ask(Plan(), request, version) in WITHOUT_ITEMS:
            assert struck == len(codes)
        else:
            assert 1 <= struck < len(codes), f"v{version} {answer}"
