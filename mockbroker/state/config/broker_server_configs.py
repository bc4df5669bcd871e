"""The broker configs of Kafka that are about the server, its sockets and its controller.

The columns are those of `definition.py`; facts asked of the releases that they name.
"""

from typing import Final

SERVER_CONFIGS: Final = """
advertised.host.name STRING null - static 2.4
advertised.listeners STRING null - dynamic 2.4
advertised.listeners LIST null - static 4.4
advertised.port INT null - static 2.4
background.threads INT 10 1.. dynamic *
broker.heartbeat.interval.ms INT 2000 - static 4.4
broker.id INT -1 - static *
broker.id.generation.enable BOOLEAN true - static 2.4
broker.rack STRING null - static *
broker.session.timeout.ms INT 9000 - static 4.4
client.quota.callback.class CLASS null - static *
config.providers LIST "" - dynamic 4.4
connection.failed.authentication.delay.ms INT 100 0.. static *
connections.max.idle.ms LONG 600000 - static *
connections.max.reauth.ms LONG 0 - static *
control.plane.listener.name STRING null - static 2.4
controlled.shutdown.enable BOOLEAN true - static *
controlled.shutdown.max.retries INT 3 - static 2.4
controlled.shutdown.retry.backoff.ms LONG 5000 - static 2.4
controller.listener.names LIST required - static 4.4
controller.performance.always.log.threshold.ms LONG 2000 0.. internal 4.4
controller.performance.sample.period.ms LONG 60000 100.. internal 4.4
controller.quorum.append.linger.ms INT 25 0.. static 4.4
controller.quorum.auto.join.enable BOOLEAN false - static 4.4
controller.quorum.bootstrap.servers LIST "" - static 4.4
controller.quorum.election.backoff.max.ms INT 1000 0.. static 4.4
controller.quorum.election.timeout.ms INT 1000 0.. static 4.4
controller.quorum.fetch.max.bytes INT 1048576 1.. static 4.4
controller.quorum.fetch.snapshot.max.bytes INT 1048576 1.. static 4.4
controller.quorum.fetch.timeout.ms INT 2000 0.. static 4.4
controller.quorum.request.timeout.ms INT 2000 0.. static 4.4
controller.quorum.retry.backoff.ms INT 20 0.. static 4.4
controller.quorum.voters LIST "" - static 4.4
controller.quota.window.num INT 11 1.. static 4.4
controller.quota.window.size.seconds INT 1 1.. static 4.4
controller.socket.timeout.ms INT 30000 - static *
early.start.listeners LIST null - static 4.4
host.name STRING "" - static 2.4
initial.broker.registration.timeout.ms INT 60000 - static 4.4
inter.broker.listener.name STRING null - static *
inter.broker.protocol.version STRING 2.4-IV1 format-version static 2.4
kafka.metrics.polling.interval.secs INT 10 1.. static *
kafka.metrics.reporters LIST "" - static *
listener.security.protocol.map STRING \
    PLAINTEXT:PLAINTEXT,SSL:SSL,SASL_PLAINTEXT:SASL_PLAINTEXT,SASL_SSL:SASL_SSL - dynamic 2.4
listener.security.protocol.map STRING \
    SASL_SSL:SASL_SSL,PLAINTEXT:PLAINTEXT,SSL:SSL,SASL_PLAINTEXT:SASL_PLAINTEXT - dynamic 4.4
listeners STRING null - dynamic 2.4
listeners LIST PLAINTEXT://:9092 - dynamic 4.4
max.connection.creation.rate INT 2147483647 0.. dynamic 4.4
max.connections INT 2147483647 0.. dynamic *
max.connections.per.ip INT 2147483647 0.. dynamic *
max.connections.per.ip.overrides STRING "" - dynamic *
max.request.partition.size.limit INT 2000 1.. static 4.4
metric.reporters LIST "" - dynamic 2.4
metric.reporters LIST org.apache.kafka.common.metrics.JmxReporter - dynamic 4.4
metrics.num.samples INT 2 1.. static *
metrics.recording.level STRING INFO - static *
metrics.sample.window.ms LONG 30000 1.. static *
node.id INT required 0.. static 4.4
num.io.threads INT 8 1.. dynamic *
num.network.threads INT 3 1.. dynamic *
port INT 9092 - static 2.4
process.roles LIST required broker|controller static 4.4
queued.max.request.bytes LONG -1 - static *
queued.max.requests INT 500 1.. static *
quota.consumer.default LONG 9223372036854775807 1.. static 2.4
quota.producer.default LONG 9223372036854775807 1.. static 2.4
quota.window.num INT 11 1.. static *
quota.window.size.seconds INT 1 1.. static *
request.timeout.ms INT 30000 - static *
reserved.broker.max.id INT 1000 0.. static 2.4
server.max.startup.time.ms LONG 9223372036854775807 0.. internal 4.4
socket.connection.setup.timeout.max.ms LONG 30000 - static 4.4
socket.connection.setup.timeout.ms LONG 10000 - static 4.4
socket.listen.backlog.size INT 50 1.. static 4.4
socket.receive.buffer.bytes INT 102400 - static *
socket.request.max.bytes INT 104857600 1.. static *
socket.send.buffer.bytes INT 102400 - static *
telemetry.max.bytes INT 1048576 1.. static 4.4
unstable.api.versions.enable BOOLEAN false - internal 4.4
unstable.feature.versions.enable BOOLEAN false - internal 4.4
zookeeper.connect STRING required - static 2.4
zookeeper.connection.timeout.ms INT null - static 2.4
zookeeper.max.in.flight.requests INT 10 1.. static 2.4
zookeeper.session.timeout.ms INT 6000 - static 2.4
zookeeper.set.acl BOOLEAN false - static 2.4
zookeeper.sync.time.ms INT 2000 - static 2.4
"""
