"""All combinations of a batch and the state of its producer."""

import pytest

from mockbroker.protocol.errors import ApiError, ErrorCode
from mockbroker.protocol.types import BatchHeader
from mockbroker.state.producer.producer_append_info import ProducerAppendInfo
from mockbroker.state.producer.producer_state_entry import MAX_SEQUENCE, ProducerStateEntry
from mockbroker.state.producer.producer_state_options import ProducerStateOptions
from mockbroker.state.producer.verification_state_entry import VerificationStateEntry
from tests.state.log_building import idempotent

SINCE_2_5 = ProducerStateOptions(accepts_unknown_producer=True)
UP_TO_2_4 = ProducerStateOptions(accepts_unknown_producer=False)

OUT_OF_ORDER = ErrorCode.OUT_OF_ORDER_SEQUENCE_NUMBER
FENCED = ErrorCode.INVALID_PRODUCER_EPOCH
UNKNOWN = ErrorCode.UNKNOWN_PRODUCER_ID


def entry(last_sequence: int, producer_epoch: int = 3) -> ProducerStateEntry:
    known = ProducerStateEntry(7, producer_epoch)
    known.add_batch(last_sequence, 100, 0, 1_000)
    return known


def refusal(append_info: ProducerAppendInfo, producer_epoch: int, sequence: int) -> ErrorCode:
    try:
        append_info.check_data_batch(idempotent(sequence, producer_epoch=producer_epoch))
    except ApiError as error:
        return error.code
    return ErrorCode.NONE


@pytest.mark.parametrize("options", [SINCE_2_5, UP_TO_2_4])
@pytest.mark.parametrize(
    ("last_sequence", "producer_epoch", "base_sequence", "code"),
    [
        (9, 3, 10, ErrorCode.NONE),
        (9, 3, 9, OUT_OF_ORDER),
        (9, 3, 11, OUT_OF_ORDER),
        (9, 3, 0, OUT_OF_ORDER),
        (0, 3, 1, ErrorCode.NONE),
        (MAX_SEQUENCE, 3, 0, ErrorCode.NONE),
        (MAX_SEQUENCE, 3, 1, OUT_OF_ORDER),
        (MAX_SEQUENCE, 3, MAX_SEQUENCE, OUT_OF_ORDER),
        (MAX_SEQUENCE - 1, 3, MAX_SEQUENCE, ErrorCode.NONE),
        (MAX_SEQUENCE - 1, 3, 0, OUT_OF_ORDER),
        (9, 4, 0, ErrorCode.NONE),
        (9, 4, 10, OUT_OF_ORDER),
        (9, 30_000, 0, ErrorCode.NONE),
        (9, 2, 10, FENCED),
        (9, 2, 0, FENCED),
        (9, 0, 0, FENCED),
    ],
)
def test_all_batches_of_a_known_producer(
    options: ProducerStateOptions,
    last_sequence: int,
    producer_epoch: int,
    base_sequence: int,
    code: ErrorCode,
) -> None:
    known = entry(last_sequence)
    before = repr(known)
    append_info = ProducerAppendInfo(7, known, options)
    assert refusal(append_info, producer_epoch, base_sequence) == code
    assert repr(known) == before


@pytest.mark.parametrize(
    ("options", "base_sequence", "code"),
    [
        (SINCE_2_5, 0, ErrorCode.NONE),
        (SINCE_2_5, 5, ErrorCode.NONE),
        (UP_TO_2_4, 0, ErrorCode.NONE),
        (UP_TO_2_4, 5, UNKNOWN),
    ],
)
def test_all_first_batches_of_an_unknown_producer(
    options: ProducerStateOptions, base_sequence: int, code: ErrorCode
) -> None:
    assert refusal(ProducerAppendInfo(7, None, options), 0, base_sequence) == code


def test_within_an_epoch_the_current_entry_is_updated() -> None:
    known = entry(9)
    append_info = ProducerAppendInfo(7, known, SINCE_2_5)
    assert append_info.updated_entry(idempotent(10, producer_epoch=3)) is known


@pytest.mark.parametrize("known", [None, entry(9)])
def test_a_new_epoch_gets_an_entry_of_its_own(known: ProducerStateEntry | None) -> None:
    append_info = ProducerAppendInfo(7, known, SINCE_2_5)
    updated = append_info.updated_entry(idempotent(0, producer_epoch=4))
    assert updated is not known
    assert (updated.producer_id, updated.producer_epoch, updated.is_empty) == (7, 4, True)


@pytest.mark.parametrize(
    ("options", "base_sequence", "code"),
    [
        (SINCE_2_5, 0, ErrorCode.NONE),
        (SINCE_2_5, 5, ErrorCode.NONE),
        (SINCE_2_5, 100, ErrorCode.NONE),
        (UP_TO_2_4, 10, ErrorCode.NONE),
        (UP_TO_2_4, 5, OUT_OF_ORDER),
    ],
)
def test_without_an_epoch_any_sequence_is_accepted(
    options: ProducerStateOptions, base_sequence: int, code: ErrorCode
) -> None:
    append_info = ProducerAppendInfo(7, entry(9, producer_epoch=-1), options)
    assert refusal(append_info, -1, base_sequence) == code
    assert refusal(append_info, -2, base_sequence) == FENCED


@pytest.mark.parametrize("fences", [True, False])
@pytest.mark.parametrize(("producer_epoch", "is_old"), [(2, True), (3, False), (4, False)])
def test_a_coordinators_batch_has_no_sequence_and_may_be_fenced(
    fences: bool, producer_epoch: int, is_old: bool
) -> None:
    options = ProducerStateOptions(fences_coordinators_batches=fences)
    append_info = ProducerAppendInfo(7, entry(9), options)
    header = idempotent(-1, producer_epoch=producer_epoch)
    if fences and is_old:
        with pytest.raises(ApiError) as refused:
            append_info.check_data_batch(header, is_from_client=False)
        assert refused.value.code == FENCED
    else:
        append_info.check_data_batch(header, is_from_client=False)


@pytest.mark.parametrize(
    ("known", "verification", "sent", "why"),
    [
        (entry(9), None, idempotent(11, producer_epoch=3), "11, 10 is next"),
        (entry(9), None, idempotent(5, producer_epoch=4), "5, epoch 4 begins with 0"),
        (
            None,
            VerificationStateEntry(3, 0, supports_epoch_bump=True, now_ms=0),
            idempotent(3),
            r"3, 0 is the first of its transaction \(KIP-890\)",
        ),
        (
            None,
            VerificationStateEntry(2, 0, supports_epoch_bump=False, now_ms=0),
            idempotent(5),
            "5, 2 is still being verified",
        ),
    ],
)
def test_a_refusal_names_the_sequence_and_its_reason(
    known: ProducerStateEntry | None,
    verification: VerificationStateEntry | None,
    sent: BatchHeader,
    why: str,
) -> None:
    append_info = ProducerAppendInfo(7, known, SINCE_2_5, verification)
    with pytest.raises(ApiError, match=f"producer 7 sent sequence {why}$") as refused:
        append_info.check_data_batch(sent)
    assert refused.value.code is OUT_OF_ORDER
