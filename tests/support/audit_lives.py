"""Random journals: histories of a few producers with many anomalies."""

import random
from collections.abc import Callable
from typing import Any, Final

from mockbroker.journal.entry import Entry
from mockbroker.protocol.api_keys import ApiKey
from mockbroker.protocol.errors import ErrorCode
from tests.support.audit_script import ABORT, COMMIT, Script

PARTITIONS: Final = 2


class Life:
    """Journal written step by step; each step has a name in `STEPS`."""

    def __init__(self, draw: random.Random) -> None:
        self.script = Script()
        self._draw = draw
        self._epoch = 0
        self._state = "Empty"
        self._bump = draw.randrange(2)

    def step(self, name: str) -> None:
        getattr(self, f"_{name}")()

    def _place(self) -> int:
        return self._draw.randrange(PARTITIONS)

    def _said(self, **said: Any) -> dict[str, Any]:
        return {"record_count": self._draw.randint(1, 3), "producer_id": 7, **said}

    def _produce(self) -> None:
        self.script.produce(self._place(), **self._said())

    def _other(self) -> None:
        self.script.produce(
            self._place(), **self._said(producer_id=8, acks=self._draw.choice([-1, 0]))
        )

    def _plain(self) -> None:
        self.script.produce(self._place(), **self._said(producer_id=-1))

    def _again(self) -> None:
        self.script.produce(self._place(), **self._said(base_sequence=self._draw.randrange(4)))

    def _gap(self) -> None:
        place = self._place()
        base = self.script.batch(place)["base_sequence"]
        self.script.produce(place, **self._said(base_sequence=base + self._draw.randint(0, 2)))

    def _regression(self) -> None:
        self.script.produce(self._place(), **self._said(producer_epoch=self._draw.randrange(2)))

    def _refused(self) -> None:
        place = self._place()
        batch = self.script.batch(place, **self._said(base_sequence=0))
        call = self.script.request(place, **batch)
        self.script.answer(place, call=call, error=ErrorCode.OUT_OF_ORDER_SEQUENCE_NUMBER, **batch)

    def _retry(self) -> None:
        batch = self.script.batch(0, **self._said(base_sequence=0))
        for _ in range(self._draw.choice([1, 12])):
            call = self.script.request(0, **batch)
            said = {k: v for k, v in batch.items() if k not in {"acks", "transactional_id"}}
            end = self.script.end(0)
            self.script.row(
                "append", call=call, api=ApiKey.PRODUCE, partition=0, base_offset=0, last_offset=0,
                is_duplicate=True, log_end_offset=end, high_watermark=end, log_start_offset=0,
                last_stable_offset=end, leader_epoch=0, broker=1, **said,
            )  # fmt: skip
            self.script.answer(0, call=call, base_offset=0, **batch)

    def _late_answer(self) -> None:
        place = self._place()
        batch = self.script.batch(place, **self._said())
        call = self.script.request(place, **batch)
        base = self.script.append(place, call=call, **batch)
        self.script.produce(place, **self._said(producer_id=8))
        self.script.answer(place, call=call, base_offset=base, **batch)

    def _lost(self) -> None:
        batch = self.script.batch(0, **self._said())
        call = self.script.request(0, **batch)
        if self._draw.random() < 0.5:
            self.script.append(0, call=call, **batch)
        self.script.row("lost", call=call, api=ApiKey.PRODUCE, partition=0, **batch)

    def _acknowledged_nothing(self) -> None:
        batch = self.script.batch(0, **self._said())
        call = self.script.request(0, **batch)
        self.script.answer(0, call=call, base_offset=self.script.end(0), **batch)

    def _jump(self) -> None:
        place = self._place()
        batch = self.script.batch(place, **self._said())
        call = self.script.request(place, **batch)
        base = self.script.append(place, call=call, jump=self._draw.choice([-2, 3]), **batch)
        self.script.answer(place, call=call, base_offset=max(base, 0), **batch)

    def _truncation(self) -> None:
        place = self._place()
        end = max(0, self.script.end(place) - self._draw.randint(1, 4))
        self.script.cut(place, end)
        self.script.row("truncation", topic="t", partition=place, log_end_offset=end)

    def _leader(self) -> None:
        place = self._place()
        self.script.row(
            "leader", topic="t", partition=place, leader_epoch=self._draw.randrange(2), broker=1
        )

    def _expired(self) -> None:
        who = self._draw.choice([7, 9])
        self.script.row("producer_expired", topic="t", partition=self._place(), producer_id=who)

    def _deleted(self) -> None:
        self.script.row("topic_deleted", topic="t", detail='{"topic_id":"x"}')

    def _wait(self) -> None:
        self.script.now_ms += self._draw.choice([20_000, 1_000_000, 90_000_000])

    # Transactions

    def _partitions(self) -> tuple[int, ...]:
        return self._draw.choice([(0,), (1,), (0, 1)])

    def _whole(self) -> None:
        self._state = self.script.transaction(
            *self._partitions(), before=self._state, marker=self._draw.choice([COMMIT, ABORT]),
            epoch=self._epoch, bump=self._bump, batches=self._draw.randint(1, 2),
        )  # fmt: skip
        self._epoch += self._bump

    def _part(self) -> None:
        """Write a transaction with missing or additional rows."""
        partitions = self._partitions()
        wrong = self._draw.choice(["open", "marker", "write", "late", "other", "added", "nothing"])
        script = self.script
        script.begin(*partitions, before=self._state, epoch=self._epoch)
        self._state = "Ongoing"
        for partition in partitions if wrong != "write" else partitions[1:]:
            script.write(partition, epoch=self._epoch)
        if wrong == "added":
            script.write(self._place(), epoch=self._epoch)
        if wrong == "open":
            return
        marked = partitions[1:] if wrong == "marker" else partitions
        self._epoch += self._bump
        self._state = script.finish(*marked, marker=COMMIT, epoch=self._epoch)
        if wrong == "late":
            script.write(self._place(), epoch=self._epoch - self._bump)
        if wrong == "other":
            script.marker(self._place(), ABORT, producer_epoch=self._epoch)

    def _fence(self) -> None:
        self._epoch += 1
        said = {"producer_epoch": self._epoch, "call": self.script.call()}
        self.script.transition(self._state, "Empty", api=ApiKey.INIT_PRODUCER_ID, **said)
        self._state = "Empty"
        if self._draw.random() < 0.5:
            self.script.write(self._place(), epoch=self._epoch - 1)

    def _marker(self) -> None:
        epoch = self._epoch + self._draw.choice([-1, 0, 1])
        self.script.marker(self._place(), producer_epoch=epoch)


