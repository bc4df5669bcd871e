"""Start of Kafka's images by Testcontainers' modules: variables, commands and copied files.

Each copies a start script into a container that waits for it, because it knows the port that is
mapped only then. What is here was read in the modules for Java, Python, Go and Node.js.
"""

from collections.abc import Mapping
from typing import Final, NamedTuple

STARTED: Final = r"Transitioning from RECOVERY to RUNNING"


class Start(NamedTuple):
    """One module's way to start a container. Ports and paths are those inside of the container."""

    name: str
    command: tuple[str, ...]
    variables: Mapping[str, str]
    script_path: str
    script: str
    """`OUTSIDE` stands for the host and port at which it is reached from outside."""
    waits_for: str
    """A pattern that its log has to match; where it waits for open ports, the last line before."""
    public_port: int
    """The port that is mapped to the one outside."""
    entrypoint: tuple[str, ...] = ("/usr/local/bin/entrypoint",)
    """What runs the command, where the module does not choose that: the image's own."""
    held_ports: tuple[int, ...] = ()
    """Further ports at which somebody has to listen."""


_WAIT_IN_TMP: Final = (
    "while [ ! -f /tmp/testcontainers_start.sh ]; do sleep 0.1; done; /tmp/testcontainers_start.sh"
)
_TMP: Final = "/tmp/testcontainers_start.sh"

_SHARED: Final = {
    "KAFKA_INTER_BROKER_LISTENER_NAME": "BROKER",
    "KAFKA_OFFSETS_TOPIC_REPLICATION_FACTOR": "1",
    "KAFKA_OFFSETS_TOPIC_NUM_PARTITIONS": "1",
    "KAFKA_LOG_FLUSH_INTERVAL_MESSAGES": "9223372036854775807",
    "KAFKA_GROUP_INITIAL_REBALANCE_DELAY_MS": "0",
}
_TRANSACTIONS: Final = {
    "KAFKA_TRANSACTION_STATE_LOG_REPLICATION_FACTOR": "1",
    "KAFKA_TRANSACTION_STATE_LOG_MIN_ISR": "1",
}
_KRAFT: Final = {
    "CLUSTER_ID": "4L6g3nShT-eMCtK--X86sw",
    "KAFKA_NODE_ID": "1",
    "KAFKA_PROCESS_ROLES": "broker,controller",
    "KAFKA_CONTROLLER_LISTENER_NAMES": "CONTROLLER",
    "KAFKA_CONTROLLER_QUORUM_VOTERS": "1@localhost:9094",
    "KAFKA_LISTENER_SECURITY_PROTOCOL_MAP": (
        "BROKER:PLAINTEXT,PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT"
    ),
}
_ZOOKEEPER: Final = {
    "KAFKA_BROKER_ID": "1",
    "KAFKA_LISTENERS": "PLAINTEXT://0.0.0.0:9093,BROKER://0.0.0.0:9092",
    "KAFKA_LISTENER_SECURITY_PROTOCOL_MAP": "BROKER:PLAINTEXT,PLAINTEXT:PLAINTEXT",
}
_CP_KRAFT: Final = {
    "KAFKA_BROKER_ID": "1",
    "KAFKA_LISTENERS": ("PLAINTEXT://0.0.0.0:9093,BROKER://0.0.0.0:9092,CONTROLLER://0.0.0.0:9094"),
}
_JAVA: Final = {
    "KAFKA_LISTENERS": ("CONTROLLER://0.0.0.0:9094,BROKER://0.0.0.0:9093,PLAINTEXT://0.0.0.0:9092"),
}


def _script(*lines: str) -> str:
    return "".join(f"{line}\n" for line in ("#!/bin/bash", *lines))


_FORMAT: Final = (
    "sed -i '/KAFKA_ZOOKEEPER_CONNECT/d' /etc/confluent/docker/configure",
    (
        'echo \'kafka-storage format --ignore-formatted -t "4L6g3nShT-eMCtK--X86sw"'
        " -c /etc/kafka/kafka.properties' >> /etc/confluent/docker/configure"
    ),
)


