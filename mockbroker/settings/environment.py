"""Environment variables of `serve`: Kafka's settings as Kafka's image names them, and our own.

`KAFKA_NUM_PARTITIONS` is `num.partitions`: `_` stands for a dot, `__` for `_`, and `___` for `-`.
The command line overrides the environment, and the environment overrides files.
"""

from collections.abc import Mapping
from typing import Any, Final, NamedTuple

from mockbroker.errors import SettingsError
from mockbroker.settings.serve_options import OPTIONS, ServeOptions
from mockbroker.settings.settings import Given

KAFKA: Final = "KAFKA_"
OURS: Final = "MOCKBROKER_"
PREFIXES: Final = (KAFKA, OURS)

NOT_SETTINGS: Final = frozenset(
    {
        "KAFKA_BOOTSTRAP_SERVERS",
        "KAFKA_GC_LOG_OPTS",
        "KAFKA_HEAP_OPTS",
        "KAFKA_HOME",
        "KAFKA_JMX_HOSTNAME",
        "KAFKA_JMX_OPTS",
        "KAFKA_JMX_PORT",
        "KAFKA_JVM_PERFORMANCE_OPTS",
        "KAFKA_LOG4J_LOGGERS",
        "KAFKA_LOG4J_OPTS",
        "KAFKA_LOG4J_ROOT_LOGLEVEL",
        "KAFKA_OPTS",
        "KAFKA_REST_BOOTSTRAP_SERVERS",
        "KAFKA_TOOLS_LOG4J_LOGLEVEL",
        "KAFKA_VERSION",
    }
)
"""Variables with the prefix of settings that are for a JVM, for tools or for clients."""

ELSEWHERE: Final = frozenset(
    {"MOCKBROKER_ADMIN", "MOCKBROKER_ADMIN_NAMES", "MOCKBROKER_ADMIN_TOKEN"}
)
"""Our variables that the HTTP API and its commands read."""

OF_PACKAGES: Final = "MOCKBROKER_COMMAND"
"""Our variable that packages for other languages read: the command that they start."""

_IGNORED: Final = NOT_SETTINGS | ELSEWHERE | {OF_PACKAGES}
_SEED: Final = "mockbroker.seed"
_TRUE: Final = frozenset({"1", "true", "yes"})
_FALSE: Final = frozenset({"0", "false", "no"})


class OwnVariable(NamedTuple):
    """Variable of ours, and the option that overrides it, if any."""

    name: str
    target: str
    about: str
    option: str = ""
    """The option that overrides it."""


OWN_VARIABLES: Final = (
    OwnVariable("MOCKBROKER_HOST", "host", "Address to listen on.", "--host"),
    OwnVariable("MOCKBROKER_BROKERS", "brokers", "Number of brokers.", "--brokers"),
    OwnVariable("MOCKBROKER_TOPICS", "topics", "Initial topics: `orders:3,payments`.", "--topic"),
    OwnVariable("MOCKBROKER_KAFKA_VERSION", "kafka", "The release to behave like.", "--kafka"),
    OwnVariable("MOCKBROKER_SCENARIO", "scenario", "A scenario file.", "--scenario"),
    OwnVariable("MOCKBROKER_SEED", "mockbroker.seed", "Seed of ids and random choices.", "--seed"),
    OwnVariable(
        "MOCKBROKER_CLUSTER_ID",
        "cluster_id",
        "The cluster's id; the image takes `CLUSTER_ID`.",
    ),
    OwnVariable("MOCKBROKER_CLOCK", "clock", "Mode of the cluster's clock.", "--clock"),
    OwnVariable(
        "MOCKBROKER_ADVERTISED_HOST",
        "advertised_host",
        "Advertised host of listeners that have no other.",
    ),
    OwnVariable(
        "MOCKBROKER_TLS",
        "tls",
        "`1`: listen with TLS; issue certificates where none is configured.",
        "--tls",
    ),
    OwnVariable("MOCKBROKER_ADMIN_HOST", "admin_host", "Address of the HTTP API.", "--admin-host"),
    OwnVariable("MOCKBROKER_ADMIN_PORT", "admin_port", "Port of the HTTP API.", "--admin-port"),
    OwnVariable(
        "MOCKBROKER_ADMIN_TLS", "admin_tls", "`1`: serve the HTTP API with TLS.", "--admin-tls"
    ),
    OwnVariable(
        "MOCKBROKER_OTEL",
        "otel",
        "`1`: export traces and metrics as the `OTEL_` variables say.",
        "--otel",
    ),
    OwnVariable("MOCKBROKER_LOG_LEVEL", "log_level", "Minimum level of the logs.", "--log-level"),
    OwnVariable("MOCKBROKER_LOG_FORMAT", "log_format", "Format of the logs.", "--log-format"),
    OwnVariable(
        "MOCKBROKER_STRICT_CONFIG",
        "is_strict",
        "`1`: an unknown setting, from any source, is an error instead of a warning.",
    ),
)

