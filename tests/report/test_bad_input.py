"""A defect of the input is reported in one line."""

from mockbroker.report.bad_input import BadInput, BadInputError


def test_a_line_has_location_defect_and_advice() -> None:
    bad = BadInput(where="out/journal", what="It is empty.", advice="Write it again.")
    assert str(bad) == "out/journal: It is empty. Write it again."
    assert str(BadInputError(bad)) == str(bad)
    assert BadInputError(bad).bad is bad
