from mockbroker.audit.finding import Finding, Severity, sort_key


def test_the_worst_comes_first_and_then_places_in_order() -> None:
    late = Finding("B", Severity.ERROR, "late", topic="a", partition=0, first_offset=7)
    early = late._replace(text="early", first_offset=0)
    info = Finding("A", Severity.INFO, "info")
    warning = Finding("A", Severity.WARNING, "warning", transactional_id="t")

    ordered = sorted([info, late, warning, early], key=sort_key)

    assert [each.text for each in ordered] == ["early", "late", "warning", "info"]


def test_a_place_is_named_as_kafka_does() -> None:
    assert Finding("A", Severity.INFO, "x", topic="a", partition=3).place == "a-3"
    assert not Finding("A", Severity.INFO, "x").place
