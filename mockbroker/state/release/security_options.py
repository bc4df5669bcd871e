"""How a release answers what is about ACLs, SASL and credentials: what its presets say of it."""

from typing import Final, NamedTuple


class SecurityOptions(NamedTuple):
    """What a cluster without an authorizer, and without SASL, says to who asks for them."""

    acl_change_refusal: str
    """Why no ACL is made or deleted."""
    acls_may_be_unknown: bool
    """Whether the code 0 is read where an ACL or a filter has a type, or closes the connection."""
    acl_fields_without_any: frozenset[str]
    """The fields of a new ACL in which ANY, which only filters may have, closes the connection."""
    handshake_names_mechanisms: bool
    """Whether a handshake that comes too late is told the mechanisms all the same."""
    user_may_have_several_changes: bool
    """Whether a request may change each credential of a user, or one of them."""
    credentials_need_name: bool
    """Whether who is asked about without a name is told so, or is a stranger like others."""
    credential_message: str | None
    """The message beside a credential that was changed."""
    credential_failure: str
    """Why a credential without a password is none."""


DEFAULT_FAILURE: Final = "The server experienced an unexpected error when processing the request."

SECURITY_OF_0_11: Final = SecurityOptions(
    acl_change_refusal="No Authorizer is configured on the broker.",
    acls_may_be_unknown=True,
    acl_fields_without_any=frozenset({"operation", "permission_type"}),
    handshake_names_mechanisms=True,
    user_may_have_several_changes=True,
    credentials_need_name=True,
    credential_message="",
    credential_failure=DEFAULT_FAILURE,
)

SECURITY_IN_KRAFT: Final = SecurityOptions(
    acl_change_refusal="No Authorizer is configured.",
    acls_may_be_unknown=False,
    acl_fields_without_any=frozenset(),
    handshake_names_mechanisms=False,
    user_may_have_several_changes=False,
    credentials_need_name=False,
    credential_message=None,
    credential_failure="",
)
