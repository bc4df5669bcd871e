"""Client quotas: altered, described and found (KIP-546, KIP-612); `quota_manager.py` enforces them.

The class follows Kafka's `ClientQuotaControlManager`. `quota_entity.py`, `quota_value.py` and
`quota_filter.py` hold the parts that all entities share.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple, TypeAlias

from mockbroker.protocol.errors import ApiError, ErrorCode
from mockbroker.state.client.quota_entity import QuotaEntity, check_entity, entity_text
from mockbroker.state.client.quota_filter import QuotaFilter
from mockbroker.state.client.quota_value import ENFORCED, checked_value
from mockbroker.state.release.quota_options import QuotaOptions

_Key: TypeAlias = frozenset[tuple[str, str | None]]


class QuotaAlteration(NamedTuple):
    """Changes for an entity, in order; None removes a quota."""

    entity: QuotaEntity
    changes: Sequence[tuple[str, float | None]]


class DescribedQuotas(NamedTuple):
    """An entity and its quotas."""

    entity: QuotaEntity
    values: dict[str, float]


class AlteredQuotas(NamedTuple):
    """An entity, and the error if nothing was changed for it."""

    entity: QuotaEntity
    refusal: ApiError | None


class ClientQuotas:
    """The quotas of a cluster."""

    __slots__ = ("_by_entity", "_options", "throttle")

    def __init__(self, options: QuotaOptions) -> None:
        """Start without quotas."""
        self._options = options
        self._by_entity: dict[_Key, DescribedQuotas] = {}
        self.throttle = False
        """True if any quota may throttle a client."""

    def value_of(self, entity: QuotaEntity, key: str) -> float | None:
        """Return a quota of exactly that entity; None if it has none."""
        found = self._by_entity.get(frozenset(entity.items()))
        return None if found is None else found.values.get(key)

    @property
    def all(self) -> list[DescribedQuotas]:
        """The entities that have quotas, the oldest first."""
        return list(self._by_entity.values())

    def describe(self, wanted: QuotaFilter) -> Iterator[DescribedQuotas]:
        """Return the entities that match a filter, the oldest first."""
        return (each for each in self._by_entity.values() if wanted.finds(each.entity))

    def alter(
        self, alterations: Iterable[QuotaAlteration], *, validate_only: bool
    ) -> list[AlteredQuotas]:
        """Change the quotas of each entity independently, and return the result for each.

        A rejected entity stays unchanged; with `validate_only` all entities do.
        """
        outcomes: dict[_Key, AlteredQuotas] = {}
        for alteration in alterations:
            key = frozenset(alteration.entity.items())
            refusal = None
            try:
                self._check_named_once(alteration, is_again=key in outcomes)
                values = self._altered(alteration)
            except ApiError as error:
                refusal = error
            else:
                if not validate_only:
                    self._put(key, DescribedQuotas(alteration.entity, values))
            outcomes[key] = AlteredQuotas(alteration.entity, refusal)
        return list(outcomes.values())

    def _check_named_once(self, alteration: QuotaAlteration, *, is_again: bool) -> None:
        keys = [key for key, _ in alteration.changes]
        if not self._options.may_repeat and (is_again or len(set(keys)) < len(keys)):
            why = f"Ignoring duplicate entity {entity_text(alteration.entity)}"
            raise ApiError(ErrorCode.INVALID_REQUEST, why)

    def _altered(self, alteration: QuotaAlteration) -> dict[str, float]:
        """Return an entity's new quotas."""
        entity, changes = alteration
        check_entity(entity, self._options)
        known = self._by_entity.get(frozenset(entity.items()))
        values = {} if known is None else dict(known.values)
        for key, value in changes:
            if value is None:
                values.pop(key, None)
            else:
                values[key] = checked_value(entity, key, value, self._options)
        return values

    def _put(self, key: _Key, quotas: DescribedQuotas) -> None:
        if quotas.values:
            self._by_entity[key] = quotas
        else:
            self._by_entity.pop(key, None)
        self.throttle = any(ENFORCED & each.values.keys() for each in self._by_entity.values())

    def as_text(self) -> list[str]:
        """Show all quotas in a stable form, the oldest entity first."""
        return [
            f"{entity_text(each.entity)} {sorted(each.values.items())}"
            for each in self._by_entity.values()
        ]
