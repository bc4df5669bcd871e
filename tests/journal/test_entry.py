"""Entries, and the columns in which files hold them."""

from mockbroker.journal.entry import COLUMNS, Entry, stored_value
from mockbroker.protocol.api_keys import ApiKey
from mockbroker.protocol.errors import ErrorCode


def test_there_is_a_column_for_each_field_in_its_order() -> None:
    assert tuple(column.name for column in COLUMNS) == Entry._fields


def test_files_have_the_names_of_apis_and_errors_and_other_values_unchanged() -> None:
    values = (ApiKey.INIT_PRODUCER_ID, ErrorCode.NOT_COORDINATOR, "orders", -1, False, None)
    assert [stored_value(each) for each in values] == [
        "InitProducerId", "NOT_COORDINATOR", "orders", -1, False, None,
    ]  # fmt: skip
