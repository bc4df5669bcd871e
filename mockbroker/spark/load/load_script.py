"""Script of a load task, decided before it starts by seeded random choices.

A script has the rounds in which a task sends its records, and the course of each. It depends on the
seed, the task and the attempt, and never on a cluster's responses.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from random import Random
from typing import Final, Literal, TypeAlias
from zlib import crc32

from mockbroker.spark.load.load_plan import Plan

ROUNDS: Final = 10
"""Number of rounds of a task with enough records."""
ROUND_RECORDS_MAX: Final = 1_000

Turn: TypeAlias = Literal["done", "aborted", "taken over", "failed", "died"]
"""Course of a round: `failed` and `died` end the attempt after half of the round."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Round:
    """Records of a task that are sent together, with a common wait for the results."""

    numbers: range
    """Numbers of the records in the task, from 0."""
    turn: Turn = "done"
    moved_partition: int | None = None
    """Partition of the plan's moments, if they come after this round."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LoadRecord:
    """A record to send."""

    record_id: str
    partition: int
    key: bytes
    value: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class LoadShape:
    """Size of a load, and the seed of its random choices."""

    seed: int
    tasks: int
    records: int
    """Number of records per task."""
    partitions: int
    record_bytes: int = 100
    """Size of a record's value."""

    def record(self, task: int, number: int) -> LoadRecord:
        """Return a record; the same arguments return the same record."""
        record_id = f"{self.seed}-{task}-{number}"
        key = record_id.encode()
        filling = key + b" "
        times = self.record_bytes // len(filling) + 1
        return LoadRecord(
            record_id=record_id,
            partition=crc32(key) % self.partitions,
            key=key,
            value=(filling * times)[: self.record_bytes],
        )

    def records_of(self, task: int, numbers: range) -> Iterator[LoadRecord]:
        """Yield records of a task."""
        return (self.record(task, number) for number in numbers)


def script_of(plan: Plan, shape: LoadShape, task: int, attempt: int) -> list[Round]:
    """Return the script of a task's attempt."""
    random = Random(f"{shape.seed}/{task}")
    rounds = [Round(numbers=numbers) for numbers in _rounds(shape.records, random)]
    turns = _turns(plan, len(rounds), random)
    moved = _moved(plan, task, len(rounds), random)
    ending = _ending(plan, shape, task, attempt)
    at = random.randrange(len(rounds) // 2, len(rounds))
    script: list[Round] = []
    for number, each in enumerate(rounds):
        if ending is not None and number == at:
            return [*script, Round(numbers=each.numbers, turn=ending)]
        if turns[number] == "aborted":
            script.append(Round(numbers=each.numbers, turn="aborted"))
        turn: Turn = "taken over" if turns[number] == "taken over" else "done"
        partition = _partition(shape, task, each) if number in moved else None
        script.append(Round(numbers=each.numbers, turn=turn, moved_partition=partition))
    return script


def tasks_that(share: float, what: str, shape: LoadShape, without: Sequence[int] = ()) -> list[int]:
    """Choose a share of the tasks at random: at least one if the share is above 0."""
    left = [task for task in range(shape.tasks) if task not in without]
    random = Random(f"{shape.seed}/{what}")
    return sorted(random.sample(left, _count(share, shape.tasks, len(left))))


def _count(share: float, of: int, left: int) -> int:
    return 0 if share <= 0 else min(max(1, round(share * of)), left)


def _rounds(records: int, random: Random) -> Iterator[range]:
    usual = min(max(records // ROUNDS, 1), ROUND_RECORDS_MAX)
    begin = 0
    while begin < records:
        end = min(begin + random.randint(max(usual // 2, 1), max(usual * 3 // 2, 1)), records)
        yield range(begin, end)
        begin = end


def _turns(plan: Plan, rounds: int, random: Random) -> list[str]:
    turns = ["done"] * rounds
    for turn, share in (("aborted", plan.chaos.aborted), ("taken over", plan.chaos.taken_over)):
        left = [number for number in range(rounds) if turns[number] == "done"]
        for number in random.sample(left, _count(share, rounds, len(left))):
            turns[number] = turn
    return turns


def _moved(plan: Plan, task: int, rounds: int, random: Random) -> frozenset[int]:
    """Choose the rounds that the plan's moments follow, in the first task."""
    due: set[int] = set()
    if task == 0:
        for moment in plan.moments:
            if moment.after == "first round":
                due.add(0)
            elif moment.after == "some rounds":
                due |= set(random.sample(range(rounds), _count(0.5, rounds, rounds)))
    return frozenset(due)


def _ending(plan: Plan, shape: LoadShape, task: int, attempt: int) -> Turn | None:
    """Return the early end of a first attempt, if any; later attempts have none."""
    if attempt > 0:
        return None
    failing = tasks_that(plan.chaos.failing, "failing", shape)
    if task in failing:
        return "failed"
    dying = tasks_that(plan.chaos.dying, "dying", shape, without=failing)
    return "died" if task in dying else None


def _partition(shape: LoadShape, task: int, each: Round) -> int:
    return shape.record(task, each.numbers[0]).partition