def _start_zookeeper(folder: str) -> tuple[str, ...]:
    file = f"{folder}zookeeper.properties"
    return (
        f"echo 'clientPort=2181' > {file}",
        f"echo 'dataDir=/var/lib/zookeeper/data' >> {file}",
        f"echo 'dataLogDir=/var/lib/zookeeper/log' >> {file}",
        f"zookeeper-server-start {file} &",
    )


JAVA_APACHE: Final = Start(
    name="java-apache",
    command=("sh", "-c", _WAIT_IN_TMP),
    variables={**_SHARED, **_TRANSACTIONS, **_KRAFT, **_JAVA},
    script_path=_TMP,
    script=_script(
        "export KAFKA_ADVERTISED_LISTENERS=PLAINTEXT://OUTSIDE,BROKER://f00dcafe:9093",
        "/etc/kafka/docker/run ",
    ),
    waits_for=STARTED,
    public_port=9092,
)
JAVA_CONFLUENT: Final = JAVA_APACHE._replace(
    name="java-confluent",
    script=_script(
        "export KAFKA_ADVERTISED_LISTENERS=PLAINTEXT://OUTSIDE,BROKER://f00dcafe:9093",
        "/etc/confluent/docker/run ",
    ),
)
JAVA_OLDER: Final = Start(
    name="java-older-zookeeper",
    entrypoint=("sh",),
    command=("-c", _WAIT_IN_TMP),
    variables={
        **_SHARED,
        **_TRANSACTIONS,
        **_ZOOKEEPER,
        "KAFKA_ZOOKEEPER_CONNECT": "localhost:2181",
    },
    script_path=_TMP,
    script=_script(
        "export KAFKA_ADVERTISED_LISTENERS=PLAINTEXT://OUTSIDE,BROKER://f00dcafe:9092",
        "echo '' > /etc/confluent/docker/ensure ",
        *_start_zookeeper("/tmp/"),
        "/etc/confluent/docker/run ",
    ),
    waits_for=r"\[KafkaServer id=\d+\] started",
    public_port=9093,
    held_ports=(2181,),
)
JAVA_OLDER_KRAFT: Final = JAVA_OLDER._replace(
    name="java-older-kraft",
    variables={**_SHARED, **_TRANSACTIONS, **_KRAFT, **_CP_KRAFT},
    script=_script(
        "export KAFKA_ADVERTISED_LISTENERS=PLAINTEXT://OUTSIDE,BROKER://f00dcafe:9092",
        "echo '' > /etc/confluent/docker/ensure ",
        *_FORMAT,
        "/etc/confluent/docker/run ",
    ),
    waits_for=STARTED,
    held_ports=(),
)
PYTHON: Final = Start(
    name="python-zookeeper",
    command=("sh", "-c", "while [ ! -f /tc-start.sh ]; do sleep 0.1; done; sh /tc-start.sh"),
    variables={**_SHARED, **_ZOOKEEPER},
    script_path="/tc-start.sh",
    script=_script(
        *_start_zookeeper(""),
        "export KAFKA_ZOOKEEPER_CONNECT='localhost:2181'",
        "export KAFKA_ADVERTISED_LISTENERS=PLAINTEXT://OUTSIDE,BROKER://$(hostname -i):9092",
        ". /etc/confluent/docker/bash-config",
        "/etc/confluent/docker/configure",
        "/etc/confluent/docker/launch",
    ),
    waits_for=r"\[KafkaServer id=\d+\] started",
    public_port=9093,
    held_ports=(2181,),
)
PYTHON_KRAFT: Final = PYTHON._replace(
    name="python-kraft",
    variables={**_SHARED, **_KRAFT, **_CP_KRAFT},
    script=_script(
        *_FORMAT,
        "export KAFKA_ADVERTISED_LISTENERS=PLAINTEXT://OUTSIDE,BROKER://$(hostname -i):9092",
        ". /etc/confluent/docker/bash-config",
        "/etc/confluent/docker/configure",
        "/etc/confluent/docker/launch",
    ),
    waits_for="Kafka Server started",
    held_ports=(),
)
GO: Final = Start(
    name="go",
    entrypoint=("sh",),
    command=(
        "-c",
        (
            "while [ ! -f /usr/sbin/testcontainers_start.sh ]; do sleep 0.1; done;"
            " bash /usr/sbin/testcontainers_start.sh"
        ),
    ),
    variables={
        **_SHARED,
        **_TRANSACTIONS,
        **_KRAFT,
        **_CP_KRAFT,
        "KAFKA_REST_BOOTSTRAP_SERVERS": "PLAINTEXT://0.0.0.0:9093,BROKER://0.0.0.0:9092",
    },
    script_path="/usr/sbin/testcontainers_start.sh",
    script=_script(
        "source /etc/confluent/docker/bash-config",
        "export KAFKA_ADVERTISED_LISTENERS=PLAINTEXT://OUTSIDE,BROKER://f00dcafe:9092",
        "echo Starting Kafka KRaft mode",
        "sed -i '/KAFKA_ZOOKEEPER_CONNECT/d' /etc/confluent/docker/configure",
        'echo \'kafka-storage format --ignore-formatted -t "$(kafka-storage random-uuid)"'
        " -c /etc/kafka/kafka.properties' >> /etc/confluent/docker/configure",
        "echo '' > /etc/confluent/docker/ensure",
        "/etc/confluent/docker/configure",
        "/etc/confluent/docker/launch",
    ).rstrip(),
    waits_for=STARTED,
    public_port=9093,
)
NODE: Final = Start(
    name="node-zookeeper",
    entrypoint=("sh",),
    command=("-c", f"echo 'Waiting for script...'; {_WAIT_IN_TMP}"),
    variables={
        **_SHARED,
        **_ZOOKEEPER,
        "KAFKA_TRANSACTION_STATE_LOG_MIN_ISR": "1",
        "KAFKA_CONFLUENT_SUPPORT_METRICS_ENABLE": "false",
        "KAFKA_ZOOKEEPER_CONNECT": "localhost:2181",
        "KAFKA_ADVERTISED_LISTENERS": "BROKER://localhost:9092",
    },
    script_path=_TMP,
    script=_script(
        "export KAFKA_ADVERTISED_LISTENERS=BROKER://f00dcafe:9092,PLAINTEXT://OUTSIDE",
        "echo '' > /etc/confluent/docker/ensure ",
        *_start_zookeeper(""),
        "/etc/confluent/docker/run ",
    ),
    waits_for="bootstrap.servers=",
    public_port=9093,
    held_ports=(2181,),
)
NODE_KRAFT: Final = NODE._replace(
    name="node-kraft",
    variables={
        **_SHARED,
        **_KRAFT,
        **_CP_KRAFT,
        "KAFKA_TRANSACTION_STATE_LOG_MIN_ISR": "1",
        "KAFKA_CONFLUENT_SUPPORT_METRICS_ENABLE": "false",
        "KAFKA_ADVERTISED_LISTENERS": "BROKER://localhost:9092",
    },
    script=_script(
        "export KAFKA_ADVERTISED_LISTENERS=BROKER://f00dcafe:9092,PLAINTEXT://OUTSIDE",
        *_FORMAT,
        "/etc/confluent/docker/run ",
    ),
    held_ports=(),
)

STARTS: Final = (
    JAVA_APACHE,
    JAVA_CONFLUENT,
    JAVA_OLDER,
    JAVA_OLDER_KRAFT,
    PYTHON,
    PYTHON_KRAFT,
    GO,
    NODE,
    NODE_KRAFT,
)
