"""Differences between releases in security."""

import pytest

from mockbroker.state.release.security_options import ScramNonceCheck


@pytest.mark.parametrize(
    ("check", "accepted"),
    [
        (ScramNonceCheck.NONE, {"nonce", "more-nonce", "nonce-more", "other"}),
        (ScramNonceCheck.END, {"nonce", "more-nonce"}),
        (ScramNonceCheck.WHOLE, {"nonce"}),
    ],
)
def test_releases_check_the_nonce_differently(check: ScramNonceCheck, accepted: set[str]) -> None:
    returned = ("nonce", "more-nonce", "nonce-more", "other")
    assert {each for each in returned if check.accepts(each, "nonce")} == accepted
