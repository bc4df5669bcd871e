"""Keys that check signed tokens: a JWKS in a file, or at an address (KIP-768)."""

from collections.abc import Sequence
from concurrent.futures import Future
from pathlib import Path
from threading import Thread
from typing import Final
from urllib.parse import urlsplit
from urllib.request import url2pathname, urlopen

from mockbroker.broker.authentication.bearer_tokens import KEYS_URL, KeySource
from mockbroker.errors import SettingsError
from mockbroker.events import logging
from mockbroker.state.cluster_state import ClusterState
from mockbroker.state.security.sasl.json_web_key import JsonWebKey, read_keys

TIMEOUT_S: Final = 20
"""How long the start waits for the keys, and each read of a response for its bytes."""
SIZE_MAX_BYTES: Final = 1 << 20
UNKNOWN_KEYS_MAX: Final = 16
UNKNOWN_KEY_PAUSE_MS: Final = 60_000
"""How long the same unknown key does not have the keys fetched again."""


def source_at(url: str, *, is_read_again: bool) -> KeySource:
    """Return the source of a URL; a file may be read again after each change.

    Raises:
        SettingsError: it is none of `https`, `http` and `file`, or the file cannot be read.

    """
    parts = urlsplit(url)
    if parts.scheme == "file":
        return KeyFile(url, is_read_again=is_read_again)
    if parts.scheme in ("https", "http") and parts.netloc:
        return KeyEndpoint(url)
    raise SettingsError(KEYS_URL, url, "a URL has to begin with https://, http:// or file:///")


class KeyFile:
    """Keys in a file."""

    def __init__(self, url: str, *, is_read_again: bool) -> None:
        """Read the file.

        Raises:
            SettingsError: it cannot be read.

        """
        self._url: Final = url
        self._path: Final = Path(url2pathname(urlsplit(url).path))
        self._is_read_again: Final = is_read_again
        self._modified_ns, self._keys = self._read()

    def keys(self, key_id: str | None, now_ms: int) -> Sequence[JsonWebKey]:
        """Return the keys, as they are in the file; the ones before, if it cannot be read."""
        if self._is_read_again:
            try:
                if self._path.stat().st_mtime_ns != self._modified_ns:
                    self._modified_ns, self._keys = self._read()
            except (OSError, SettingsError) as error:
                logging.warning("keys_not_read_again", url=self._url, why=str(error))
        return self._keys

    def refresh_every(self, refresh_ms: int, cluster: ClusterState) -> None:
        """Do nothing: a file tells that it has changed."""

    def wait(self) -> None:
        """Return at once: the file has been read."""

    def _read(self) -> tuple[int, Sequence[JsonWebKey]]:
        try:
            return self._path.stat().st_mtime_ns, read_keys(self._path.read_bytes())
        except (OSError, ValueError) as error:
            raise SettingsError(KEYS_URL, self._url, f"no keys can be read: {error}") from None


class KeyEndpoint:
    """Keys at an address, which are fetched by a thread: other clients do not wait for them."""

    def __init__(self, url: str) -> None:
        """Begin to fetch the keys."""
        self._url: Final = url
        self._first: Final[Future[None]] = Future()
        self._keys: Sequence[JsonWebKey] = ()
        self.fetching: Thread | None = None
        """The last fetch, which may be over."""
        self._may_fetch_for_ms: Final[dict[str, int]] = {}
        """When unknown keys may have the keys fetched again."""
        self._cluster: ClusterState | None = None
        self._refresh_ms = 0
        self.fetch()

    def refresh_every(self, refresh_ms: int, cluster: ClusterState) -> None:
        """Fetch the keys again from time to time, by the clock of a cluster."""
        if cluster is self._cluster:
            return
        if self._cluster is not None:  # it was reset, and so was its clock
            self._may_fetch_for_ms.clear()
            self.fetch()
        self._cluster, self._refresh_ms = cluster, refresh_ms
        self._schedule(cluster)

    def keys(self, key_id: str | None, now_ms: int) -> Sequence[JsonWebKey]:
        """Return the keys; one that is unknown has them fetched again for the next client."""
        keys = self._keys
        if key_id is not None and all(key.key_id != key_id for key in keys):
            self._fetch_for(key_id, now_ms)
        return keys

    def wait(self) -> None:
        """Wait until the keys were fetched.

        Raises:
            SettingsError: they could not be.

        """
        try:
            self._first.result(TIMEOUT_S)
        except TimeoutError:
            why = f"no keys came within {TIMEOUT_S} s"
            raise SettingsError(KEYS_URL, self._url, why) from None

    def fetch(self) -> bool:
        """Begin to fetch the keys, unless that is going on; return whether it begins."""
        if self.fetching is not None and self.fetching.is_alive():
            return False
        self.fetching = Thread(target=self._fetch, name="json-web-keys", daemon=True)
        self.fetching.start()
        return True

    def _fetch(self) -> None:
        try:
            with urlopen(self._url, timeout=TIMEOUT_S) as response:
                self._keys = read_keys(response.read(SIZE_MAX_BYTES))
        except Exception as error:  # noqa: BLE001 - the start waits for an end, whatever it is
            refusal = SettingsError(KEYS_URL, self._url, f"no keys can be fetched: {error}")
            if self._first.done():
                logging.warning("keys_not_fetched", why=str(refusal))
            else:
                self._first.set_exception(refusal)
        else:
            if not self._first.done():
                self._first.set_result(None)

    def _fetch_for(self, key_id: str, now_ms: int) -> None:
        waiting = self._may_fetch_for_ms
        if now_ms < waiting.get(key_id, now_ms):
            return
        if not self.fetch():
            return  # the keys that are on their way may be older
        waiting.pop(key_id, None)
        waiting[key_id] = now_ms + UNKNOWN_KEY_PAUSE_MS
        if len(waiting) > UNKNOWN_KEYS_MAX:
            del waiting[next(iter(waiting))]

    def _schedule(self, cluster: ClusterState) -> None:
        """Fetch after the interval; a jump over several has the keys fetched once."""

        def refresh(_now_ms: int) -> None:
            self.fetch()
            self._schedule(cluster)

        timers = cluster.timers
        timers.schedule(f"keys of {self._url}", timers.until_ms + self._refresh_ms, refresh)
