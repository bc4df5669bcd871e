"""A Kafka cluster in one Python process, for tests of clients under faults and failures.

The names here are imported when they are first used, so that a tool that needs only the codec, or a
test run without a cluster, does not import the broker.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from mockbroker import at
    from mockbroker.audit.verdict import Verdict
    from mockbroker.broker.stored_records import StoredRecord
    from mockbroker.cluster import Cluster
    from mockbroker.control.advertised_listeners import ListenerInfo
    from mockbroker.control.assertions.failure import ClusterAssertionError
    from mockbroker.control.broker_control import BrokerInfo
    from mockbroker.control.client_config import ClientAccess
    from mockbroker.control.cluster_clock import Passed
    from mockbroker.control.cluster_options import ClusterOptions as Options
    from mockbroker.control.handles.broker_handle import BrokerHandle
    from mockbroker.control.handles.group_handle import GroupHandle
    from mockbroker.control.handles.partition_handle import PartitionHandle
    from mockbroker.control.handles.replica_handle import ReplicaHandle
    from mockbroker.control.handles.transaction_handle import TransactionHandle
    from mockbroker.control.topics.append_transaction import AppendTransaction
    from mockbroker.control.topics.record_fields import AppendedRecord
    from mockbroker.errors import SettingsError
    from mockbroker.faults.fault import Fault
    from mockbroker.faults.unsent_error import MockbrokerWarning
    from mockbroker.journal.entry import Entry
    from mockbroker.journal.files.folder import read_journal
    from mockbroker.journal.journal import Journal
    from mockbroker.journal.options import JournalOptions
    from mockbroker.protocol.api_keys import ApiKey as API  # noqa: N814
    from mockbroker.protocol.errors import ApiError
    from mockbroker.protocol.errors import ErrorCode as ERR  # noqa: N814
    from mockbroker.settings.api_names import ApiName
    from mockbroker.settings.duration import Duration
    from mockbroker.settings.error_names import ErrorName
    from mockbroker.settings.python_arguments import Release
    from mockbroker.settings.telemetry_options import Telemetry
    from mockbroker.version import __version__

__all__ = [
    "API",
    "ERR",
    "ApiError",
    "ApiName",
    "AppendTransaction",
    "AppendedRecord",
    "BrokerHandle",
    "BrokerInfo",
    "ClientAccess",
    "Cluster",
    "ClusterAssertionError",
    "Duration",
    "Entry",
    "ErrorName",
    "Fault",
    "GroupHandle",
    "Journal",
    "JournalOptions",
    "ListenerInfo",
    "MockbrokerWarning",
    "Options",
    "PartitionHandle",
    "Passed",
    "Release",
    "ReplicaHandle",
    "SettingsError",
    "StoredRecord",
    "Telemetry",
    "TransactionHandle",
    "Verdict",
    "__version__",
    "at",
    "read_journal",
]

_HOMES = {
    "__version__": ("mockbroker.version", "__version__"),
    "API": ("mockbroker.protocol.api_keys", "ApiKey"),
    "ApiError": ("mockbroker.protocol.errors", "ApiError"),
    "ApiName": ("mockbroker.settings.api_names", "ApiName"),
    "AppendedRecord": ("mockbroker.control.topics.record_fields", "AppendedRecord"),
    "AppendTransaction": ("mockbroker.control.topics.append_transaction", "AppendTransaction"),
    "BrokerHandle": ("mockbroker.control.handles.broker_handle", "BrokerHandle"),
    "BrokerInfo": ("mockbroker.control.broker_control", "BrokerInfo"),
    "ClientAccess": ("mockbroker.control.client_config", "ClientAccess"),
    "Cluster": ("mockbroker.cluster", "Cluster"),
    "ClusterAssertionError": ("mockbroker.control.assertions.failure", "ClusterAssertionError"),
    "Entry": ("mockbroker.journal.entry", "Entry"),
    "ERR": ("mockbroker.protocol.errors", "ErrorCode"),
    "Duration": ("mockbroker.settings.duration", "Duration"),
    "ErrorName": ("mockbroker.settings.error_names", "ErrorName"),
    "Fault": ("mockbroker.faults.fault", "Fault"),
    "GroupHandle": ("mockbroker.control.handles.group_handle", "GroupHandle"),
    "Journal": ("mockbroker.journal.journal", "Journal"),
    "JournalOptions": ("mockbroker.journal.options", "JournalOptions"),
    "ListenerInfo": ("mockbroker.control.advertised_listeners", "ListenerInfo"),
    "MockbrokerWarning": ("mockbroker.faults.unsent_error", "MockbrokerWarning"),
    "Options": ("mockbroker.control.cluster_options", "ClusterOptions"),
    "PartitionHandle": ("mockbroker.control.handles.partition_handle", "PartitionHandle"),
    "Passed": ("mockbroker.control.cluster_clock", "Passed"),
    "read_journal": ("mockbroker.journal.files.folder", "read_journal"),
    "Release": ("mockbroker.settings.python_arguments", "Release"),
    "ReplicaHandle": ("mockbroker.control.handles.replica_handle", "ReplicaHandle"),
    "SettingsError": ("mockbroker.errors", "SettingsError"),
    "Telemetry": ("mockbroker.settings.telemetry_options", "Telemetry"),
    "StoredRecord": ("mockbroker.broker.stored_records", "StoredRecord"),
    "TransactionHandle": ("mockbroker.control.handles.transaction_handle", "TransactionHandle"),
    "Verdict": ("mockbroker.audit.verdict", "Verdict"),
}


def __getattr__(name: str) -> object:
    """Import a public name from where it lives (PEP 562)."""
    if name == "at":
        return import_module("mockbroker.at")
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    module, attribute = home
    return getattr(import_module(module), attribute)


def __dir__() -> list[str]:
    """List the public names, imported or not."""
    return sorted(__all__)
