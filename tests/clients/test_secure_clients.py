"""Production settings: clients over SASL_SSL, and the errors by which they are refused."""

import asyncio
import json
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import aiokafka
import pytest
from confluent_kafka import Consumer, KafkaError, KafkaException, Producer, TopicPartition

from mockbroker import Cluster
from mockbroker.control.client_config import ClientNeeds, Login, client_config
from mockbroker.server.tls.authority import Authority
from mockbroker.settings.listener_settings import SecurityProtocol
from tests.clients.spark.causes import causes_in
from tests.clients.support.client_program import ClientProgram, client_program
from tests.clients.support.deadline import TIMEOUT_S
from tests.clients.support.go import program
from tests.clients.support.java import java_command, programs
from tests.clients.support.transactional_client import ClientError
from tests.support.tls_stores import PASSWORD as STORE_PASSWORD
from tests.support.tls_stores import pkcs12_trust_store
from tests.tidy.repository import ROOT

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = [
    pytest.mark.slow,
    pytest.mark.timeout(180),
    # py4j leaves it to the garbage collector to close its sockets
    pytest.mark.filterwarnings("ignore:unclosed:ResourceWarning"),
]

MODULE: Final = "org.apache.kafka.common.security.plain.PlainLoginModule"
PASSWORD: Final = "secret of alice"
VALUE: Final = "paid"
CONFIG: Final = {
    "listeners": "SASL_SSL://127.0.0.1:0",
    "sasl.enabled.mechanisms": "PLAIN",
    "listener.name.sasl_ssl.plain.sasl.jaas.config": f'{MODULE} required user_alice="{PASSWORD}";',
    "authorizer.class.name": "org.apache.kafka.metadata.authorizer.StandardAuthorizer",
    "allow.everyone.if.no.acl.found": "true",
}
IMPATIENT: Final = {"max.block.ms": "10000"}


@pytest.fixture(scope="module")
def cluster() -> Iterator[Cluster]:
    topics = {"denied": 1} | {f"topic-{name}": 1 for name in CLIENTS}
    with Cluster(tls=True, config=CONFIG, topics=topics) as running:
        running.acls.deny("write", topic="denied", principal="User:alice")
        yield running


class Secured(NamedTuple):
    """What a client is given, and where it may leave files."""

    needs: ClientNeeds
    folder: Path
    programs: Callable[[str], ClientProgram]
    spark: Callable[[], "SparkSession"]


def confluent(secured: Secured, topic: str) -> list[str]:
    reports: list[KafkaError] = []
    settings = client_config("confluent", secured.needs, {"error_cb": reports.append})
    producer = Producer({**settings, "message.timeout.ms": 3000})
    delivered: list[KafkaError | None] = []
    producer.produce(topic, VALUE, on_delivery=lambda error, _: delivered.append(error))
    producer.flush(TIMEOUT_S)
    del producer
    (failed,) = delivered
    if failed is not None:
        # A message only times out; what happened is told by the callback.
        told = [each for each in reports if not each.name().startswith("_ALL")]
        told.sort(key=lambda each: each.name() == "_TRANSPORT")  # it only follows from the others
        error = (told or [failed])[0]
        raise ClientError(error.name(), error.str())
    consumer = Consumer({**settings, "group.id": "secure"})
    try:
        consumer.assign([TopicPartition(topic, 0, 0)])
        return [(each.value() or b"").decode() for each in consumer.consume(1, TIMEOUT_S)]
    except KafkaException as error:
        raise ClientError(error.args[0].name(), str(error)) from None
    finally:
        consumer.close()


def kafka_python(secured: Secured, topic: str) -> list[str]:
    given = {**secured.needs._asdict(), "topic": topic, "value": VALUE}
    given.pop("certificate")
    command = [sys.executable, "-m", "tests.clients.python.kafka_python_round_trip"]
    ran = subprocess.run(
        command, input=json.dumps(given), capture_output=True, text=True, check=True, cwd=ROOT
    )
    answer = json.loads(ran.stdout)
    if "error" in answer:
        raise ClientError(answer["error"], answer["detail"])
    return list(answer["values"])


def aio_kafka(secured: Secured, topic: str) -> list[str]:
    settings = client_config("aiokafka", secured.needs, {})

    async def round_trip() -> list[str]:
        producer = aiokafka.AIOKafkaProducer(**settings)
        try:
            await producer.start()
            await producer.send_and_wait(topic, VALUE.encode())
        finally:
            await producer.stop()
        reading = {**settings, "auto_offset_reset": "earliest"}
        async with aiokafka.AIOKafkaConsumer(topic, **reading) as consumer:
            return [(await consumer.getone()).value.decode()]

    try:
        return asyncio.run(round_trip())
    except aiokafka.errors.KafkaError as error:
        raise ClientError(type(error).__name__, str(error)) from None


def java_newest(secured: Secured, topic: str) -> list[str]:
    settings = client_config("java", secured.needs, IMPATIENT)
    file = properties_file(secured.folder / "client.properties", settings)
    return secured.programs("java-4.4.0").ask("secure", file, topic, VALUE)


def java_old(secured: Secured, topic: str) -> list[str]:
    """With a trust store in PKCS12: the client does not read PEM yet."""
    assert secured.needs.ca_pem is not None
    settings = client_config("java", secured.needs._replace(ca_pem=None), IMPATIENT)
    settings |= {
        "ssl.truststore.type": "PKCS12",
        "ssl.truststore.location": pkcs12_trust_store(secured.folder / "ca", secured.needs.ca_pem),
        "ssl.truststore.password": STORE_PASSWORD,
    }
    file = properties_file(secured.folder / "client.properties", settings)
    return secured.programs("java-2.4.1").ask("secure", file, topic, VALUE)


