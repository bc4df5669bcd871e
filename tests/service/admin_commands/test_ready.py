"""`mockbroker ready`, for scripts and health checks."""

import socket
import threading

import pytest

from tests.service.support.admin_cli import AdminCli
from tests.service.support.process import run, served

pytestmark = pytest.mark.slow


def free_url() -> str:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return f"http://127.0.0.1:{listener.getsockname()[1]}"


def test_a_cluster_that_is_there_is_ready(unchanged: AdminCli) -> None:
    assert unchanged.text("ready") == "ready\n"
    assert unchanged.document("ready") == {"status": "ok"}
    assert unchanged.text("ready", "-q") == ""


def test_nobody_is_not_ready() -> None:
    url = free_url()
    result = run("ready", "--admin", url)
    assert (result.returncode, result.stdout) == (3, "")
    assert result.stderr.startswith(f"mockbroker: no admin API at {url}: Connection refused; ")


def test_who_is_waited_for_in_vain_has_a_code_of_its_own() -> None:
    result = run("ready", "--admin", free_url(), "--timeout", "50ms")
    assert result.returncode == 4
    assert result.stderr.startswith("mockbroker: not ready within 50ms: no admin API at ")


def test_who_comes_later_is_waited_for() -> None:
    url = free_url()
    codes: list[int] = []
    wait = ("ready", "--admin", url, "--timeout", "30s")
    thread = threading.Thread(target=lambda: codes.append(run(*wait).returncode))
    thread.start()
    with served("--json", "--admin-port", url.rpartition(":")[2]):
        thread.join()
    assert codes == [0]


def test_a_time_that_is_none_is_refused(unchanged: AdminCli) -> None:
    assert "'--timeout': 'soon' is no duration" in unchanged.refusal("ready", "--timeout", "soon")
