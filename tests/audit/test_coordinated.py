from mockbroker.audit.coordinated import Coordinated, Decisions, partitions_of
from mockbroker.audit.log_evidence import Decided
from mockbroker.audit.rule_context import RuleContext, apply
from mockbroker.audit.runs.run import Run
from mockbroker.audit.source import A_JOURNAL, THRESHOLDS
from tests.audit.rows import end_of, transition


def _known(*, state: str = "Empty", producer_epoch: int = 0) -> Coordinated:
    return Coordinated("svc", producer_epoch, state, 0)


def test_a_batch_belongs_to_the_transaction_until_its_marker() -> None:
    known = _known()
    assert not known.is_in_transaction("a-0", 0)
    known.change(transition(1, "Empty", "Ongoing", partitions=["a-0"], api="AddPartitionsToTxn"))
    assert known.is_in_transaction("a-0", 0)
    assert not known.is_in_transaction("a-1", 0)
    assert not known.is_in_transaction("a-0", 1)
    known.change(
        transition(2, "Ongoing", "PrepareCommit", partitions=["a-0"], producer=(7, 1), api="EndTxn")
    )
    assert known.is_in_transaction("a-0", 0)
    known.marked["a-0"] = end_of(3, "COMMIT", offset=1)
    assert not known.is_in_transaction("a-0", 0)
    assert known.expects("a-0") == "COMMIT"
    known.change(transition(4, "PrepareCommit", "CompleteCommit", producer=(7, 1)))
    assert known.is_at_rest
    assert known.expects("a-0") == "COMMIT"
    assert known.expects("a-1") is None


def test_only_an_epoch_that_the_producer_did_not_request_fences_it() -> None:
    known = _known()
    known.change(transition(1, "Ongoing", "PrepareCommit", producer=(7, 1), api="EndTxn"))
    assert known.fence_epoch == -1
    taken_over = transition(2, "CompleteCommit", "Empty", producer=(7, 2), api="InitProducerId")
    known.change(taken_over)
    assert (known.fence, known.fence_epoch) == (taken_over, 2)


def test_in_a_journal_that_begins_in_a_transaction_any_epoch_may_be_its_own() -> None:
    known = _known(state="Ongoing")
    known.change(transition(1, "Ongoing", "Ongoing", partitions=["a-0", "a-1"]))
    assert known.is_in_transaction("a-1", 5)


def test_a_transition_names_its_partitions() -> None:
    assert partitions_of(transition(1, "Empty", "Ongoing", partitions=["a-1", "b-2"])) == {
        "a-1",
        "b-2",
    }
    assert partitions_of(transition(1, "Empty", "Empty")) == set()


def decided(*runs: Run) -> list[Decided]:
    context = RuleContext(A_JOURNAL, THRESHOLDS)
    machine = Decisions(context)
    for run in runs:
        apply(machine, run)
    machine.end()
    return context.outcome.decisions


def test_a_decision_has_the_epoch_that_the_producer_had_before_it() -> None:
    begun = transition(1, "Empty", "Ongoing")
    bumped = transition(2, "Ongoing", "PrepareCommit", producer=(7, 1))
    assert decided(begun, bumped) == [Decided(2, 7, 0, is_commit=True)]


def test_a_decision_that_is_logged_again_is_one() -> None:
    aborts = [
        transition(1, "Ongoing", "PrepareEpochFence"),
        transition(2, "PrepareEpochFence", "PrepareAbort"),
    ]
    assert decided(*aborts) == [Decided(1, 7, 0, is_commit=False)]
