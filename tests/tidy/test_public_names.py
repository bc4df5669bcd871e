"""Public names stay: this list changes only when a change of the API is meant."""

import inspect
import re
import subprocess
import sys
from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Final

import click
import pytest

import mockbroker
import mockbroker.exploration
import mockbroker.scenario
import mockbroker.spark
import mockbroker.wire
from mockbroker import Cluster, Fault, at, pytest_plugin
from mockbroker.cli.commands import commands
from mockbroker.control.aio.cluster_aio import ClusterAio
from mockbroker.control.assertions.ledger_handle import LedgerHandle
from mockbroker.control.cluster_clock import ClusterClock, Passed
from mockbroker.control.faults_handle import FaultsHandle
from mockbroker.control.handles.broker_handle import BrokerHandle
from mockbroker.control.handles.group_handle import GroupHandle
from mockbroker.control.handles.partition_handle import PartitionHandle
from mockbroker.control.handles.replica_handle import ReplicaHandle
from mockbroker.control.handles.transaction_handle import TransactionHandle
from mockbroker.journal.journal import Journal
from tests.tidy.repository import ROOT, refuse, sources

MODULES: Final = {
    mockbroker: "API ApiError ApiName AppendTransaction AppendedRecord BrokerHandle"
    " BrokerInfo ClientAccess Cluster ClusterAssertionError Duration ERR Entry"
    " ErrorName Fault GroupHandle Journal JournalOptions ListenerInfo"
    " MockbrokerWarning Options PartitionHandle Passed Release ReplicaHandle"
    " SettingsError StoredRecord Telemetry TransactionHandle Verdict __version__ at"
    " read_journal",
    mockbroker.exploration: "ExperimentOutcome Report explore",
    mockbroker.scenario: "FilePlace Recording Scenario ScenarioError ScenarioProblem ScenarioRun"
    " read_scenario record running",
    mockbroker.wire: "Produced WireClient WireProducer record_batch",
    mockbroker.spark: "BatchRow KafkaBatchesError KafkaEosError SparkAudit SparkUnavailableError"
    " audit audit_topics batch_rows kafka_batches_error kafka_eos_error register session",
}
CLASSES: Final[dict[type, str]] = {
    Cluster: "acls action_log admin_url advertise aio append assert_aborted assert_all_faults_fired"
    " assert_committed assert_each_record_acknowledged_once assert_error_handled"
    " assert_exactly_once assert_fenced assert_no_duplicates assert_no_hanging_transactions"
    " assert_no_loss assert_no_open_transactions assert_no_partition_owned_twice"
    " assert_no_record_delivered_beyond_limit assert_no_unhandled_requests"
    " assert_no_zombie_writes assert_producer_epoch assert_records audit begin_transaction"
    " bootstrap_servers broker brokers ca_pem catch_up certificates client_config clock"
    " controller coordinator_of crash create_topic delay_markers drawn_from"
    " expire_transactional_id fault faults flush group hanging_transactions isolate journal"
    " keeps_ledger kill lag lanes ledger listeners look move_coordinator open_transactions"
    " partition quotas records recreate_topic rejoin reset seed sent_batches start stop_broker"
    " timeline transaction users wait_for_records watch",
    Fault: "answer apply_then_answer bandwidth calls corrupt delay drop_request duplicate"
    " error every_time held hits hold hold_response last_error latency limit_data"
    " lose_response name observe on_call once release released remove reset_peer"
    " slicer slow_close story throttle timeout times touched_bytes wait wait_held"
    " wait_released with_part with_probability",
    BrokerHandle: "catch_up crash host info is_controller is_running isolate kill lag port"
    " rack rejoin start state stop",
    PartitionHandle: "catch_up compact delete_records elect forget_producer high_watermark"
    " in_sync_replicas lag last_stable_offset leader leader_epoch log_end_offset log_start_offset"
    " lose_replica lose_tail move_log_start replica replicas to_svg",
    ReplicaHandle: "fetches forget_producer high_watermark hold_offsets is_in_sync"
    " last_stable_offset leader_epochs log_end_offset log_start_offset move_log_start producers"
    " release_offsets reload_producers",
    GroupHandle: "acquired assignment_epoch coordinator expire_locks fence group_epoch"
    " held_dead_letters hold_dead_letters hold_reconciliation info is_held kind members"
    " move_coordinator move_share_coordinator offsets rebalance release release_dead_letters"
    " share_partitions state step step_dead_letters",
    TransactionHandle: "abort hold_ending partitions producer_epoch producer_id release state step"
    " to_svg",
    FaultsHandle: "add assert_all_fired clear count index",
    ClusterClock: "advance ahead_ms freeze mode now now_ms resume set",
    LedgerHandle: "is_full is_on rows rows_max start stop",
    ClusterAio: "acls advance advertise append assert_aborted assert_all_faults_fired"
    " assert_committed assert_each_record_acknowledged_once assert_error_handled"
    " assert_exactly_once assert_fenced assert_no_duplicates assert_no_hanging_transactions"
    " assert_no_loss assert_no_open_transactions assert_no_partition_owned_twice"
    " assert_no_record_delivered_beyond_limit assert_no_unhandled_requests"
    " assert_no_zombie_writes assert_producer_epoch assert_records audit begin_transaction"
    " broker catch_up certificates clock coordinator_of crash create_topic delay_markers"
    " expire_transactional_id faults flush group hanging_transactions isolate journal kill lag"
    " lanes ledger look move_coordinator open_transactions partition quotas records"
    " recreate_topic rejoin release remove reset run seed sent_batches start stop_broker timeline"
    " transaction users wait wait_for_records wait_held wait_released watch",
    Passed: "count done due_events facts fell_due index now_ms transactional_ids",
}
JOURNAL: Final = (
    "clear complete_entries count dropped entries errors export find is_on last lines start stop"
    " subscribe table"
)
CONDITIONS: Final = (
    "abort_marker commit_marker condition epoch_bump fault log_end_offset marker records rule"
    " transaction_state"
)
FIXTURES: Final = (
    "make_mockbroker mockbroker mockbroker_kafka mockbroker_options mockbroker_session"
    " mockbroker_spark mockbroker_spark_settings"
)
COMMANDS: Final = {
    "": "apis assert audit check config decode diff elect errors explore load log package producers"
    " ready record reset run serve state",
    "broker ": "catch-up crash flush isolate kill lag list rejoin start stop",
    "clock ": "advance freeze resume set show",
    "faults ": "add clear list release rm show wait",
    "groups ": "dead-letters expire-locks fence hold hold-dead-letters list move-share-coordinator"
    " rebalance release release-dead-letters share-partitions show step step-dead-letters",
    "journal ": "clear off on show",
    "ledger ": "off on show",
    "partition ": "catch-up compact delete-records forget-producer lag list lose-replica lose-tail"
    " move-log-start",
    "replica ": "forget-producer hold-offsets list move-log-start release-offsets reload-producers",
    "spark ": "doctor jars",
    "topic ": "append create list recreate",
    "txns ": "abort delay-markers expire hanging hold-ending list release show step",
}
API_PAGES: Final = "docs/reference/api/"
PUBLIC_MODULES: Final = re.compile(
    r"mockbroker(\.(at|audit|exploration|scenario|spark|wire|protocol\.(codec|messages(\.\w+)?)))?"
)
"""The modules that `docs/reference/compatibility.md` lists."""
PAGES_FOR_USERS: Final = re.compile(
    r"README\.md|examples/.*\.py"
    r"|docs/(?!decisions/|STYLE|how-to/(add-a-release|script-a-fault)\.md).*\.md"
)
"""All but those for contributors, and the one with effects of one's own."""
ALIASES: Final = {"mockbroker.pipeline": "audit load package", "mockbroker.spark": "doctor jars"}