def franz_go(secured: Secured, topic: str) -> list[str]:
    needs = secured.needs
    assert needs.ca_pem is not None
    assert needs.login is not None
    file = secured.folder / "ca.pem"
    file.write_text(needs.ca_pem)
    words = (needs.bootstrap_servers, str(file), needs.login.user, needs.login.password)
    return secured.programs("franz-go").ask("secure", *words, topic, VALUE)


def spark(secured: Secured, topic: str) -> list[str]:
    settings = client_config("spark", secured.needs, {"kafka.max.block.ms": "10000"})
    session = secured.spark()
    rows = session.createDataFrame([(VALUE,)], "value string")

    def round_trip() -> list[str]:
        rows.write.format("kafka").options(**settings).option("topic", topic).save()
        source = session.read.format("kafka").options(**settings).option("subscribe", topic)
        return [str(row.value, "utf-8") for row in source.load().select("value").collect()]

    try:
        return round_trip()
    except Exception as error:  # noqa: BLE001 - the causes tell
        # Spark wraps the error of Kafka's client, which may have causes of its own.
        first = next(each for each in causes_in(error) if ": " in each)
        raise ClientError(first.partition(":")[0], str(error)) from None


def properties_file(path: Path, settings: Mapping[str, Any]) -> str:
    """Write settings as Java reads them."""
    lines = (f"{name}={_escaped(str(value))}\n" for name, value in settings.items())
    path.write_text("".join(lines))
    return str(path)


def _escaped(value: str) -> str:
    return value.replace("\\", "\\\\").replace("\n", "\\n")


class Client(NamedTuple):
    """A client, and what it says of the errors, as regular expressions."""

    round_trip: Callable[[Secured, str], list[str]]
    wrong_password: str
    untrusted: str
    denied: str
    marks: tuple[str, ...] = ()


CLIENTS: Final = {
    "confluent-kafka": Client(
        confluent,
        "^_AUTHENTICATION: ",
        "certificate verify failed",
        "^TOPIC_AUTHORIZATION_FAILED: ",
    ),
    "kafka-python": Client(
        kafka_python,
        "^KafkaTimeoutError: ",
        "^KafkaTimeoutError: ",
        "^TopicAuthorizationFailedError: ",
    ),
    "aiokafka": Client(
        aio_kafka,
        "^KafkaConnectionError: ",
        "^KafkaConnectionError: ",
        "^TopicAuthorizationFailedError: ",
    ),
    "java-4.4.0": Client(
        java_newest,
        "^SaslAuthenticationException: ",
        "^SslAuthenticationException: ",
        "^TopicAuthorizationException: ",
        ("java",),
    ),
    "java-2.4.1": Client(
        java_old,
        "^SaslAuthenticationException: ",
        "^SslAuthenticationException: ",
        "^TopicAuthorizationException: ",
        ("java",),
    ),
    "spark": Client(
        spark,
        "^SaslAuthenticationException: ",
        "^SslAuthenticationException: ",
        "^TopicAuthorizationException: ",
        ("java", "spark"),
    ),
    "franz-go": Client(
        franz_go,
        "^SASL_AUTHENTICATION_FAILED: ",
        "failed to verify certificate",
        "^TOPIC_AUTHORIZATION_FAILED: ",
        ("go",),
    ),
}


@pytest.fixture(scope="module")
def start_program(
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[Callable[[str], ClientProgram]]:
    """Start each program at its first use."""
    with ExitStack() as stack:
        started: dict[str, ClientProgram] = {}

        def start(name: str) -> ClientProgram:
            if name not in started:
                command: list[str | Path] = (
                    [program(name)]
                    if name == "franz-go"
                    else [*java_command(programs(name.replace("java", "clients")), "Client")]
                )
                opened = client_program(command, tmp_path_factory.mktemp(name))
                started[name] = stack.enter_context(opened)
            return started[name]

        yield start


@pytest.fixture(
    params=[
        pytest.param(name, marks=[getattr(pytest.mark, mark) for mark in each.marks])
        for name, each in CLIENTS.items()
    ]
)
def name(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def secured(
    cluster: Cluster,
    start_program: Callable[[str], ClientProgram],
    tmp_path: Path,
    request: pytest.FixtureRequest,
) -> Secured:
    needs = ClientNeeds(
        cluster.bootstrap_servers,
        SecurityProtocol.SASL_SSL,
        ca_pem=cluster.ca_pem,
        login=Login("alice", PASSWORD, "PLAIN"),
    )
    return Secured(needs, tmp_path, start_program, lambda: request.getfixturevalue("spark"))


def test_a_record_is_stored_and_read_back(secured: Secured, name: str) -> None:
    assert CLIENTS[name].round_trip(secured, f"topic-{name}") == [VALUE]


def test_a_wrong_password_is_told(secured: Secured, name: str) -> None:
    login = secured.needs.login
    assert login is not None
    wrong = secured.needs._replace(login=login._replace(password="wrong"))
    with pytest.raises(ClientError, match=CLIENTS[name].wrong_password):
        CLIENTS[name].round_trip(secured._replace(needs=wrong), f"topic-{name}")


def test_a_certificate_of_another_authority_is_refused(secured: Secured, name: str) -> None:
    other = secured.needs._replace(ca_pem=Authority().ca_pem)
    with pytest.raises(ClientError, match=CLIENTS[name].untrusted):
        CLIENTS[name].round_trip(secured._replace(needs=other), f"topic-{name}")


def test_a_denied_topic_is_told(secured: Secured, name: str) -> None:
    with pytest.raises(ClientError, match=CLIENTS[name].denied):
        CLIENTS[name].round_trip(secured, "denied")
