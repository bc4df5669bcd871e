"""Placeholders for values that differ between runs: ids, ports, and times near the present."""

import base64
import re
from collections.abc import Mapping, Sequence
from typing import Final
from uuid import UUID

from tests.conformance.topic_hashes import named_hash

HOUR_MS: Final = 3_600_000
MINUTE_MS: Final = 60_000
TIMES_IN_TEXT: Final = re.compile(r"-?\b\d{13,19}\b")
REQUEST_IN_TEXT: Final = re.compile(r"Request Request\(.*\)(?= (?:is not|needs) )")
"""A broker's own object for a request, with the client's port and addresses in memory."""
UUIDS_IN_TEXT: Final = re.compile(r"\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b")
HOURS_MAX: Final = 24 * 60
LONGEST_MS: Final = (1 << 63) - 1
MADE_UP_BELOW: Final = 1 << 32
"""Topic ids and producer ids that a script chooses are smaller, and are shown unchanged."""


class Placeholders:
    """Placeholders of one run of a scenario, assigned in order of appearance."""

    def __init__(
        self,
        addresses: Sequence[tuple[str, int]],
        start_ms: int,
        listeners: Mapping[str, Sequence[tuple[str, int]]] | None = None,
    ) -> None:
        self.base_ms = start_ms - HOUR_MS
        """Scripts date their records from here on: well in the past, and well retained."""
        self._start_ms = start_ms
        self._brokers = len(addresses)
        self._ports = {port: f"<port {index}>" for index, (_, port) in enumerate(addresses, 1)}
        for name, others in (listeners or {}).items():
            for index, (_, port) in enumerate(others, 1):
                self._ports[port] = f"<port {index} of {name}>"
        self._uuids: dict[UUID, str] = {}
        self._topic_ids: dict[str, UUID] = {}
        self._hashes: dict[int, str] = {}
        self._producer_ids: dict[int, str] = {}
        self._session_ids: dict[int, str] = {}
        self._member_uuids: dict[str, str] = {}
        self._texts: dict[str, str] = {f":{port}": f":{name}" for port, name in self._ports.items()}

    def learn_topic(self, name: str, topic_id: UUID) -> None:
        """Name a topic id after the topic; a recreated topic has another name."""
        if topic_id.int < MADE_UP_BELOW or topic_id in self._uuids:
            return
        earlier = sum(known.startswith(f"<id of {name}") for known in self._uuids.values())
        shown = f"<id of {name}>" if not earlier else f"<id of {name}, {earlier + 1}>"
        self._uuids[topic_id] = shown
        self._topic_ids[name] = topic_id
        self.learn_text(base64.urlsafe_b64encode(topic_id.bytes).decode().rstrip("="), shown)

    def learn_producer(self, producer_id: int) -> None:
        """Number an assigned producer id."""
        shown = f"<producer {len(self._producer_ids) + 1}>"
        if self._producer_ids.setdefault(producer_id, shown) == shown:
            self.learn_text(f"roducer {producer_id} ", f"roducer {shown} ")
            self.learn_text(f"producerId {producer_id} ", f"producerId {shown} ")
            self.learn_text(f"producerId: {producer_id},", f"producerId: {shown},")

    def learn_port(self, port: int) -> None:
        """Name the port that the first broker advertises, if it is reached by another one."""
        if port not in self._ports:
            self._ports[port] = "<port 1>"
            self.learn_text(f":{port}", ":<port 1>")

    def learn_text(self, text: str, shown: str) -> None:
        """Replace a text by a placeholder everywhere."""
        self._texts[text] = shown

    def uuid(self, value: UUID) -> str:
        """Return the placeholder of an id."""
        if value.int < MADE_UP_BELOW:
            return str(value.int)
        return self._uuids.setdefault(value, f"<id {len(self._uuids) + 1}>")

    def topics_hash(self, value: int) -> int | str:
        """Return the placeholder of the hash of topics: their names."""
        if value and value not in self._hashes:
            self._hashes[value] = named_hash(value, self._topic_ids)
        return self._hashes.get(value, value)

    def producer(self, value: int) -> int | str:
        """Return the placeholder of an assigned producer id."""
        return self._producer_ids.get(value, value)

    def session(self, value: int) -> int | str:
        """Return the placeholder of a fetch session."""
        if value <= 0:
            return value
        return self._session_ids.setdefault(value, f"<session {len(self._session_ids) + 1}>")

    def controller(self, value: int) -> int | str:
        """Return the placeholder of the controller, which may be any of several brokers."""
        return "<a broker>" if 0 < value <= self._brokers > 1 else value

    def port(self, value: int) -> int | str:
        """Return the placeholder of a broker's port."""
        return self._ports.get(value, value)

    def time(self, value: int) -> int | str:
        """Return the placeholder of a time: its distance from the script's base, or from now."""
        if value < -LONGEST_MS // 2:  # the present, less what stands for ever
            shown = self.time(value + LONGEST_MS)
            return f"{shown}-ever" if isinstance(shown, str) else value
        if abs(value - self.base_ms) <= 10 * MINUTE_MS:
            return f"T{value - self.base_ms:+}"
        hours = round((value - self._start_ms) / HOUR_MS)
        if abs(hours) > HOURS_MAX or abs(value - self._start_ms - hours * HOUR_MS) > 20 * MINUTE_MS:
            return value
        return f"now{hours:+}h" if hours else "now"

    def text(self, value: str) -> str:
        """Replace known values in a text."""
        for known, shown in self._texts.items():
            value = value.replace(known, shown)
        value = REQUEST_IN_TEXT.sub("Request <request>", value)
        value = UUIDS_IN_TEXT.sub(self._uuid_in_text, value)
        return TIMES_IN_TEXT.sub(self._time_in_text, value)

    def _uuid_in_text(self, found: re.Match[str]) -> str:
        # The end of a member id: what stands before it is the client's.
        shown = f"<uuid {len(self._member_uuids) + 1}>"
        return self._member_uuids.setdefault(found.group(), shown)

    def _time_in_text(self, found: re.Match[str]) -> str:
        return str(self.time(int(found.group())))


NODE_CONFIGS: Final[Mapping[str, str]] = {
    "log.dir": "<directory>",
    "log.dirs": "<directory>",
}
"""Broker configs whose values depend on the machine."""
