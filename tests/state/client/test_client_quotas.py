"""Alteration of quotas by entity."""

from mockbroker.protocol.errors import ErrorCode
from mockbroker.state.client.client_quotas import ClientQuotas, QuotaAlteration
from mockbroker.state.client.quota_entity import QuotaEntity
from mockbroker.state.client.quota_filter import QuotaFilter
from mockbroker.state.release.quota_options import (
    QUOTAS_IN_KRAFT,
    QUOTAS_IN_ZOOKEEPER,
    QuotaOptions,
)

ALICE: QuotaEntity = {"user": "alice"}
BOB: QuotaEntity = {"user": "bob"}
RATE, OTHER = "producer_byte_rate", "consumer_byte_rate"


def all_of(quotas: ClientQuotas) -> list[tuple[QuotaEntity, dict[str, float]]]:
    everything = QuotaFilter([], strict=False, options=QUOTAS_IN_KRAFT)
    return [(each.entity, each.values) for each in quotas.describe(everything)]


def alter(
    quotas: ClientQuotas, *alterations: QuotaAlteration, validate_only: bool = False
) -> list[tuple[QuotaEntity, ErrorCode | None]]:
    altered = quotas.alter(alterations, validate_only=validate_only)
    return [(each.entity, each.refusal.code if each.refusal else None) for each in altered]


def quotas_with(options: QuotaOptions = QUOTAS_IN_KRAFT) -> ClientQuotas:
    quotas = ClientQuotas(options)
    assert alter(quotas, QuotaAlteration(ALICE, [(RATE, 1.0)])) == [(ALICE, None)]
    return quotas


def test_quotas_are_added_and_removed() -> None:
    quotas = quotas_with()
    alter(quotas, QuotaAlteration(ALICE, [(OTHER, 2.0)]), QuotaAlteration(BOB, [(RATE, 3.0)]))
    assert all_of(quotas) == [(ALICE, {RATE: 1.0, OTHER: 2.0}), (BOB, {RATE: 3.0})]
    alter(quotas, QuotaAlteration(ALICE, [(OTHER, None), (RATE, None), ("nonsense", None)]))
    assert all_of(quotas) == [(BOB, {RATE: 3.0})]


def test_one_wrong_value_leaves_an_entity_as_it_was_and_others_are_changed() -> None:
    quotas = quotas_with()
    outcome = alter(
        quotas, QuotaAlteration(ALICE, [(OTHER, 2.0), (RATE, -1.0)]), QuotaAlteration(BOB, [])
    )
    assert outcome == [(ALICE, ErrorCode.INVALID_REQUEST), (BOB, None)]
    assert all_of(quotas) == [(ALICE, {RATE: 1.0})]


def test_a_validation_changes_nothing() -> None:
    quotas = quotas_with()
    before = quotas.as_text()
    trial = QuotaAlteration(ALICE, [(RATE, 2.0)])
    assert alter(quotas, trial, validate_only=True) == [(ALICE, None)]
    assert quotas.as_text() == before


def test_an_entity_that_is_named_twice_is_refused_after_its_first_change() -> None:
    quotas = quotas_with()
    first, second = QuotaAlteration(ALICE, [(RATE, 2.0)]), QuotaAlteration(ALICE, [(RATE, 3.0)])
    assert alter(quotas, first, second) == [(ALICE, ErrorCode.INVALID_REQUEST)]
    assert all_of(quotas) == [(ALICE, {RATE: 2.0})]


def test_a_key_that_is_named_twice_is_refused() -> None:
    quotas = quotas_with()
    outcome = alter(quotas, QuotaAlteration(ALICE, [(RATE, 2.0), (RATE, 3.0)]))
    assert outcome == [(ALICE, ErrorCode.INVALID_REQUEST)]
    assert all_of(quotas) == [(ALICE, {RATE: 1.0})]


def test_with_zookeeper_the_last_change_applies() -> None:
    quotas = quotas_with(QUOTAS_IN_ZOOKEEPER)
    first = QuotaAlteration(ALICE, [(RATE, 2.0), (RATE, 3.0)])
    assert alter(quotas, first, QuotaAlteration(ALICE, [(OTHER, 4.0)])) == [(ALICE, None)]
    assert all_of(quotas) == [(ALICE, {RATE: 3.0, OTHER: 4.0})]
