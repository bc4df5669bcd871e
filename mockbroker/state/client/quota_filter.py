"""Filter of DescribeClientQuotas (KIP-546)."""

from collections.abc import Iterable
from typing import Final, NamedTuple

from mockbroker.protocol.errors import ApiError, ErrorCode
from mockbroker.state.client.quota_entity import CLIENT_ID, ENTITY_TYPES, IP, QuotaEntity
from mockbroker.state.release.quota_options import QuotaOptions

MATCH_EXACT: Final = 0
MATCH_DEFAULT: Final = 1
MATCH_SPECIFIED: Final = 2
"""Any name, and the default entity."""

_WITHOUT_NAME: Final = {
    MATCH_DEFAULT: "MATCH_TYPE_DEFAULT",
    MATCH_SPECIFIED: "MATCH_TYPE_SPECIFIED",
}
_SHORT_NAMES: Final = {CLIENT_ID: "client"}


class FilterComponent(NamedTuple):
    """The condition of a filter for one entity type."""

    entity_type: str
    match_type: int
    match: str | None


class QuotaFilter:
    """Matches entities with all named types; with `strict` they have no others."""

    __slots__ = ("_any_name", "_names", "_strict")

    def __init__(
        self, components: Iterable[FilterComponent], *, strict: bool, options: QuotaOptions
    ) -> None:
        """Create a filter from its components in a request.

        Raises:
            ApiError: INVALID_REQUEST and UNSUPPORTED_VERSION; UNKNOWN_SERVER_ERROR if the
                release does not expect the filter's shape.

        """
        self._strict = strict
        self._names: dict[str, str | None] = {}
        self._any_name: set[str] = set()
        listed = list(components)
        if options.ignores_needless_match:  # such a release validates all matches first
            for component in listed:
                _check_match(component, options)
        for component in listed:
            self._add(component, options)
        types = {*self._names, *self._any_name}
        if IP in types and len(types) > 1:
            raise options.refusals.filter_mixes_address.error()

    def _add(self, component: FilterComponent, options: QuotaOptions) -> None:
        entity_type = component.entity_type
        if not entity_type:
            raise options.refusals.filter_type_empty.error()
        if entity_type in self._names or entity_type in self._any_name:
            short = _SHORT_NAMES.get(entity_type, entity_type)
            raise options.refusals.filter_type_repeated.error(entity_type, short)
        if entity_type not in ENTITY_TYPES:
            raise options.refusals.filter_type_unknown.error(entity_type)
        _check_match(component, options)
        if component.match_type == MATCH_SPECIFIED:
            self._any_name.add(entity_type)
        elif component.match_type == MATCH_DEFAULT:
            self._names[entity_type] = None
        else:
            self._names[entity_type] = component.match

    def finds(self, entity: QuotaEntity) -> bool:
        """Return whether an entity matches the filter."""
        if self._strict and len(entity) != len(self._names) + len(self._any_name):
            return False
        return self._any_name <= entity.keys() and all(
            each in entity and entity[each] == name for each, name in self._names.items()
        )


def _check_match(component: FilterComponent, options: QuotaOptions) -> None:
    match_type = component.match_type
    if match_type == MATCH_EXACT:
        if component.match is None:
            raise options.refusals.match_missing.error()
    elif match_type not in _WITHOUT_NAME:
        raise options.refusals.match_type_unknown.error(match_type)
    elif component.match is not None and not options.ignores_needless_match:
        raise ApiError(
            ErrorCode.INVALID_REQUEST,
            f"Request specified {_WITHOUT_NAME[match_type]}, but also specified a match string.",
        )
