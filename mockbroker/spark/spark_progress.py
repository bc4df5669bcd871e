"""Progress of Spark's jobs: the tasks of the running stages."""

from collections.abc import Callable
from typing import Any

from mockbroker.spark.command_session import CommandSession


def tasks_done(session: CommandSession) -> Callable[[], tuple[int, int] | None]:
    """Return a function that reports the completed and all tasks; None with Connect."""
    if session.is_connect:
        return lambda: None
    tracker: Any = session.spark.sparkContext.statusTracker()

    def progress() -> tuple[int, int] | None:
        stages = [tracker.getStageInfo(each) for each in tracker.getActiveStageIds()]
        known = [stage for stage in stages if stage is not None]
        total = sum(stage.numTasks for stage in known)
        done = sum(stage.numCompletedTasks for stage in known)
        return (done, total) if total else None

    return progress