OFTEN: Final = ("produce", "other", "whole")
SELDOM: Final = (
    *("plain", "again", "gap", "regression", "refused", "retry", "late_answer", "lost", "part"),
    *("acknowledged_nothing", "jump", "truncation", "leader", "expired", "deleted", "wait"),
    *("fence", "marker"),
)


def life(draw: random.Random, steps: int, wrong: float) -> list[Entry]:
    """Write a journal with a share of wrong steps, and then change one or two rows."""
    told = Life(draw)
    for _ in range(steps):
        told.step(draw.choice(SELDOM if draw.random() < wrong else OFTEN))
    entries = told.script.entries
    if draw.random() < 0.3:
        del entries[draw.randrange(len(entries))]
    if draw.random() < 0.3:
        _change(entries, draw)
    return entries


def _change(entries: list[Entry], draw: random.Random) -> None:
    at = draw.randrange(len(entries))
    changes: list[Callable[[Entry], Entry]] = [
        lambda each: each._replace(producer_epoch=draw.randrange(3)),
        lambda each: each._replace(base_sequence=draw.randrange(6)),
        lambda each: each._replace(last_stable_offset=draw.randrange(6)),
        lambda each: each._replace(leader_epoch=1),
        lambda each: each._replace(marker=ABORT),
        lambda each: each._replace(coordinator_epoch=1),
    ]
    kept = {name for name, value in entries[at]._asdict().items() if value is not None}
    changed = draw.choice(changes)(entries[at])
    if {name for name, value in changed._asdict().items() if value is not None} == kept:
        entries[at] = changed
