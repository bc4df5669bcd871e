"""Part of a cluster's handle that creates topics, appends records, and waits for records."""

from concurrent.futures import Future
from importlib import import_module
from typing import TYPE_CHECKING, Final

from mockbroker.broker.stored_records import IsolationLevel, StoredRecord, checked_isolation
from mockbroker.control.cluster_control import ClusterControl, action
from mockbroker.control.running_cluster import ClusterAccess
from mockbroker.errors import SettingsError, similar_names
from mockbroker.server.event_loop import check_may_wait
from mockbroker.settings.duration import Duration, milliseconds, with_unit
from mockbroker.settings.python_arguments import config_text
from mockbroker.state.cluster_state import ClusterState
from mockbroker.state.topic.replication_control import DEFAULT_COUNT, NewTopic

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mockbroker.control.topics.append_transaction import AppendTransaction
    from mockbroker.control.topics.handler_client import HandlerClient
    from mockbroker.control.topics.record_fields import (
        AppendedRecord,
        Field,
        Headers,
        Timestamp,
    )
    from mockbroker.settings.python_arguments import ConfigText

_CLIENT: Final = "mockbroker.control.topics.handler_client"
_APPENDER: Final = "mockbroker.control.topics.record_appender"
_FIELDS: Final = "mockbroker.control.topics.record_fields"
_TRANSACTION: Final = "mockbroker.control.topics.append_transaction"
_WAIT: Final = "mockbroker.control.topics.records_wait"
"""Loaded by name, so that a start does not wait for what few clusters need."""

_RECORDS_TIMEOUT: Final = "10s"
_TRANSACTION_TIMEOUT: Final = "1m"


class TopicControl:
    """Part of a cluster's handle for topics and their records, without a client."""

    def __init__(self, access: ClusterAccess) -> None:
        """Create the topics of a cluster, and append to them."""
        self._cluster = access
        self._client_then: HandlerClient | None = None

    @action
    def create_topic(
        self,
        name: str,
        partitions: int = 1,
        *,
        replication_factor: int | None = None,
        config: "Mapping[str, ConfigText] | None" = None,
    ) -> None:
        """Create a topic. By default, it has the replicas of `default.replication.factor`.

        Raises:
            ApiError: TOPIC_ALREADY_EXISTS, INVALID_TOPIC_EXCEPTION, INVALID_PARTITIONS,
                INVALID_REPLICATION_FACTOR, INVALID_CONFIG, as CreateTopics.
            SettingsError: topics have no such config; the text names one that they have.

        """
        texts = {each: config_text(each, value) for each, value in (config or {}).items()}
        new_topic = NewTopic(
            name=name,
            num_partitions=partitions,
            replication_factor=DEFAULT_COUNT if replication_factor is None else replication_factor,
            configs=tuple(texts.items()),
        )

        def created(cluster: ClusterState, _now_ms: int) -> None:
            _check_names(cluster, texts)
            cluster.create_topic(new_topic)

        self._control.change(created)

    @action
    def append(
        self,
        topic: str,
        value: "Field",
        *,
        key: "Field" = None,
        headers: "Headers" = (),
        partition: int | None = None,
        timestamp: "Timestamp | None" = None,
    ) -> "AppendedRecord":
        """Append a record without a client, and return where it is.

        `value`, `key` and the values of headers are text, bytes or None. Without `partition`, the
        key chooses it as in Kafka's clients (murmur2), and records without a key fill the
        partitions in turn. `timestamp` is a datetime or milliseconds; by default the present. The
        topic is created where the cluster has `auto.create.topics.enable`.

        The record is produced to its leader with acks=1, by a producer without an id: journal,
        ledger and assertions see it as that of a client. Faults, ACLs and quotas do not apply.

        Raises:
            ApiError: the leader refuses it, or there is none; the error is Kafka's.
            TypeError: an argument is of another type.

        """
        appender = import_module(_APPENDER)
        fields = import_module(_FIELDS).record_fields(value, key, headers, timestamp)
        place = appender.place_of(self._client, topic, partition, fields)
        appended: AppendedRecord = appender.append_record(
            self._client, place, fields, appender.ANONYMOUS
        )
        return appended

    def begin_transaction(
        self, transactional_id: str, *, timeout: Duration = _TRANSACTION_TIMEOUT
    ) -> "AppendTransaction":
        """Begin a transaction of records that are appended without a client.

        It commits at the end of its `with` block, and aborts on an exception:

            with cluster.begin_transaction("billing-1") as transaction:
                transaction.append("orders", "paid", key="order-7")

        It is that of a new producer, which fences earlier ones with the same transactional id. Its
        coordinator aborts it after `timeout` (`transaction.timeout.ms`).

        Raises:
            ApiError: the coordinator refuses it; the error is Kafka's.
            ValueError: the timeout is no duration.

        """
        timeout_ms = milliseconds(with_unit("begin_transaction(timeout={})", timeout))
        begun: AppendTransaction = import_module(_TRANSACTION).AppendTransaction(
            self._client, transactional_id, timeout_ms
        )
        return begun

    def wait_for_records(
        self,
        topic: str,
        count: int = 1,
        *,
        isolation: IsolationLevel = "read_uncommitted",
        partition: int | None = None,
        timeout: Duration = _RECORDS_TIMEOUT,
    ) -> list[StoredRecord]:
        """Wait until consumers can read a number of records of a topic, and return all of them.

        The topic need not exist yet.

        Raises:
            RuntimeError: called on the cluster's own loop, which would wait for itself; or the
                cluster stops or is reset meanwhile.
            TimeoutError: they are fewer; the text has their number, and the last one.
            ValueError: there is no such isolation level, or the timeout is no duration.

        """
        timeout_ms = milliseconds(with_unit("wait_for_records(timeout={})", timeout, "s"))
        level = checked_isolation(isolation)
        check_may_wait(self._control.loop, "await cluster.aio.wait_for_records(topic, count)")
        module = import_module(_WAIT)
        wanted = module.WantedRecords(topic, partition, level, count)
        wait = module.RecordsWait(self._cluster, wanted, timeout_ms)
        self._control.time(lambda _service, _clock: wait.look())
        answer: Future[list[StoredRecord]] = wait.answer
        return answer.result()

    @property
    def _control(self) -> ClusterControl:
        return self._cluster.control

    @property
    def _client(self) -> "HandlerClient":
        control = self._control
        if self._client_then is None or self._client_then.control is not control:
            self._client_then = import_module(_CLIENT).HandlerClient(control)
        assert self._client_then is not None
        return self._client_then


def _check_names(cluster: ClusterState, config: "Mapping[str, str]") -> None:
    """Check that topics of the release have these configs.

    Raises:
        SettingsError: there is no such config.

    """
    known = cluster.configs.topic_definitions
    for name, value in config.items():
        if name not in known:
            near = similar_names(name, known, 1)
            hint = f"; did you mean {near[0]}?" if near else ""
            why = f"topics of Kafka {cluster.options.release} have no such config{hint}"
            raise SettingsError(name, value, why)
