"""Rules of an exploration are refused before the first run, and have their times in seconds."""

import pytest

from mockbroker.exploration.rules import Effort, Rules


def test_an_assertion_with_arguments_or_a_wrong_name_is_refused() -> None:
    with pytest.raises(ValueError, match="assert_committed needs transactional_id"):
        Rules(assertions=["committed"])
    with pytest.raises(ValueError, match="did you mean 'exactly-once'"):
        Rules(assertions=["exactly-onec"])


def test_times_are_durations() -> None:
    assert Rules(timeout="1500ms").timeout_s == 1.5
    assert Rules().timeout_s is None
    assert Effort(budget="2m").budget_s == 120
    with pytest.raises(ValueError, match="'soon' is not a duration"):
        Effort(budget="soon")


def test_jobs_and_the_folder_of_an_interrupted_exploration_are_checked() -> None:
    with pytest.raises(ValueError, match="jobs=0: at least 1 run"):
        Effort(jobs=0)
    with pytest.raises(ValueError, match=r"resume=True needs the folder .*: output"):
        Effort(resumes=True)
