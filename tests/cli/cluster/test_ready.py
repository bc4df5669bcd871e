"""`mockbroker ready`, for scripts and health checks."""

import threading
from collections.abc import Iterator

import pytest

from tests.support.admin_cli import AdminCli
from tests.support.held_ports import held_ports
from tests.support.process import run, served

pytestmark = pytest.mark.slow


@pytest.fixture
def url() -> Iterator[str]:
    """Where nobody listens, and only who is told so ever will."""
    with held_ports() as (port,):
        yield f"http://127.0.0.1:{port}"


def test_a_cluster_that_is_there_is_ready(unchanged: AdminCli) -> None:
    assert unchanged.text("ready") == "ready\n"
    assert unchanged.document("ready") == {"status": "ok"}
    assert unchanged.text("ready", "-q") == ""


def test_nobody_is_not_ready(url: str) -> None:
    result = run("ready", "--admin", url)
    assert (result.returncode, result.stdout) == (3, "")
    assert result.stderr.startswith(f"mockbroker: no admin API at {url}: Connection refused; ")


def test_who_is_waited_for_in_vain_has_a_code_of_its_own(url: str) -> None:
    result = run("ready", "--admin", url, "--timeout", "50ms")
    assert result.returncode == 4
    assert result.stderr.startswith("mockbroker: not ready within 50ms: no admin API at ")


def test_who_comes_later_is_waited_for(url: str) -> None:
    codes: list[int] = []
    wait = ("ready", "--admin", url, "--timeout", "30s")
    thread = threading.Thread(target=lambda: codes.append(run(*wait).returncode))
    thread.start()
    with served("--json", "--admin-port", url.rpartition(":")[2]):
        thread.join()
    assert codes == [0]


def test_a_time_that_is_none_is_refused(unchanged: AdminCli) -> None:
    assert "'--timeout': 'soon' is no duration" in unchanged.refusal("ready", "--timeout", "soon")