def differences(where: str, listed: Collection[str], present: Collection[str]) -> list[str]:
    return [
        *(f"{where}: {name} is gone" for name in sorted(set(listed) - set(present))),
        *(f"{where}: {name} is not listed" for name in sorted(set(present) - set(listed))),
    ]


def public_names(kind: type) -> list[str]:
    return [name for name in dir(kind) if not name.startswith("_")]


def test_modules_have_their_public_names() -> None:
    found = [
        difference
        for module, names in MODULES.items()
        for difference in differences(module.__name__, names.split(), module.__all__)
    ]
    refuse(found)
    for module in (mockbroker, mockbroker.wire):  # what mockbroker.spark offers needs pyspark
        assert all(getattr(module, name) is not None for name in module.__all__)


def test_classes_have_their_public_members() -> None:
    found = [
        difference
        for kind, names in CLASSES.items()
        for difference in differences(kind.__name__, names.split(), public_names(kind))
    ]
    refuse(found)
    assert set(JOURNAL.split()) <= set(public_names(Journal))


def test_public_members_of_a_cluster_have_docstrings() -> None:
    undocumented = [
        name for name in public_names(Cluster) if not inspect.getdoc(getattr(Cluster, name))
    ]
    assert not undocumented


def test_conditions_and_fixtures_have_their_names() -> None:
    made = [name for name, each in vars(at).items() if inspect.isfunction(each)]
    fixtures = [name for name, each in vars(pytest_plugin).items() if is_fixture(each)]
    refuse(
        differences("at", CONDITIONS.split(), made)
        + differences("fixtures", FIXTURES.split(), fixtures)
    )


