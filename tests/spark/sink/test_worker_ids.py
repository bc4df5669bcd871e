"""Transactional ids of worker processes."""

from mockbroker.spark.sink.takeover import Claim
from mockbroker.spark.sink.transaction_requests import ProducerEpoch
from mockbroker.spark.sink.worker_ids import WorkerIds, worker_ids


def claim(epoch: int, *committed: ProducerEpoch) -> Claim:
    return Claim(ProducerEpoch("sink", 1, epoch), 0, 0, None, frozenset(committed))


def opened(ids: WorkerIds, under: Claim) -> ProducerEpoch:
    producer = ProducerEpoch(ids.take(under), 7, 0)
    ids.use(producer, under)
    return producer


def test_tasks_of_a_batch_have_different_ids() -> None:
    ids, first = WorkerIds("sink"), claim(0)
    assert opened(ids, first).transactional_id != opened(ids, first).transactional_id


def test_an_id_is_used_again_when_its_transaction_is_committed() -> None:
    ids = WorkerIds("sink")
    kept, aborted = opened(ids, claim(0)), opened(ids, claim(0))
    after = claim(1, kept)
    assert opened(ids, after).transactional_id == kept.transactional_id
    assert opened(ids, after).transactional_id not in {
        kept.transactional_id,
        aborted.transactional_id,
    }


def test_an_id_whose_batch_is_not_known_to_be_committed_is_not_used_again() -> None:
    ids = WorkerIds("sink")
    first = opened(ids, claim(0))
    assert opened(ids, claim(1)).transactional_id != first.transactional_id
    assert opened(ids, claim(2, first)).transactional_id != first.transactional_id


def test_a_process_has_its_ids_for_each_sink() -> None:
    assert worker_ids("a:1", "sink") is worker_ids("a:1", "sink")
    assert worker_ids("a:1", "sink") is not worker_ids("a:1", "other")
