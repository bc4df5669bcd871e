"""Kafka's broker configs for groups, offsets, transactions and producer ids.

`definition.py` describes the columns. The values were read from the releases in the last column.
"""

from typing import Final

COORDINATOR_CONFIGS: Final = """
add.partitions.to.txn.retry.backoff.max.ms INT 100 0.. static 4.4
add.partitions.to.txn.retry.backoff.ms INT 20 1.. static 4.4
group.consumer.assignment.interval.ms INT 1000 0.. dynamic 4.4
group.consumer.assignor.offload.enable BOOLEAN true - internal 4.4
group.consumer.assignors LIST \
    org.apache.kafka.coordinator.group.assignor.RangeAssignor - internal 3.6
group.consumer.assignors LIST \
    org.apache.kafka.coordinator.group.assignor.UniformAssignor,\
org.apache.kafka.coordinator.group.assignor.RangeAssignor - static 3.9
group.consumer.assignors LIST uniform,range - static 4.4
group.consumer.heartbeat.interval.ms INT 5000 1.. internal 3.6
group.consumer.heartbeat.interval.ms INT 5000 1.. static 3.9..
group.consumer.max.assignment.interval.ms INT 15000 0.. static 4.4
group.consumer.max.heartbeat.interval.ms INT 15000 1.. internal 3.6
group.consumer.max.heartbeat.interval.ms INT 15000 1.. static 3.9..
group.consumer.max.session.timeout.ms INT 60000 1.. internal 3.6
group.consumer.max.session.timeout.ms INT 60000 1.. static 3.9..
group.consumer.max.size INT 2147483647 1.. internal 3.6
group.consumer.max.size INT 2147483647 1.. static 3.9..
group.consumer.migration.policy STRING disabled nocase:DISABLED|DOWNGRADE|UPGRADE|BIDIRECTIONAL \
    internal 3.9
group.consumer.migration.policy STRING bidirectional \
    nocase:DISABLED|DOWNGRADE|UPGRADE|BIDIRECTIONAL static 4.4
group.consumer.min.assignment.interval.ms INT 0 0.. static 4.4
group.consumer.min.heartbeat.interval.ms INT 5000 1.. internal 3.6
group.consumer.min.heartbeat.interval.ms INT 5000 1.. static 3.9..
group.consumer.min.session.timeout.ms INT 45000 1.. internal 3.6
group.consumer.min.session.timeout.ms INT 45000 1.. static 3.9..
group.consumer.regex.refresh.interval.ms INT 600000 10000.. internal 4.4
group.consumer.session.timeout.ms INT 45000 1.. internal 3.6
group.consumer.session.timeout.ms INT 45000 1.. static 3.9..
group.coordinator.append.linger.ms INT 10 0.. static 3.9
group.coordinator.append.linger.ms INT -1 -1.. static 4.4
group.coordinator.background.threads INT 2 1.. static 4.4
group.coordinator.cached.buffer.max.bytes INT 1048588 524288.. dynamic 4.4
group.coordinator.new.enable BOOLEAN false - internal 3.6..3.9
group.coordinator.rebalance.protocols LIST classic consumer|classic|share|unknown static 3.9
group.coordinator.rebalance.protocols LIST classic,consumer,streams \
    consumer|classic|share|streams static 4.4
group.coordinator.threads INT 1 1.. internal 3.6
group.coordinator.threads INT 1 1.. static 3.9
group.coordinator.threads INT 4 1.. static 4.4
group.initial.rebalance.delay.ms INT 3000 - static *
group.max.session.timeout.ms INT 300000 - static ..1.1
group.max.session.timeout.ms INT 1800000 - static 2.3..
group.max.size INT 2147483647 1.. static 2.3..
group.min.session.timeout.ms INT 6000 - static *
group.share.assignment.interval.ms INT 1000 0.. dynamic 4.4
group.share.assignor.offload.enable BOOLEAN true - internal 4.4
group.share.assignors LIST simple - static 4.4
group.share.delivery.count.limit INT 5 2..10 static 3.9..
group.share.dlq.manager.class.name STRING \
    org.apache.kafka.server.share.dlq.DefaultShareGroupDLQManager - internal 4.4
group.share.enable BOOLEAN false - internal 3.9
group.share.heartbeat.interval.ms INT 5000 1.. static 3.9..
group.share.initialize.retry.interval.ms INT 30000 1.. internal 4.4
group.share.max.assignment.interval.ms INT 15000 0.. static 4.4
group.share.max.delivery.count.limit INT 10 5..25 static 4.4
group.share.max.groups SHORT 10 1..100 static 3.9
group.share.max.heartbeat.interval.ms INT 15000 1.. static 3.9..
group.share.max.partition.max.record.locks INT 4000 2000..10000 static 4.4
group.share.max.record.lock.duration.ms INT 60000 30000..3600000 static 3.9..
group.share.max.session.timeout.ms INT 60000 1.. static 3.9..
group.share.max.share.sessions INT 2000 1.. static 4.4
group.share.max.size SHORT 200 10..1000 static 3.9
group.share.max.size INT 200 1..1000 static 4.4
group.share.min.assignment.interval.ms INT 0 0.. static 4.4
group.share.min.delivery.count.limit INT 2 2..5 static 4.4
group.share.min.heartbeat.interval.ms INT 5000 1.. static 3.9..
group.share.min.partition.max.record.locks INT 100 100..2000 static 4.4
group.share.min.record.lock.duration.ms INT 15000 1000..30000 static 3.9..
group.share.min.session.timeout.ms INT 45000 1.. static 3.9..
group.share.partition.max.record.locks INT 200 100..10000 static 3.9
group.share.partition.max.record.locks INT 2000 100..10000 static 4.4
group.share.persister.class.name STRING \
    org.apache.kafka.server.share.persister.DefaultStatePersister - internal 4.4
group.share.record.lock.duration.ms INT 30000 1000..60000 static 3.9
group.share.record.lock.duration.ms INT 30000 1000..3600000 static 4.4
group.share.session.timeout.ms INT 45000 1.. static 3.9..
group.streams.acceptable.recovery.lag LONG 10000 0.. internal 4.4
group.streams.assignment.interval.ms INT 1000 0.. dynamic 4.4
group.streams.assignor.offload.enable BOOLEAN true - internal 4.4
group.streams.assignors LIST sticky - static 4.4
group.streams.heartbeat.interval.ms INT 5000 1.. static 4.4
group.streams.initial.rebalance.delay.ms INT 3000 0.. static 4.4
group.streams.max.assignment.interval.ms INT 15000 0.. static 4.4
group.streams.max.heartbeat.interval.ms INT 15000 1.. static 4.4
group.streams.max.session.timeout.ms INT 60000 1.. static 4.4
group.streams.max.size INT 2147483647 1.. static 4.4
group.streams.max.standby.replicas INT 2 0.. static 4.4
group.streams.max.warmup.replicas INT 20 0.. internal 4.4
group.streams.min.assignment.interval.ms INT 0 0.. static 4.4
group.streams.min.heartbeat.interval.ms INT 5000 1.. static 4.4
group.streams.min.session.timeout.ms INT 45000 1.. static 4.4
group.streams.min.task.offset.interval.ms INT 15000 1.. internal 4.4
group.streams.num.standby.replicas INT 0 0.. static 4.4
group.streams.num.warmup.replicas INT 2 0.. internal 4.4
group.streams.rack.aware.assignment.tags LIST "" - static 4.4
group.streams.session.timeout.ms INT 45000 1.. static 4.4
group.streams.task.offset.interval.ms INT 60000 1.. internal 4.4
group.streams.topology.description.plugin.class CLASS null - static 4.4
offset.metadata.max.bytes INT 4096 - static *
offsets.commit.required.acks SHORT -1 - static ..3.9
offsets.commit.timeout.ms INT 5000 1.. static *
offsets.load.buffer.size INT 5242880 1.. static *
offsets.retention.check.interval.ms LONG 600000 1.. static *
offsets.retention.minutes INT 1440 1.. static ..1.1
offsets.retention.minutes INT 10080 1.. static 2.3..
offsets.topic.compression.codec INT 0 - static *
offsets.topic.num.partitions INT 50 1.. static *
offsets.topic.replication.factor SHORT 3 1.. static *
offsets.topic.segment.bytes INT 104857600 1.. static *
producer.id.expiration.check.interval.ms INT 600000 1.. internal 3.6..
producer.id.expiration.ms INT 86400000 1.. dynamic 3.6..
share.coordinator.append.linger.ms INT -1 -1.. static 4.4
share.coordinator.cached.buffer.max.bytes INT 1048588 524288.. dynamic 4.4
share.coordinator.cold.partition.snapshot.interval.ms INT 300000 1.. internal 4.4
share.coordinator.load.buffer.size INT 5242880 1.. static 4.4
share.coordinator.snapshot.update.records.per.snapshot INT 500 0..500 static 4.4
share.coordinator.state.topic.compression.codec INT 0 - static 4.4
share.coordinator.state.topic.min.isr SHORT 2 1.. static 4.4
share.coordinator.state.topic.num.partitions INT 50 1.. static 4.4
share.coordinator.state.topic.prune.interval.ms INT 300000 1.. internal 4.4
share.coordinator.state.topic.replication.factor SHORT 3 1.. static 4.4
share.coordinator.state.topic.segment.bytes INT 104857600 1.. static 4.4
share.coordinator.threads INT 1 1.. static 4.4
share.coordinator.write.timeout.ms INT 5000 1.. static 4.4
share.fetch.purgatory.purge.interval.requests INT 1000 - static 4.4
transaction.abort.timed.out.transaction.cleanup.interval.ms INT 60000 1.. static ..2.4
transaction.abort.timed.out.transaction.cleanup.interval.ms INT 10000 1.. static 2.5..
transaction.max.timeout.ms INT 900000 1.. static *
transaction.partition.verification.enable BOOLEAN true - dynamic 3.6..
transaction.remove.expired.transaction.cleanup.interval.ms INT 3600000 1.. static *
transaction.state.log.load.buffer.size INT 5242880 1.. static *
transaction.state.log.min.isr INT 2 1.. static *
transaction.state.log.num.partitions INT 50 1.. static *
transaction.state.log.replication.factor SHORT 3 1.. static *
transaction.state.log.segment.bytes INT 104857600 1.. static *
transaction.two.phase.commit.enable BOOLEAN false - static 4.4
transactional.id.expiration.ms INT 604800000 1.. static *
"""
