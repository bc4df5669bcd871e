"""The page of the audit's rules is generated from their table, and is complete."""

from mockbroker.audit.rules.rule_table import RULES
from tools.audit_reference import PAGE, page
from tools.paragraph import paragraph


def test_the_page_is_up_to_date() -> None:
    assert PAGE.read_text("utf-8") == page(), "run `make docs`"


def test_every_rule_has_its_line_and_its_section() -> None:
    text = page()
    for name, rule in RULES.items():
        assert f"\n| {name} | {rule.severity} | " in text
        section = f"\n## {name}\n\n{paragraph(rule.sentence)}\n\n"
        assert section + paragraph(f"No finding: {rule.legitimate}") + "\n" in text
