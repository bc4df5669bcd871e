"""Proposals that Kafka never shipped are off, and enabled by name."""

import pytest

from mockbroker.protocol.api_keys import ApiKey
from mockbroker.state.release.options import SUPPORTED_RELEASES, Options
from mockbroker.state.release.proposals import PROPOSALS, proposals_of, with_proposals


@pytest.mark.parametrize("release", SUPPORTED_RELEASES)
def test_proposals_are_off_in_every_release(release: str) -> None:
    options = Options.for_release(release)
    on = [proposal.name for proposal in PROPOSALS if getattr(options, proposal.option)]
    major = int(release.partition(".")[0])
    kafka_once_did = ["old-message-formats"] if major < 3 else []
    if release == "1.0":
        kafka_once_did.append("duplicate-sequence-number")
    assert on == kafka_once_did
    assert not any(api_key.is_extension for api_key in options.api_versions)


@pytest.mark.parametrize("name", proposals_of("3.9"))
def test_a_name_enables_one_option(name: str) -> None:
    options = with_proposals(Options.for_release("3.9"), [name])
    on = [proposal.name for proposal in PROPOSALS if getattr(options, proposal.option)]
    assert on == [name]


def test_several_are_enabled_together() -> None:
    names = [proposal.name for proposal in PROPOSALS]
    assert proposals_of("3.9") == names
    options = with_proposals(Options.for_release("3.9"), names)
    assert all(getattr(options, proposal.option) for proposal in PROPOSALS)


@pytest.mark.parametrize(
    ("name", "release", "why"),
    [
        ("last-epoch", "2.4", "it extends InitProducerId v3, which Kafka 2.4 lacks"),
        ("topic-metadata", "2.3", "it extends Metadata v9, which Kafka 2.3 lacks"),
        ("old-message-formats", "4.4", "Kafka 4.4 has no topic config message.format.version"),
        ("old-message-formats", "2.8", "Kafka 2.8 does this without the proposal"),
    ],
)
def test_a_proposal_that_cannot_act_is_refused_with_the_reason(
    name: str, release: str, why: str
) -> None:
    assert name not in proposals_of(release)
    options = Options.for_release(release)
    with pytest.raises(ValueError, match=f"^the proposal would change nothing: {why}$"):
        with_proposals(options, [name])


@pytest.mark.parametrize("name", proposals_of("3.9"))
def test_a_name_may_be_given_twice(name: str) -> None:
    once = with_proposals(Options.for_release("3.9"), [name])
    assert with_proposals(once, [name]) == once


@pytest.mark.parametrize("name", ["describe-transaction-state", "first-write-fencing"])
def test_a_proposed_api_is_advertised_only_with_its_proposals(name: str) -> None:
    options = with_proposals(Options.for_release(), [name])
    assert options.api_versions[ApiKey.DESCRIBE_TRANSACTION_STATE] == range(1)
    assert ApiKey.DESCRIBE_TRANSACTION_STATE not in Options.for_release().api_versions


def test_an_unknown_name_is_rejected_with_the_known_ones() -> None:
    with pytest.raises(
        ValueError, match="no such proposal; the proposals are describe-transaction-state"
    ):
        with_proposals(Options.for_release(), ["last-epochs"])
