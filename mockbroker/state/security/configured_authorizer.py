"""Authorizer of a cluster, as its configs describe it."""

from typing import Final

from mockbroker.state.config.broker_security_configs import AUTHORIZER_CLASS
from mockbroker.state.config.config_repository import ConfigRepository
from mockbroker.state.config.validator import config_text
from mockbroker.state.security.authorizer import Authorizer

SUPER_USERS: Final = "super.users"
ALLOWS_WITHOUT_ACL: Final = "allow.everyone.if.no.acl.found"


def configured_authorizer(configs: ConfigRepository) -> Authorizer | None:
    """Create the authorizer, without ACLs; None if no class is configured.

    `super.users` has principals, with semicolons between them.
    """
    if not configs.broker_value(AUTHORIZER_CLASS):
        return None
    listed = config_text(configs.broker_value(SUPER_USERS)) or ""
    return Authorizer(
        (each.strip() for each in listed.split(";") if each.strip()),
        allows_without_acl=configs.broker_flag(ALLOWS_WITHOUT_ACL),
    )
