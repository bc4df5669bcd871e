"""Proposals that Kafka never shipped are off, and enabled by name."""

import pytest

from mockbroker.protocol.api_keys import ApiKey
from mockbroker.state.release.options import SUPPORTED_RELEASES, Options
from mockbroker.state.release.proposals import PROPOSALS, with_proposals


@pytest.mark.parametrize("release", SUPPORTED_RELEASES)
def test_proposals_are_off_in_every_release(release: str) -> None:
    options = Options.for_release(release)
    on = [proposal.name for proposal in PROPOSALS if getattr(options, proposal.option)]
    kafka_once_did = ["old-message-formats"] if release not in {"3.9", "4.4"} else []
    assert on == kafka_once_did
    assert not any(api_key.is_extension for api_key in options.api_versions)


@pytest.mark.parametrize("name", [proposal.name for proposal in PROPOSALS])
def test_a_name_enables_one_option(name: str) -> None:
    options = with_proposals(Options.for_release("4.4"), [name])
    on = [proposal.name for proposal in PROPOSALS if getattr(options, proposal.option)]
    assert on == [name]


def test_several_are_enabled_together() -> None:
    names = [proposal.name for proposal in PROPOSALS]
    options = with_proposals(Options.for_release(), names)
    assert all(getattr(options, proposal.option) for proposal in PROPOSALS)


def test_a_proposed_api_is_advertised_only_with_its_proposal() -> None:
    options = with_proposals(Options.for_release(), ["describe-transaction-state"])
    assert options.api_versions[ApiKey.DESCRIBE_TRANSACTION_STATE] == range(1)
    assert ApiKey.DESCRIBE_TRANSACTION_STATE not in Options.for_release().api_versions


def test_an_unknown_name_is_rejected_with_the_known_ones() -> None:
    with pytest.raises(
        ValueError, match="no such proposal; the proposals are describe-transaction-state"
    ):
        with_proposals(Options.for_release(), ["last-epochs"])
