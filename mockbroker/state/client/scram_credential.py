"""SCRAM credentials, and the validation of their changes (KIP-554)."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from enum import IntEnum
from hashlib import sha256
from typing import Final, NamedTuple, TypeAlias

from mockbroker.protocol.errors import ApiError, ErrorCode

FEWEST_ITERATIONS: Final = 4096
MOST_ITERATIONS: Final = 16384
_SHOWN_DIGITS: Final = 12
NO_NAME: Final = "Username must not be empty"


class ScramMechanism(IntEnum):
    """The supported SCRAM mechanisms."""

    SCRAM_SHA_256 = 1
    SCRAM_SHA_512 = 2


class CredentialKey(NamedTuple):
    """User and mechanism of a credential; the mechanism's number may be unknown."""

    user: str
    mechanism: int


class ScramCredential(NamedTuple):
    """The part of a credential that a request carries."""

    iterations: int
    salt: bytes
    salted_password: bytes

    def __repr__(self) -> str:
        """Show credentials as different, without what a client could authenticate with."""
        shown = sha256(self.salt + self.salted_password).hexdigest()[:_SHOWN_DIGITS]
        return f"ScramCredential(iterations={self.iterations}, hash={shown})"


class CredentialChange(NamedTuple):
    """A credential to set, or to delete if it is None."""

    key: CredentialKey
    credential: ScramCredential | None


Credentials: TypeAlias = Mapping[CredentialKey, ScramCredential]
Refusals: TypeAlias = dict[str, ApiError]
"""Errors by user."""
Paced: TypeAlias = Callable[[Iterable[CredentialChange]], Iterable[CredentialChange]]
"""Function that yields the changes of a request; other work may be done in between."""


def refusals_by_user(
    changes: Sequence[CredentialChange], known: Credentials, paced: Paced = iter
) -> Refusals:
    """Validate a request that may change one credential of each user, as KRaft does.

    The first error of a user applies.
    """
    refusals: Refusals = {}
    seen: set[str] = set()
    for change in paced(changes):
        user = change.key.user
        if user not in refusals:
            refusal = _twice() if user in seen else _wrong(change) or _missing(change, known)
            if refusal is not None:
                refusals[user] = refusal
        seen.add(user)
    return refusals


def refusals_by_credential(
    changes: Sequence[CredentialChange], known: Credentials, paced: Paced = iter
) -> Refusals:
    """Validate a request that may change each credential of a user, as with ZooKeeper.

    Errors of single changes take precedence, then duplicates, then missing credentials.
    """
    counts = Counter(change.key for change in changes)
    refusals: Refusals = {}
    for change in paced(changes):
        if (refusal := _wrong(change)) is not None:
            refusals[change.key.user] = refusal
    for key, count in counts.items():
        if count > 1:
            refusals.setdefault(key.user, _twice())
    for change in paced(changes):
        if (refusal := _missing(change, known)) is not None:
            refusals.setdefault(change.key.user, refusal)
    return refusals


def without_password(changes: Sequence[CredentialChange]) -> set[str]:
    """Return the users with a credential that Kafka fails to create."""
    return {
        change.key.user
        for change in changes
        if change.credential is not None and not change.credential.salted_password
    }


def _wrong(change: CredentialChange) -> ApiError | None:
    """Return the error of a change that does not depend on existing credentials."""
    user, mechanism = change.key
    if not user:
        return ApiError(ErrorCode.UNACCEPTABLE_CREDENTIAL, NO_NAME)
    if mechanism not in _MECHANISMS:
        return ApiError(ErrorCode.UNSUPPORTED_SASL_MECHANISM, "Unknown SCRAM mechanism")
    iterations = FEWEST_ITERATIONS if change.credential is None else change.credential.iterations
    if iterations < FEWEST_ITERATIONS:
        return ApiError(ErrorCode.UNACCEPTABLE_CREDENTIAL, "Too few iterations")
    if iterations > MOST_ITERATIONS:
        return ApiError(ErrorCode.UNACCEPTABLE_CREDENTIAL, "Too many iterations")
    return None


def _missing(change: CredentialChange, known: Credentials) -> ApiError | None:
    if change.credential is not None or change.key in known:
        return None
    why = "Attempt to delete a user credential that does not exist"
    return ApiError(ErrorCode.RESOURCE_NOT_FOUND, why)


def _twice() -> ApiError:
    why = "A user credential cannot be altered twice in the same request"
    return ApiError(ErrorCode.DUPLICATE_RESOURCE, why)


_MECHANISMS: Final = frozenset(ScramMechanism)
