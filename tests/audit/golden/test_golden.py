import random
from collections.abc import Sequence

import pytest

from mockbroker.audit import RULES, journal_runs, judge
from mockbroker.audit.rules.rule_table import JOURNAL
from mockbroker.audit.source import A_JOURNAL
from mockbroker.journal.entry import Entry
from mockbroker.journal.files.jsonl import entry_of
from tests.audit.golden.scenarios import MADE
from tests.audit.golden.stored import (
    TWINS,
    Twin,
    golden,
    path_of,
    written,
)

WITHOUT_IDENTITY = A_JOURNAL._replace(identity="off")


@pytest.mark.parametrize("rule", MADE)
def test_the_golden_journal_of_a_rule_breaks_that_rule_only(rule: str) -> None:
    verdict = judge(journal_runs(golden(rule, "fires")))
    assert [each.rule for each in verdict.findings] == [rule], verdict.findings
    (finding,) = verdict.findings
    assert finding.first_offset == MADE[rule].first_offset
    seqs = {entry.seq for entry in golden(rule, "fires")}
    assert finding.evidence
    assert set(finding.evidence) <= seqs
    assert finding.severity is RULES[rule].severity


@pytest.mark.parametrize("rule", MADE)
def test_the_clean_twin_breaks_no_rule(rule: str) -> None:
    assert judge(journal_runs(golden(rule, "clean")), WITHOUT_IDENTITY).is_clean


def renumbered(lines: Sequence[bytes]) -> list[Entry]:
    """Number entries from 1 on: between them others are left out, such as a hang-up, or are not."""
    entries = [entry_of(line) for line in lines]
    seqs = sorted({entry.seq for entry in entries})
    return [entry._replace(seq=1 + seqs.index(entry.seq)) for entry in entries]


@pytest.mark.parametrize("rule", MADE)
@pytest.mark.parametrize("twin", TWINS)
def test_the_order_of_rows_changes_nothing(rule: str, twin: Twin) -> None:
    entries = golden(rule, twin)
    shuffled = random.Random(rule).sample(entries, len(entries))
    assert judge(journal_runs(shuffled)) == judge(journal_runs(entries))


@pytest.mark.slow
@pytest.mark.parametrize("rule", MADE)
@pytest.mark.parametrize("twin", TWINS)
def test_golden_journals_are_reproduced_exactly(rule: str, twin: Twin) -> None:
    made = written(MADE[rule].make(twin == "fires")).splitlines()
    assert renumbered(made) == renumbered(path_of(rule, twin).read_bytes().splitlines())


def test_every_rule_that_a_journal_can_break_has_a_golden_journal() -> None:
    assert set(MADE) == {name for name, rule in RULES.items() if rule.needs <= JOURNAL}
