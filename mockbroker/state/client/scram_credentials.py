"""SCRAM credentials of users (KIP-554).

The class follows Kafka's `ScramControlManager`; `scram_credential.py` validates changes.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from mockbroker.protocol.errors import ApiError, ErrorCode
from mockbroker.state.client.scram_credential import (
    NO_NAME,
    CredentialChange,
    CredentialKey,
    Paced,
    ScramCredential,
    ScramMechanism,
    refusals_by_credential,
    refusals_by_user,
    without_password,
)
from mockbroker.state.release.security_options import SecurityOptions


class DescribedUser(NamedTuple):
    """A user with the iterations by mechanism, or an error."""

    user: str
    iterations: dict[int, int]
    refusal: ApiError | None = None


class AlteredUser(NamedTuple):
    """A user, and the error if nothing was changed."""

    user: str
    refusal: ApiError | None


class ScramCredentials:
    """The credentials of a cluster."""

    __slots__ = ("_credentials", "_options")

    def __init__(self, options: SecurityOptions) -> None:
        """Start without users."""
        self._options = options
        self._credentials: dict[CredentialKey, ScramCredential] = {}

    def describe(self, users: Sequence[str] | None) -> Iterator[DescribedUser]:
        """Describe the given users; None or an empty list selects all."""
        named = users or sorted({key.user for key in self._credentials})
        repeats = Counter(users or ())
        for user in dict.fromkeys(named):
            yield self._described(user, is_repeated=repeats[user] > 1)

    def _described(self, user: str, *, is_repeated: bool) -> DescribedUser:
        if is_repeated:
            why = "Cannot describe SCRAM credentials for the same user twice in a single request"
            error = ApiError(ErrorCode.DUPLICATE_RESOURCE, f"{why}: {user}")
            return DescribedUser(user, {}, error)
        iterations = {
            mechanism.value: found.iterations
            for mechanism in ScramMechanism
            if (found := self._credentials.get(CredentialKey(user, mechanism))) is not None
        }
        if iterations:
            return DescribedUser(user, iterations)
        why = f"Attempt to describe a user credential that does not exist: {user}"
        if not user and self._options.credentials_need_name:
            why = NO_NAME
        return DescribedUser(user, {}, ApiError(ErrorCode.RESOURCE_NOT_FOUND, why))

    def find(self, key: CredentialKey) -> ScramCredential | None:
        """Return a credential; None if the user has none for the mechanism."""
        return self._credentials.get(key)

    def alter(
        self,
        changes: Sequence[CredentialChange],
        paced: Paced = iter,
    ) -> list[AlteredUser]:
        """Set and delete credentials; a user with any rejected change stays unchanged.

        Other work may be done while `paced` yields the changes to check.
        """
        judge = (
            refusals_by_credential
            if self._options.user_may_have_several_changes
            else refusals_by_user
        )
        refusals = judge(changes, self._credentials, paced)
        for user in without_password(changes):
            failure = ApiError(ErrorCode.UNKNOWN_SERVER_ERROR, self._options.credential_failure)
            refusals.setdefault(user, failure)
        for key, credential in changes:
            if key.user in refusals:
                continue
            if credential is None:
                self._credentials.pop(key, None)  # gone if it was deleted since the check
            else:
                self._credentials[key] = credential
        users = dict.fromkeys(change.key.user for change in paced(changes))
        return [AlteredUser(user, refusals.get(user)) for user in users]

    def as_text(self) -> list[str]:
        """Show all credentials in a stable form."""
        return [f"{key} {credential}" for key, credential in sorted(self._credentials.items())]
