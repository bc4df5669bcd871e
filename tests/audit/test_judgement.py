from mockbroker.audit.judgement import judge
from mockbroker.audit.rules.rule_table import RULES, TOPIC, Need
from mockbroker.audit.source import A_JOURNAL, Source


def test_every_rule_is_listed_with_the_reason_why_it_is_not_judged() -> None:
    verdict = judge([], Source(facts=TOPIC, name="a topic"))
    assert [each.rule for each in verdict.rules] == list(RULES)
    judged = {each.rule: each for each in verdict.rules}
    assert judged["SEQUENCE_GAP"].is_judged
    assert judged["HANGING_TXN"].reason == "a topic has no states of transactional ids"
    told = Source(facts=TOPIC, reasons=((Need.STATES, "nobody may ask"),))
    reasons = {each.rule: each.reason for each in judge([], told).rules}
    assert reasons["HANGING_TXN"] == "nobody may ask"
    assert judge([], A_JOURNAL._replace(identity="off")).is_clean
    assert not judge([]).is_clean, "duplicates by identity are not judged"
