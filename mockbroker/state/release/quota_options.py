"""Differences between releases in client quotas: a part of `Options`."""

from functools import partial
from typing import Final, NamedTuple

from mockbroker.protocol.errors import ErrorCode
from mockbroker.state.release.admin_refusals import Refusal


class QuotaRefusals(NamedTuple):
    """Errors for quotas and filters, with the release's texts."""

    entity_mixes_address: Refusal
    value_too_large: Refusal
    value_is_fraction: Refusal
    filter_type_empty: Refusal
    filter_type_unknown: Refusal
    filter_type_repeated: Refusal
    filter_mixes_address: Refusal
    match_type_unknown: Refusal
    match_missing: Refusal


class QuotaOptions(NamedTuple):
    """Validation of quotas, entities and filters."""

    must_be_positive: bool
    """True if values of 0 and below are rejected."""
    whole_values_are_cut: bool
    """True if an almost whole value is stored rounded to the whole number."""
    may_repeat: bool
    """True if a request may name an entity, or a key of one, more than once."""
    escapes_addresses: bool
    """True if an address is checked in its encoding for a path: without colons."""
    ignores_needless_match: bool
    """True if a filter may name a match that its match type does not use."""
    delays_responses: bool
    """True if a throttled client gets its response late; otherwise it is not served afterwards."""
    refusals: QuotaRefusals
    """Codes and texts."""


_invalid = partial(Refusal, ErrorCode.INVALID_REQUEST)
_FAILED: Final = Refusal(ErrorCode.UNKNOWN_SERVER_ERROR, None)

QUOTAS_IN_ZOOKEEPER: Final = QuotaOptions(
    must_be_positive=False,
    whole_values_are_cut=True,
    may_repeat=True,
    escapes_addresses=True,
    ignores_needless_match=True,
    delays_responses=True,
    refusals=QuotaRefusals(
        entity_mixes_address=_invalid(
            "Invalid quota entity combination, IP entity should not be used with user/client ID"
            " entity."
        ),
        value_too_large=_invalid("Configuration {0} must be a {1} value"),
        value_is_fraction=_invalid("Configuration {0} must be a {1} value"),
        filter_type_empty=_invalid("Unexpected empty filter component entity type"),
        filter_type_unknown=Refusal(
            ErrorCode.UNSUPPORTED_VERSION, "Custom entity type '{0}' not supported"
        ),
        filter_type_repeated=_invalid("Duplicate {1} filter component entity type"),
        filter_mixes_address=_invalid(
            "Invalid entity filter component combination, IP filter component should not be used"
            " with user or clientId filter component."
        ),
        match_type_unknown=_FAILED,
        match_missing=_FAILED,
    ),
)

QUOTAS_IN_KRAFT: Final = QuotaOptions(
    must_be_positive=True,
    whole_values_are_cut=False,
    may_repeat=False,
    escapes_addresses=False,
    ignores_needless_match=False,
    delays_responses=False,
    refusals=QuotaRefusals(
        entity_mixes_address=_invalid(
            "Invalid quota entity combination, IP entity shouldnot be combined with User or"
            " ClientId"
        ),
        value_too_large=_invalid("Proposed value for {0} is too large for {2} {1}."),
        value_is_fraction=_invalid("{0} cannot be a fractional value."),
        filter_type_empty=_invalid("Invalid empty entity type."),
        filter_type_unknown=Refusal(ErrorCode.UNSUPPORTED_VERSION, "Unsupported entity type {0}"),
        filter_type_repeated=_invalid(
            "Entity type {0} cannot appear more than once in the filter."
        ),
        filter_mixes_address=_invalid(
            "Invalid entity filter component combination. IP filter component should not be used"
            " with user or clientId filter component."
        ),
        match_type_unknown=_invalid("Unknown match type {0}"),
        match_missing=_invalid("Request specified MATCH_TYPE_EXACT, but set match string to null."),
    ),
)