_BY_NAME: Final[Mapping[str, OwnVariable]] = {row.name: row for row in OWN_VARIABLES}
_OPTION_ROWS: Final = {row.target: row for row in OPTIONS}


class Environment(NamedTuple):
    """Settings from environment variables."""

    options: Mapping[str, Any]
    """Values for fields of `ServeOptions`."""
    configs: Mapping[str, str]
    """Broker configs by Kafka's names."""
    variables: Mapping[str, str]
    """Name of the variable, by option or config."""
    advertised_host: str | None
    cluster_id: str | None
    is_strict: bool
    unknown: tuple[str, ...]
    """Variables with our prefix that do not exist."""

    def without(self, options: ServeOptions) -> "Environment":
        """Return the environment without what the command line sets.

        `listeners`, of either, says more than a host in a variable.
        """
        hidden = {field for field in self.options if options.sets(field)}
        own = {text.partition("=")[0].strip() for text in options.configs}
        if "listeners" in own or "listeners" in self.configs:
            hidden.add("host")
        if options.sets("seed"):
            own.add(_SEED)
        hidden |= own
        return self._replace(
            options={field: each for field, each in self.options.items() if field not in hidden},
            configs={name: each for name, each in self.configs.items() if name not in hidden},
            variables={name: each for name, each in self.variables.items() if name not in hidden},
        )

    def under(self, given: Given) -> Given:
        """Add the settings that the command line does not set; errors name the variables.

        Raises:
            SettingsError: there is an unknown variable, and settings are strict.

        """
        if self.is_strict and self.unknown:
            name = self.unknown[0]
            raise SettingsError(
                name, "", f"unknown variable; the variables are {', '.join(_BY_NAME)}"
            )
        names = given.names
        for field, target in (("release", "kafka"), ("topic", "topics"), ("brokers", "brokers")):
            if target in self.variables:
                names = names._replace(**{field: self.variables[target]})
        return given._replace(
            names=names,
            environment=self.configs,
            variables={**given.variables, **self.variables},
            advertised_host=self.advertised_host,
            cluster_id=self.cluster_id,
            is_strict=self.is_strict,
            warnings=tuple(f"{name} is not a setting and is ignored" for name in self.unknown),
        )


def read_environment(variables: Mapping[str, str]) -> Environment:
    """Read the settings of a cluster from variables; empty variables are ignored.

    Raises:
        SettingsError: a variable of ours has an invalid value.

    """
    values: dict[str, Any] = {}
    configs: dict[str, str] = {}
    sources: dict[str, str] = {}
    unknown: list[str] = []
    for name, text in sorted(variables.items()):
        if not name.startswith(PREFIXES) or name in _IGNORED or not text.strip():
            continue
        own = _BY_NAME.get(name)
        if own is not None:
            values[own.target] = _value(own, text.strip())
            sources[own.target] = name
        elif name.startswith(KAFKA):
            configs[config_name(name)] = text
            sources[config_name(name)] = name
        else:
            unknown.append(name)
    if _SEED in values:
        configs[_SEED] = values.pop(_SEED)
    return Environment(
        advertised_host=values.pop("advertised_host", None),
        cluster_id=values.pop("cluster_id", None),
        is_strict=values.pop("is_strict", False),
        options=values,
        configs=configs,
        variables=sources,
        unknown=tuple(unknown),
    )


def config_name(variable: str) -> str:
    """Return the config of a variable, by the naming rule of Kafka's image."""
    name = variable.removeprefix(KAFKA).lower().replace("_", ".")
    return name.replace("...", "-").replace("..", "_")


def variable_name(config: str) -> str:
    """Return the variable of a config."""
    name = config.replace("_", "__").replace("-", "___").replace(".", "_")
    return KAFKA + name.upper()


def _value(own: OwnVariable, text: str) -> Any:
    row = _OPTION_ROWS.get(own.target)
    if own.target == "is_strict" or (row is not None and row.takes is bool):
        return _flag(own.name, text)
    if row is None:
        return text
    if row.is_many:
        return text.replace(",", " ").split()
    try:
        return row.value_of(text)
    except ValueError as error:
        raise SettingsError(own.name, text, str(error)) from None


def _flag(name: str, text: str) -> bool:
    if text.lower() in _TRUE:
        return True
    if text.lower() in _FALSE:
        return False
    raise SettingsError(name, text, "allowed are 1 and 0")
