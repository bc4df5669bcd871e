"""What Kafka never shipped is off, and is turned on by name."""

import pytest

from mockbroker.protocol.api_keys import ApiKey
from mockbroker.state.release.options import SUPPORTED_RELEASES, Options
from mockbroker.state.release.proposals import PROPOSALS, with_proposals


@pytest.mark.parametrize("release", SUPPORTED_RELEASES)
def test_a_release_has_none_but_what_it_really_did(release: str) -> None:
    options = Options.for_release(release)
    on = [proposal.name for proposal in PROPOSALS if getattr(options, proposal.option)]
    kafka_once_did = ["old-message-formats"] if release not in {"3.9", "4.4"} else []
    assert on == kafka_once_did
    assert not any(api_key.is_extension for api_key in options.api_versions)


@pytest.mark.parametrize("name", [proposal.name for proposal in PROPOSALS])
def test_a_name_turns_on_one_option(name: str) -> None:
    options = with_proposals(Options.for_release("4.4"), [name])
    on = [proposal.name for proposal in PROPOSALS if getattr(options, proposal.option)]
    assert on == [name]


def test_several_are_turned_on_together() -> None:
    names = [proposal.name for proposal in PROPOSALS]
    options = with_proposals(Options.for_release(), names)
    assert all(getattr(options, proposal.option) for proposal in PROPOSALS)


def test_an_api_of_our_own_is_advertised_only_with_its_proposal() -> None:
    options = with_proposals(Options.for_release(), ["describe-transaction-state"])
    assert options.api_versions[ApiKey.DESCRIBE_TRANSACTION_STATE] == range(1)
    assert ApiKey.DESCRIBE_TRANSACTION_STATE not in Options.for_release().api_versions


def test_an_unknown_name_is_refused_with_those_there_are() -> None:
    with pytest.raises(ValueError, match="no such proposal; there are describe-transaction-state"):
        with_proposals(Options.for_release(), ["last-epochs"])
