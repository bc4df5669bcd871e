"""How a release judges client quotas: what its presets say of it."""

from functools import partial
from typing import Final, NamedTuple

from mockbroker.protocol.errors import ErrorCode
from mockbroker.state.release.admin_refusals import Refusal


class QuotaRefusals(NamedTuple):
    """The refusals of quotas and of filters, as the release words them."""

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
    """What may be set for whom, and which entities a filter finds."""

    must_be_positive: bool
    """Whether 0 and negative values are refused where they are whole, or where they are not."""
    whole_values_are_cut: bool
    """Whether a value that has to be whole, and nearly is, is kept as what it nearly is."""
    may_repeat: bool
    """Whether a request may name a key of an entity, or an entity, more than once."""
    escapes_addresses: bool
    """Whether an address is checked as it is written in a path: without colons."""
    ignores_needless_match: bool
    """Whether a filter may have a name to match where its kind of match needs none."""
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
