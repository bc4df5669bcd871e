"""The page on a load's ledger is generated from its declarations, and is complete."""

from mockbroker.spark.load.load_ledger import SENT_COLUMNS, VISIBLE_COLUMNS
from mockbroker.spark.load.load_plan import PLANS
from tools.load_ledger_reference import PAGE, page


def test_the_page_is_up_to_date() -> None:
    assert PAGE.read_text("utf-8") == page(), "run `make docs`"


def test_every_column_and_plan_has_its_line() -> None:
    text = page()
    for column in (*SENT_COLUMNS, *VISIBLE_COLUMNS):
        assert f"\n| `{column.name}` | {column.kind} | " in text
    assert all(f"\n| `{name}` | {plan.about} | " in text for name, plan in PLANS.items())
