from mockbroker.audit.runs.run import Run
from tests.audit.rows import asked, rules_of

_API = "InitProducerId"


def _call(call: int, given: tuple[int, int], *, named: int = -1) -> list[Run]:
    seq = 2 * call
    return [
        asked(seq, _API, call=call, producer_id=named, transactional_id="svc"),
        asked(
            seq + 1, _API, "answer", call=call, error="NONE", producer_id=given[0],
            producer_epoch=given[1], transactional_id="svc",
        ),
    ]  # fmt: skip


def test_an_epoch_that_is_assigned_twice_is_found() -> None:
    assert rules_of(*_call(1, (7, 0)), *_call(2, (7, 0))) == ["UNFENCED_EPOCH"]
    assert not rules_of(*_call(1, (7, 0)), *_call(2, (7, 1)), *_call(3, (8, 0)))


def test_a_producer_that_names_its_own_id_may_get_the_same_epoch_again() -> None:
    assert not rules_of(*_call(1, (7, 1)), *_call(2, (7, 1), named=7))
    assert not rules_of(*_call(1, (0, 1)), *_call(2, (0, 1), named=0))


def test_a_refused_initialisation_is_no_finding() -> None:
    refused = [run._replace(error="CONCURRENT_TRANSACTIONS") for run in _call(1, (7, 0))]
    assert not rules_of(*refused, *_call(2, (7, 0)))
