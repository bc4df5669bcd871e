"""A release is a preset; other releases are refused by name."""

import pytest

from mockbroker.protocol.api_keys import ApiKey
from mockbroker.state.options import SUPPORTED_RELEASES, Options


@pytest.mark.parametrize(
    ("written", "release"),
    [("4.4", "4.4"), ("4.4.0", "4.4"), ("v2.4.1", "2.4"), (" 2.4 ", "2.4")],
)
def test_a_release_may_be_written_in_several_ways(written: str, release: str) -> None:
    assert Options.for_release(written).release == release


@pytest.mark.parametrize("written", ["3.9", "4.4.0-rc1", "", "latest"])
def test_a_release_that_is_not_supported_is_refused_with_those_that_are(written: str) -> None:
    with pytest.raises(ValueError, match=r"there are 2\.4 and 4\.4"):
        Options.for_release(written)


def test_the_newest_release_is_the_default() -> None:
    assert Options.for_release() is Options.for_release(SUPPORTED_RELEASES[-1])


def test_the_versions_are_those_of_the_release() -> None:
    assert Options.for_release("2.4").api_versions[ApiKey.FETCH] == range(12)
    assert Options.for_release("4.4").api_versions[ApiKey.FETCH] == range(4, 19)


def test_only_a_release_with_features_counts_their_changes() -> None:
    assert Options.for_release("2.4").finalized_features_epoch == -1
    assert Options.for_release("4.4").finalized_features_epoch == 1


def test_every_option_but_the_shared_ones_tells_the_releases_apart() -> None:
    old, new = Options.for_release("2.4"), Options.for_release("4.4")
    alike = [name for name in Options._fields if getattr(old, name) == getattr(new, name)]
    assert alike == []
