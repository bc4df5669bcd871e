from mockbroker.audit.coordinated import Coordinated
from mockbroker.audit.rules.rule_table import RULES
from mockbroker.audit.rules.transaction_findings import (
    double_marker,
    hanging,
    late,
    late_until,
    marker_without_transaction,
    zombie,
)
from tests.audit.rows import batch, end_of, transition

_KNOWN = Coordinated("svc", 1, "CompleteAbort", 5, decision="ABORT", decision_seq=4)
_BATCH = batch(9, 3, offset=4, transactional=True)


def test_transaction_findings_have_their_texts() -> None:
    fenced = Coordinated("svc", 1, "Empty", 5)
    fenced.fence = transition(6, "Empty", "Empty", producer=(7, 1), api="InitProducerId")
    assert zombie(_BATCH, fenced).text == (
        "a-0: offset 4 (producer 7 epoch 0 #3) was appended after 'svc' had got producer 7 epoch "
        "1, which fenced the sender"
    )
    assert hanging(_BATCH, None).text == (
        "a-0: producer 7 epoch 0 has a transaction open since offset 4 that no coordinator knows, "
        "so it will never end, and read_committed readers cannot read past it"
    )


def test_a_late_batch_was_sent_before_the_end_of_its_transaction_if_it_came_before() -> None:
    what = "a-0: offset 4 (producer 7 epoch 0 #3)"
    before, after = late(_BATCH, _KNOWN, came_seq=3), late(_BATCH, _KNOWN, came_seq=5)
    assert before.text == f"{what} was sent before 'svc' aborted, arrived after it"
    assert after.text == f"{what} arrived after 'svc' had aborted"
    committed, aborted = (
        late_until(after, end_of(12, how, offset=6)).text for how in ("COMMIT", "ABORT")
    )
    assert committed == f"{after.text}, and is committed with the next transaction"
    assert aborted == f"{after.text}, and is aborted"


def test_a_finding_has_the_columns_of_its_batch() -> None:
    finding = late(_BATCH, _KNOWN, came_seq=9)
    assert (finding.rule, finding.severity) == (
        "APPEND_AFTER_MARKER",
        RULES["APPEND_AFTER_MARKER"].severity,
    )
    assert (finding.topic, finding.partition, finding.transactional_id) == ("a", 0, "svc")
    assert (finding.first_offset, finding.last_offset, finding.evidence) == (4, 4, (4, 9))


def test_a_batch_of_no_transaction_was_not_sent_before_an_end() -> None:
    unknown = Coordinated("svc", 0, "Empty", 5)
    text = late(_BATCH, unknown, came_seq=9).text
    assert "arrived while 'svc' had no transaction with that partition" in text


def test_findings_about_markers_name_the_state_of_the_coordinator() -> None:
    marker = end_of(9, "COMMIT", offset=6)
    assert "'svc' was CompleteAbort" in marker_without_transaction(marker, _KNOWN).text
    prepared = Coordinated("svc", 0, "PrepareAbort", 5, decision="ABORT")
    text = marker_without_transaction(marker, prepared).text
    assert "a COMMIT marker of producer 7 epoch 0 is at offset 6, and 'svc' was to be aborted" in (
        text
    )
    first = end_of(8, "COMMIT", offset=5)
    assert "at offset 5, and another at 6" in double_marker(marker, first, _KNOWN).text
