"""Kafka's broker configs for the server, its sockets and its controller.

`definition.py` describes the columns. The values were read from the releases in the last column.
"""

from typing import Final

SERVER_CONFIGS: Final = """
advertised.host.name STRING null - static ..2.8
advertised.listeners STRING null - static 0.11..1.0
advertised.listeners STRING null - dynamic 1.1..3.9
advertised.listeners LIST null - static 4.4
advertised.port INT null - static ..2.8
auto.include.jmx.reporter BOOLEAN true - static 3.6..3.9
background.threads INT 10 1.. static 0.11..1.0
background.threads INT 10 1.. dynamic 1.1..
broker.heartbeat.interval.ms INT 2000 - internal 2.8
broker.heartbeat.interval.ms INT 2000 - static 3.6..
broker.id INT -1 - static *
broker.id.generation.enable BOOLEAN true - static ..3.9
broker.rack STRING null - static *
broker.session.timeout.ms INT 9000 - internal 2.8
broker.session.timeout.ms INT 9000 - static 3.6..
client.quota.callback.class CLASS null - static 2.3..
config.providers LIST "" - dynamic 4.4
connection.failed.authentication.delay.ms INT 100 0.. static 2.3..
connections.max.idle.ms LONG 600000 - static *
connections.max.reauth.ms LONG 0 - static 2.3..
control.plane.listener.name STRING null - static 2.3..3.9
controlled.shutdown.enable BOOLEAN true - static *
controlled.shutdown.max.retries INT 3 - static ..3.9
controlled.shutdown.retry.backoff.ms LONG 5000 - static ..3.9
controller.listener.names STRING null - internal 2.8
controller.listener.names STRING null - static 3.6..3.9
controller.listener.names LIST required - static 4.4
controller.performance.always.log.threshold.ms LONG 2000 0.. internal 4.4
controller.performance.sample.period.ms LONG 60000 100.. internal 4.4
controller.quorum.append.linger.ms INT 25 - internal 2.8
controller.quorum.append.linger.ms INT 25 - static 3.6..3.9
controller.quorum.append.linger.ms INT 25 0.. static 4.4
controller.quorum.auto.join.enable BOOLEAN false - static 4.4
controller.quorum.bootstrap.servers LIST "" - static 3.9..
controller.quorum.election.backoff.max.ms INT 1000 - internal 2.8
controller.quorum.election.backoff.max.ms INT 1000 - static 3.6..3.9
controller.quorum.election.backoff.max.ms INT 1000 0.. static 4.4
controller.quorum.election.timeout.ms INT 1000 - internal 2.8
controller.quorum.election.timeout.ms INT 1000 - static 3.6..3.9
controller.quorum.election.timeout.ms INT 1000 0.. static 4.4
controller.quorum.fetch.max.bytes INT 1048576 1.. static 4.4
controller.quorum.fetch.snapshot.max.bytes INT 1048576 1.. static 4.4
controller.quorum.fetch.timeout.ms INT 2000 - internal 2.8
controller.quorum.fetch.timeout.ms INT 2000 - static 3.6..3.9
controller.quorum.fetch.timeout.ms INT 2000 0.. static 4.4
controller.quorum.request.timeout.ms INT 2000 - internal 2.8
controller.quorum.request.timeout.ms INT 2000 - static 3.6..3.9
controller.quorum.request.timeout.ms INT 2000 0.. static 4.4
controller.quorum.retry.backoff.ms INT 20 - internal 2.8
controller.quorum.retry.backoff.ms INT 20 - static 3.6..3.9
controller.quorum.retry.backoff.ms INT 20 0.. static 4.4
controller.quorum.voters LIST "" - internal 2.8
controller.quorum.voters LIST "" - static 3.6..
controller.quota.window.num INT 11 1.. static 2.8..
controller.quota.window.size.seconds INT 1 1.. static 2.8..
controller.socket.timeout.ms INT 30000 - static *
early.start.listeners STRING null - static 3.6..3.9
early.start.listeners LIST null - static 4.4
eligible.leader.replicas.enable BOOLEAN false - static 3.9
follower.replication.throttled.rate LONG null 0.. unlisted 4.4
host.name STRING "" - static ..2.8
initial.broker.registration.timeout.ms INT 60000 - internal 2.8
initial.broker.registration.timeout.ms INT 60000 - static 3.6..
inter.broker.listener.name STRING null - static *
inter.broker.protocol.version STRING 0.11.0-IV2 - static 0.11
inter.broker.protocol.version STRING 1.0-IV0 - static 1.0
inter.broker.protocol.version STRING 1.1-IV0 - static 1.1
inter.broker.protocol.version STRING 2.3-IV1 format-version static 2.3
inter.broker.protocol.version STRING 2.4-IV1 format-version static 2.4
inter.broker.protocol.version STRING 2.5-IV0 format-version static 2.5
inter.broker.protocol.version STRING 2.8-IV1 format-version static 2.8
inter.broker.protocol.version STRING 3.6-IV2 format-version static 3.6
inter.broker.protocol.version STRING 3.9-IV0 format-version static 3.9
kafka.metrics.polling.interval.secs INT 10 1.. static 2.3..
kafka.metrics.reporters LIST "" - static 2.3..
leader.replication.throttled.rate LONG null 0.. unlisted 4.4
listener.security.protocol.map STRING \
    SSL:SSL,SASL_PLAINTEXT:SASL_PLAINTEXT,TRACE:TRACE,SASL_SSL:SASL_SSL,PLAINTEXT:PLAINTEXT - \
    static 0.11
listener.security.protocol.map STRING \
    PLAINTEXT:PLAINTEXT,SSL:SSL,SASL_PLAINTEXT:SASL_PLAINTEXT,SASL_SSL:SASL_SSL - static 1.0
listener.security.protocol.map STRING \
    PLAINTEXT:PLAINTEXT,SSL:SSL,SASL_PLAINTEXT:SASL_PLAINTEXT,SASL_SSL:SASL_SSL - dynamic \
    1.1..3.6
listener.security.protocol.map STRING \
    SASL_SSL:SASL_SSL,PLAINTEXT:PLAINTEXT,SSL:SSL,SASL_PLAINTEXT:SASL_PLAINTEXT - dynamic 3.9..
listeners STRING null - static 0.11..1.0
listeners STRING null - dynamic 1.1..2.8
listeners STRING PLAINTEXT://:9092 - dynamic 3.6..3.9
listeners LIST PLAINTEXT://:9092 - dynamic 4.4
max.connection.creation.rate INT 2147483647 0.. dynamic 2.8..
max.connections INT 2147483647 0.. dynamic 2.3..
max.connections.per.ip INT 2147483647 1.. static ..1.1
max.connections.per.ip INT 2147483647 0.. dynamic 2.3..
max.connections.per.ip.overrides STRING "" - static ..1.1
max.connections.per.ip.overrides STRING "" - dynamic 2.3..
max.request.partition.size.limit INT 2000 1.. static 3.9..
metric.reporters LIST "" - static 0.11..1.0
metric.reporters LIST "" - dynamic 1.1..3.9
metric.reporters LIST org.apache.kafka.common.metrics.JmxReporter - dynamic 4.4
metrics.num.samples INT 2 1.. static *
metrics.recording.level STRING INFO - static *
metrics.sample.window.ms LONG 30000 1.. static *
node.id INT -1 - internal 2.8
node.id INT -1 - static 3.6..3.9
node.id INT required 0.. static 4.4
num.io.threads INT 8 1.. static 0.11..1.0
num.io.threads INT 8 1.. dynamic 1.1..
num.network.threads INT 3 1.. static 0.11..1.0
num.network.threads INT 3 1.. dynamic 1.1..
port INT 9092 - static ..2.8
process.roles LIST "" broker|controller internal 2.8
process.roles LIST "" broker|controller static 3.6..3.9
process.roles LIST required broker|controller static 4.4
queued.max.request.bytes LONG -1 - static 1.0..
queued.max.requests INT 500 1.. static *
quota.consumer.default LONG 9223372036854775807 1.. static ..2.8
quota.producer.default LONG 9223372036854775807 1.. static ..2.8
quota.window.num INT 11 1.. static *
quota.window.size.seconds INT 1 1.. static *
replica.alter.log.dirs.io.max.bytes.per.second LONG null 0.. unlisted 4.4
request.timeout.ms INT 30000 - static *
reserved.broker.max.id INT 1000 0.. static ..3.9
server.max.startup.time.ms LONG 9223372036854775807 0.. internal 3.6..
socket.connection.setup.timeout.max.ms LONG 30000 - static 2.8..
socket.connection.setup.timeout.ms LONG 10000 - static 2.8..
socket.listen.backlog.size INT 50 1.. static 3.6..
socket.receive.buffer.bytes INT 102400 - static *
socket.request.max.bytes INT 104857600 1.. static *
socket.send.buffer.bytes INT 102400 - static *
telemetry.max.bytes INT 1048576 1.. static 3.9..
unstable.api.versions.enable BOOLEAN false - internal 3.6..
unstable.feature.versions.enable BOOLEAN false - internal 3.9..
zookeeper.clientCnxnSocket STRING null - static 2.5..3.9
zookeeper.connect STRING required - static ..2.5
zookeeper.connect STRING null - static 2.8..3.9
zookeeper.connection.timeout.ms INT null - static ..3.9
zookeeper.max.in.flight.requests INT 10 1.. static 1.1..3.9
zookeeper.metadata.migration.enable BOOLEAN false - static 3.6..3.9
zookeeper.metadata.migration.min.batch.size INT 200 1.. internal 3.6..3.9
zookeeper.session.timeout.ms INT 6000 - static ..2.4
zookeeper.session.timeout.ms INT 18000 - static 2.5..3.9
zookeeper.set.acl BOOLEAN false - static ..3.9
zookeeper.ssl.cipher.suites LIST null - static 2.5..3.9
zookeeper.ssl.client.enable BOOLEAN false - static 2.5..3.9
zookeeper.ssl.crl.enable BOOLEAN false - static 2.5..3.9
zookeeper.ssl.enabled.protocols LIST null - static 2.5..3.9
zookeeper.ssl.endpoint.identification.algorithm STRING HTTPS - static 2.5..3.9
zookeeper.ssl.keystore.location STRING null - static 2.5..3.9
zookeeper.ssl.keystore.password PASSWORD null - static 2.5..3.9
zookeeper.ssl.keystore.type STRING null - static 2.5..3.9
zookeeper.ssl.ocsp.enable BOOLEAN false - static 2.5..3.9
zookeeper.ssl.protocol STRING TLSv1.2 - static 2.5..3.9
zookeeper.ssl.truststore.location STRING null - static 2.5..3.9
zookeeper.ssl.truststore.password PASSWORD null - static 2.5..3.9
zookeeper.ssl.truststore.type STRING null - static 2.5..3.9
zookeeper.sync.time.ms INT 2000 - static ..2.8
"""
