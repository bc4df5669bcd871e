"""Enforcement of one kind of quota at one broker (Kafka's ClientQuotaManager)."""

from collections.abc import Iterator
from typing import Final, NamedTuple

from mockbroker.state.client.client_quotas import ClientQuotas
from mockbroker.state.client.quota_entity import CLIENT_ID, USER
from mockbroker.state.client.quota_rate import QuotaRate

_SECOND_MS: Final = 1000


class _Limit(NamedTuple):
    bound: float
    sharing: tuple[str, str]
    """The user and the client id that have the limit in common; empty for all."""


class QuotaManager:
    """Rates of the clients that have a quota, and the time for which one is to be throttled."""

    def __init__(
        self, key: str, quotas: ClientQuotas, *, samples: int, window_ms: int, most_ms: int | None
    ) -> None:
        """Enforce the quota of that name; no client is throttled for longer than `most_ms`."""
        self._key: Final = key
        self._quotas: Final = quotas
        self._samples: Final = samples
        self._window_ms: Final = window_ms
        self._most_ms: Final = most_ms
        self._rates: Final[dict[tuple[str, str], QuotaRate]] = {}

    def throttle_ms(self, user: str, client_id: str, value: float, now_ms: int) -> int:
        """Record a value, and return the time in which the rate falls to its bound."""
        limit = self._limit(user, client_id)
        if limit is None:
            return 0
        rate = self._rates.get(limit.sharing)
        if rate is None:
            rate = self._rates[limit.sharing] = QuotaRate(self._samples, self._window_ms)
        rate.record(value, now_ms)
        excess = rate.per_second(now_ms) - limit.bound
        if excess <= 0:
            return 0
        throttle_ms = int(excess / limit.bound * rate.window_ms(now_ms) + 0.5)
        return throttle_ms if self._most_ms is None else min(throttle_ms, self._most_ms)

    def take_back(self, user: str, client_id: str, value: float, now_ms: int) -> None:
        """Subtract what was recorded and then not sent."""
        limit = self._limit(user, client_id)
        if limit is not None and limit.sharing in self._rates:
            self._rates[limit.sharing].record(-value, now_ms)

    def most_in_window(self, user: str, client_id: str) -> float | None:
        """Return how much a client may have at once; None without a quota."""
        limit = self._limit(user, client_id)
        if limit is None:
            return None
        return limit.bound * (self._samples - 1) * self._window_ms / _SECOND_MS

    def _limit(self, user: str, client_id: str) -> _Limit | None:
        """Return the most specific quota of a client."""
        for entity, sharing in _entities(user, client_id):
            bound = self._quotas.value_of(entity, self._key)
            if bound is not None:
                return _Limit(bound, sharing)
        return None


def _entities(user: str, client_id: str) -> Iterator[tuple[dict[str, str | None], tuple[str, str]]]:
    """Yield the entities that a client belongs to in Kafka's order, and who shares their rates."""
    for name in (user, None):
        for client in (client_id, None):
            yield {USER: name, CLIENT_ID: client}, (user, client_id)
        yield {USER: name}, (user, "")
    for client in (client_id, None):
        yield {CLIENT_ID: client}, ("", client_id)
