"""The lines of produced batches: those of the entries, written faster."""

import json
import re
from collections.abc import Sequence

import pytest

from mockbroker.events.event_types import (
    BatchProduced,
    ClusterEvent,
    RunProduced,
    Sender,
)
from mockbroker.journal.expansion import run_entries
from mockbroker.journal.files import produced_lines
from mockbroker.journal.files.jsonl import entry_of, line_of
from mockbroker.journal.files.produced import produced_run
from mockbroker.journal.files.produced_lines import ProducedLines
from mockbroker.journal.heard import Heard
from mockbroker.state.events import LogPosition

NAUGHTY = 'a%s "quoted" \\ ä\x01{}'


def heard_of(happening: RunProduced | BatchProduced | ClusterEvent, seq: int = 1) -> Heard:
    return Heard(seq, 1_111, 2_222, None, None, happening)


def a_run(
    count: int = 3,
    ids: Sequence[int] | None = None,
    first: int = 100,
    sender: Sender | None = None,
    log: LogPosition | None = None,
    **changes: object,
) -> RunProduced:
    sender = sender or Sender(1, 2, NAUGHTY, 9, -1, None, "orders")
    end = first + count
    log = log or LogPosition("orders", 0, 1, 4, 0, end, end, end)
    crcs = range(4_294_967_295, 4_294_967_295 - count, -1)
    run = RunProduced(
        *(9, ids or list(range(500, 500 + count)), sender, 4_000, 1, 20, [0] * count, first),
        *([], crcs, log),
    )
    return run._replace(**changes)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "run",
    [
        a_run(1),
        a_run(64),
        a_run(producer_id=-1, producer_epoch=-1, base_sequence=-1),
        a_run(sender=Sender(1, 2, None, 9, 0, None, "orders")),
        a_run(log=LogPosition("orders", 0, 1, 4, 0, 12, 40, 103)),
        a_run(log=LogPosition("orders", 3, 2, 5, 7, 12, 103, 103)),
        BatchProduced(
            3, 8, Sender(1, 2, "me", 9, 1, "svc", "orders"),
            (0, 99, -1, 2, 77, 0x10, 4, 0, 0, 4_000, 1, 20, 5), 40,
            LogPosition("orders", 0, 1, 4, 0, 40, 45, 45),
        ),
    ],
)  # fmt: skip
def test_lines_are_those_of_the_entries(run: RunProduced | BatchProduced) -> None:
    lines = ProducedLines()
    for seq in (1, 77):  # the second time the shape is known
        heard = heard_of(run, seq)
        whole = produced_run(run)
        expected = "".join(line_of(entry) for entry in run_entries(whole, heard))
        assert re.sub('": +', '":', lines.text(heard, whole).decode()) == expected


@pytest.mark.slow
@pytest.mark.parametrize(
    "run",
    [
        pytest.param(a_run(first=0), id="from zero"),
        pytest.param(a_run(64, first=99_990), id="one more digit, of the offsets"),
        pytest.param(a_run(25_000, first=7), id="more than there are digits written down for"),
        pytest.param(a_run(11_000, first=1 << 53), id="many digits"),
        pytest.param(a_run(first=9_999), id="many digits that change at once"),
        pytest.param(a_run(ids=(7, 6, 1_000)), id="numbers of requests that nobody counted"),
        pytest.param(a_run(ids=(2_147_483_647, -2_147_483_648, -1)), id="that wrap around"),
        pytest.param(a_run(ids=(5, 7, 7)), id="that count, but for one"),
        pytest.param(a_run(crcs=(0, 4_294_967_295, 17)), id="short checksums"),
    ],
)
def test_numbers_of_all_lengths_are_read_as_they_were(run: RunProduced) -> None:
    heard = heard_of(run, 995)
    whole = produced_run(run)
    written = bytes(ProducedLines().text(heard, whole)).splitlines()
    assert [entry_of(line) for line in written] == list(run_entries(whole, heard))


def test_a_short_number_stands_behind_spaces_where_others_are_longer() -> None:
    run = a_run(crcs=(5, 4_294_967_295, 17))
    appends = ProducedLines().text(heard_of(run), produced_run(run)).splitlines()[1::3]
    assert [json.loads(line)["crc"] for line in appends] == [5, 4_294_967_295, 17]
    assert b'"crc":         5,' in appends[0]


def test_shapes_are_forgotten_before_they_are_too_many(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(produced_lines, "SHAPES_KEPT", 2)
    lines = ProducedLines()
    for producer_id in range(5):
        run = produced_run(a_run(producer_id=producer_id))
        assert f'"producer_id":{producer_id},'.encode() in lines.text(heard_of(a_run()), run)
