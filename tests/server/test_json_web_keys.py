"""Keys that check tokens, in files and at addresses."""

import json
import os
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Event, Thread

import pytest

from mockbroker.errors import SettingsError
from mockbroker.server.json_web_keys import (
    UNKNOWN_KEY_PAUSE_MS,
    KeyEndpoint,
    source_at,
)
from tests.conformance.signed_tokens import KEYS
from tests.support.in_process import NOW_MS, Brokers

ENTRIES = {entry["kid"]: entry for entry in json.loads(KEYS.read_text("utf-8"))["keys"]}
HOUR_MS = 3_600_000


def key_set(*names: str) -> bytes:
    return json.dumps({"keys": [ENTRIES[name] for name in names]}).encode()


class Issuer:
    """An HTTP server with keys."""

    def __init__(self) -> None:
        self.body = key_set("rsa")
        self.requests = 0
        self.before: Callable[[], object] = lambda: None
        issuer = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                issuer.requests += 1
                issuer.before()
                self.send_response(200)
                self.send_header("Content-Length", str(len(issuer.body)))
                self.end_headers()
                self.wfile.write(issuer.body)

            def log_message(self, *_args: object) -> None:
                """Say nothing."""

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}/keys"


@pytest.fixture
def issuer() -> Iterator[Issuer]:
    running = Issuer()
    thread = Thread(target=running.server.serve_forever, args=(0.01,))
    thread.start()
    yield running
    running.server.shutdown()
    thread.join()
    running.server.server_close()


def names(source: object, key_id: str | None = None, now_ms: int = NOW_MS) -> list[str | None]:
    keys: Callable[..., list[object]] = source.keys  # type: ignore[attr-defined]
    return [key.key_id for key in keys(key_id, now_ms)]  # type: ignore[attr-defined]


@pytest.mark.parametrize("url", ["", "ftp://host/keys", "http:", "keys.json"])
def test_another_url_is_an_error(url: str) -> None:
    with pytest.raises(SettingsError, match="begin with https://, http:// or file:///"):
        source_at(url, is_read_again=True)


def test_a_file_that_is_not_there_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="no keys can be read"):
        source_at((tmp_path / "keys.json").as_uri(), is_read_again=True)


@pytest.mark.parametrize("is_read_again", [False, True])
def test_a_changed_file_is_read_again_in_some_releases(tmp_path: Path, is_read_again: bool) -> None:
    path = tmp_path / "keys.json"
    path.write_bytes(key_set("rsa"))
    os.utime(path, ns=(1, 1))
    source = source_at(path.as_uri(), is_read_again=is_read_again)
    path.write_bytes(key_set("ec"))
    assert names(source) == (["ec"] if is_read_again else ["rsa"])
    path.write_bytes(b"no keys")
    os.utime(path, ns=(2, 2))
    assert names(source) == (["ec"] if is_read_again else ["rsa"])


def fetched(source: KeyEndpoint) -> KeyEndpoint:
    """Wait for the end of the fetch that is going on."""
    assert source.fetching is not None
    source.fetching.join()
    return source


def test_keys_are_fetched_at_once(issuer: Issuer) -> None:
    source = KeyEndpoint(issuer.url)
    source.wait()
    assert names(source) == ["rsa"]


def test_keys_that_cannot_be_fetched_are_an_error(issuer: Issuer) -> None:
    issuer.body = b"no keys"
    with pytest.raises(SettingsError, match="no keys can be fetched"):
        KeyEndpoint(issuer.url).wait()


def test_an_unknown_key_has_them_fetched_again_once_in_a_minute(issuer: Issuer) -> None:
    source = fetched(KeyEndpoint(issuer.url))
    issuer.body = key_set("rsa", "ec")
    assert names(source, "ec") == ["rsa"]
    assert names(fetched(source), "ec") == ["rsa", "ec"]
    for now_ms in (NOW_MS, NOW_MS + UNKNOWN_KEY_PAUSE_MS - 1, NOW_MS + UNKNOWN_KEY_PAUSE_MS):
        names(fetched(source), "another", now_ms)
    fetched(source)
    assert issuer.requests == 4


def test_keys_that_do_not_come_are_an_error(
    issuer: Issuer, monkeypatch: pytest.MonkeyPatch
) -> None:
    may_answer = Event()
    issuer.before = lambda: may_answer.wait(10)
    monkeypatch.setattr("mockbroker.server.json_web_keys.TIMEOUT_S", 0.01)
    source = KeyEndpoint(issuer.url)
    # The one who waits and the one who fetches have the same limit: either may be the first.
    with pytest.raises(SettingsError, match=r"no keys (came within|can be fetched: timed out)"):
        source.wait()
    may_answer.set()
    fetched(source)


def test_a_jump_over_several_intervals_has_them_fetched_once(issuer: Issuer) -> None:
    source, brokers = fetched(KeyEndpoint(issuer.url)), Brokers()
    source.refresh_every(HOUR_MS, brokers.state)
    brokers.state.advance_to(NOW_MS + 24 * HOUR_MS)
    fetched(source)
    assert issuer.requests == 2


def test_after_a_reset_they_are_fetched_again_and_so_for_each_unknown_key(issuer: Issuer) -> None:
    source, brokers = fetched(KeyEndpoint(issuer.url)), Brokers()
    source.refresh_every(HOUR_MS, brokers.state)
    names(source, "ec", NOW_MS + 24 * HOUR_MS)
    fetched(source).refresh_every(HOUR_MS, Brokers().state)
    issuer.body = key_set("ec")
    names(fetched(source), "ec")
    assert names(fetched(source)) == ["ec"]


def test_an_unknown_key_during_a_fetch_has_them_fetched_after_it(issuer: Issuer) -> None:
    source, may_answer = fetched(KeyEndpoint(issuer.url)), Event()
    issuer.before = lambda: may_answer.wait(10)
    names(source, "another")
    names(source, "ec")
    may_answer.set()
    fetched(source)
    issuer.body = key_set("ec")
    names(source, "ec")
    assert names(fetched(source)) == ["ec"]


def test_keys_are_fetched_again_by_the_clock(issuer: Issuer) -> None:
    source, brokers = fetched(KeyEndpoint(issuer.url)), Brokers()
    for _ in range(2):
        source.refresh_every(HOUR_MS, brokers.state)
    issuer.body = key_set("ec")
    brokers.state.advance_to(NOW_MS + HOUR_MS)
    assert names(fetched(source)) == ["ec"]
    issuer.body = b"no keys"
    brokers.state.advance_to(NOW_MS + 2 * HOUR_MS)
    assert names(fetched(source)) == ["ec"]
    assert issuer.requests == 3
