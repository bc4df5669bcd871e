"""Quotas that a client has, and for how long it is throttled."""

import pytest

from mockbroker.state.client.client_quotas import ClientQuotas, QuotaAlteration
from mockbroker.state.client.quota_manager import QuotaManager
from mockbroker.state.client.quota_value import PRODUCER_BYTE_RATE
from mockbroker.state.release.options import Options

ENTITIES: list[dict[str, str | None]] = [
    {"user": "alice", "client-id": "app"},
    {"user": "alice", "client-id": None},
    {"user": "alice"},
    {"user": None, "client-id": "app"},
    {"user": None, "client-id": None},
    {"user": None},
    {"client-id": "app"},
    {"client-id": None},
]
"""From the most specific one on."""


def quotas_of(*entities: dict[str, str | None], value: float = 1000) -> ClientQuotas:
    quotas = ClientQuotas(Options.for_release("4.4").quotas)
    changes = [QuotaAlteration(each, [(PRODUCER_BYTE_RATE, value)]) for each in entities]
    quotas.alter(changes, validate_only=False)
    return quotas


def manager(quotas: ClientQuotas, most_ms: int | None = None) -> QuotaManager:
    return QuotaManager(PRODUCER_BYTE_RATE, quotas, samples=11, window_ms=1000, most_ms=most_ms)


@pytest.mark.parametrize("first", range(len(ENTITIES)))
def test_the_most_specific_quota_holds(first: int) -> None:
    quotas = quotas_of(*ENTITIES[first + 1 :], value=1)
    quotas.alter(
        [QuotaAlteration(ENTITIES[first], [(PRODUCER_BYTE_RATE, 1000)])], validate_only=False
    )
    assert manager(quotas).most_in_window("alice", "app") == 10_000


def test_without_a_quota_nobody_is_throttled() -> None:
    one = manager(quotas_of({"user": "bob"}))
    assert one.throttle_ms("alice", "app", 1e9, 0) == 0
    assert one.most_in_window("alice", "app") is None


def test_a_client_waits_until_its_rate_is_that_of_the_quota() -> None:
    one = manager(quotas_of({"client-id": "app"}))
    assert one.throttle_ms("alice", "app", 10_000, 0) == 0
    # 15,000 bytes in ten seconds: they would take five more.
    assert one.throttle_ms("bob", "app", 5000, 0) == 5000
    assert one.throttle_ms("bob", "other", 5000, 0) == 0


def test_users_have_rates_of_their_own() -> None:
    one = manager(quotas_of({"user": None}))
    assert one.throttle_ms("alice", "app", 15_000, 0) == 5000
    assert one.throttle_ms("alice", "other", 0, 0) == 5000
    assert one.throttle_ms("bob", "app", 10_000, 0) == 0


def test_a_throttle_time_may_have_a_limit() -> None:
    assert manager(quotas_of({"user": None}), 1000).throttle_ms("a", "b", 1e6, 0) == 1000


def test_what_was_not_sent_does_not_count() -> None:
    one = manager(quotas_of({"user": None}))
    assert one.throttle_ms("alice", "app", 15_000, 0) == 5000
    one.take_back("alice", "app", 15_000, 0)
    assert one.throttle_ms("alice", "app", 10_000, 0) == 0
