"""Differences between releases in ACLs, SASL and credentials: a part of `Options`."""

from typing import Final, NamedTuple


class SecurityOptions(NamedTuple):
    """Responses of a cluster without an authorizer and without SASL."""

    acl_change_refusal: str
    """The error message for changes of ACLs."""
    acls_may_be_unknown: bool
    """True if code 0 is accepted as a type in ACLs; otherwise it closes the connection."""
    acl_fields_without_any: frozenset[str]
    """The fields of a new ACL in which ANY, valid only in filters, closes the connection."""
    handshake_names_mechanisms: bool
    """True if the error for a late SaslHandshake still lists the mechanisms."""
    user_may_have_several_changes: bool
    """True if a request may change each credential of a user; otherwise only one of them."""
    credentials_need_name: bool
    """True if an empty user name has its own error; otherwise that of an unknown user."""
    credential_message: str | None
    """The message for a changed credential."""
    credential_failure: str
    """The error message for a credential without a password."""


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