def is_fixture(value: object) -> bool:
    return type(value).__name__ == "FixtureFunctionDefinition"


def names_of(command: click.Command, prefix: str = "") -> Iterator[str]:
    """Give the names of all commands, `group name` for those of a group."""
    if not isinstance(command, click.Group):
        yield prefix
        return
    context = click.Context(command)
    for name in command.list_commands(context):
        found = command.get_command(context, name)
        assert found is not None
        yield from names_of(found, f"{prefix} {name}".strip())


def test_the_command_line_has_its_commands() -> None:
    listed = [group + name for group, names in COMMANDS.items() for name in names.split()]
    refuse(differences("mockbroker", listed, list(names_of(commands))))


@pytest.mark.slow
@pytest.mark.parametrize("module", ALIASES)
def test_modules_that_can_be_run_have_their_commands(module: str) -> None:
    command = [sys.executable, "-m", module, "--help"]
    run = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True)
    offered = run.stdout.partition("Commands:")[2].splitlines()
    assert set(ALIASES[module].split()) <= {line.split()[0] for line in offered if line.strip()}


def undocumented(names: Iterable[str], pages: Mapping[str, str]) -> list[str]:
    """Return the public names that no page of the Python API has."""
    text = "".join(page for path, page in pages.items() if path.startswith(API_PAGES))
    written = set(re.findall(r":: mockbroker\.(\w+)$", text, re.MULTILINE))
    return [f"{name} is on no page below {API_PAGES}" for name in sorted({*names} - written)]


def deep_imports(pages: Mapping[str, str]) -> list[str]:
    """Return the imports in pages for users of modules that are not public."""
    return [
        f"{path} imports {module}"
        for path, text in pages.items()
        if re.fullmatch(PAGES_FOR_USERS, path)
        for module in re.findall(
            r"^(?:from|import) (mockbroker[\w.]*)(?![\w.;])", text, re.MULTILINE
        )
        if not re.fullmatch(PUBLIC_MODULES, module)
    ]


def test_everything_public_is_on_a_page_of_the_api() -> None:
    refuse(undocumented({*mockbroker.__all__} - {"__version__"}, sources()))


def test_pages_import_what_is_public() -> None:
    refuse(deep_imports(sources()))


def test_an_undocumented_name_and_a_deep_import_are_detected() -> None:
    page = {f"{API_PAGES}a.md": ".. autoclass:: mockbroker.Cluster\n"}
    (found,) = undocumented(["Cluster", "Fault"], page)
    assert found.startswith("Fault is on no page")
    text = "from mockbroker.wire import WireClient\nfrom mockbroker.state.log import x\n"
    assert deep_imports({"docs/how-to/a.md": text, "docs/decisions/1.md": text}) == [
        "docs/how-to/a.md imports mockbroker.state.log"
    ]
    assert not deep_imports({"docs/how-to/a.md": "import mockbroker.api.Slicer;\n"})  # of Java


def test_a_name_that_is_gone_or_new_is_detected() -> None:
    assert differences("X", ["a", "b"], ["b", "c"]) == ["X: a is gone", "X: c is not listed"]


def test_dir_lists_what_is_public_before_it_is_imported() -> None:
    script = "import mockbroker\nprint(*dir(mockbroker))"
    run = subprocess.run([sys.executable, "-c", script], check=True, capture_output=True, text=True)
    assert run.stdout.split() == sorted(mockbroker.__all__)
