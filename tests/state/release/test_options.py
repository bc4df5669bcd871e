"""Presets of options by release."""

import pytest

from mockbroker.protocol.api_keys import ApiKey
from mockbroker.state.release.options import SUPPORTED_RELEASES, Options
from mockbroker.state.release.proposals import PROPOSALS


@pytest.mark.parametrize(
    ("written", "release"),
    [
        ("4.4", "4.4"),
        ("4.4.0", "4.4"),
        ("v2.4.1", "2.4"),
        (" 2.4 ", "2.4"),
        ("0.11", "0.11"),
        ("0.11.0.3", "0.11"),
        ("1.1.1", "1.1"),
    ],
)
def test_a_release_may_be_written_in_several_ways(written: str, release: str) -> None:
    assert Options.for_release(written).release == release


@pytest.mark.parametrize("written", ["3.8", "0.10", "4.4.0-rc1", "", "latest"])
def test_an_unsupported_release_is_rejected_with_the_supported_ones(written: str) -> None:
    with pytest.raises(ValueError, match=r"there are 0\.11, .*3\.9 and 4\.4"):
        Options.for_release(written)


def test_the_newest_release_is_the_default() -> None:
    assert Options.for_release() is Options.for_release(SUPPORTED_RELEASES[-1])


def test_the_versions_are_those_of_the_release() -> None:
    assert Options.for_release("2.4").api_versions[ApiKey.FETCH] == range(12)
    assert Options.for_release("4.4").api_versions[ApiKey.FETCH] == range(4, 19)


def test_only_a_release_with_features_counts_their_changes() -> None:
    assert Options.for_release("2.4").finalized_features_epoch == -1
    assert Options.for_release("4.4").finalized_features_epoch == 1


def test_a_feature_may_have_another_level() -> None:
    assert Options.for_release("4.4").transaction_version == 2
    options = Options.for_release("4.4", features={"transaction.version": 1})
    assert (options.transaction_version, options.transaction_log_value_version) == (1, 1)
    options = options.with_feature("transaction.version", 0)
    assert (options.transaction_version, options.transaction_log_value_version) == (0, 0)
    assert Options.for_release("3.9").transaction_version == 0


@pytest.mark.parametrize(
    ("release", "features", "why"),
    [
        ("4.4", {"transaction.version": 3}, "allowed are 0 to 2"),
        ("4.4", {"kraft.version": 1}, "mockbroker does not implement it: the highest level is 0"),
        ("4.4", {"nonsense": 1}, "no such feature; there are group.version"),
        ("2.4", {"transaction.version": 1}, "no such feature; there are none"),
    ],
)
def test_an_unknown_feature_or_level_is_rejected(
    release: str, features: dict[str, int], why: str
) -> None:
    with pytest.raises(ValueError, match=why):
        Options.for_release(release, features=features)


def test_every_option_except_proposals_differs_between_releases() -> None:
    proposed = {proposal.option for proposal in PROPOSALS}
    presets = [Options.for_release(release) for release in SUPPORTED_RELEASES]
    alike = [
        name
        for name in Options._fields
        if name not in proposed
        and all(getattr(preset, name) == getattr(presets[0], name) for preset in presets)
    ]
    assert alike == []


@pytest.mark.parametrize("group", ["produce", "fetch", "topics", "configs"])
def test_every_option_of_a_part_differs_between_releases(group: str) -> None:
    presets = [getattr(Options.for_release(release), group) for release in SUPPORTED_RELEASES]
    alike = [
        name
        for name in presets[0]._fields
        if all(getattr(preset, name) == getattr(presets[0], name) for preset in presets)
    ]
    assert alike == []


def test_without_eligible_leader_replicas_no_config_is_pinned() -> None:
    name = "eligible.leader.replicas.version"
    assert Options.for_release("4.4").elr_pins_min_insync_replicas
    assert not Options.for_release("4.4", features={name: 0}).elr_pins_min_insync_replicas
