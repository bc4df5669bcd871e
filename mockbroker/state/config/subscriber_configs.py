"""Configs of groups and of client metrics subscriptions, by release; see `definition.py`."""

from typing import Final

GROUP_CONFIGS: Final = """
consumer.assignment.interval.ms INT 1000 0.. dynamic 4.4
consumer.heartbeat.interval.ms INT 5000 1.. dynamic 4.4
consumer.session.timeout.ms INT 45000 1.. dynamic 4.4
errors.deadletterqueue.copy.record.enable BOOLEAN false - dynamic 4.4
errors.deadletterqueue.topic.name STRING "" - dynamic 4.4
share.assignment.interval.ms INT 1000 0.. dynamic 4.4
share.auto.offset.reset STRING latest offset-reset dynamic 4.4
share.delivery.count.limit INT 5 2.. dynamic 4.4
share.heartbeat.interval.ms INT 5000 1.. dynamic 4.4
share.isolation.level STRING read_uncommitted read_committed|read_uncommitted dynamic 4.4
share.partition.max.record.locks INT 2000 100.. dynamic 4.4
share.record.lock.duration.ms INT 30000 1000.. dynamic 4.4
share.renew.acknowledge.enable BOOLEAN true - dynamic 4.4
share.session.timeout.ms INT 45000 1.. dynamic 4.4
streams.assignment.interval.ms INT 1000 0.. dynamic 4.4
streams.assignor.name STRING sticky - dynamic 4.4
streams.heartbeat.interval.ms INT 5000 1.. dynamic 4.4
streams.initial.rebalance.delay.ms INT 3000 0.. dynamic 4.4
streams.num.standby.replicas INT 0 0.. dynamic 4.4
streams.rack.aware.assignment.tags LIST "" - dynamic 4.4
streams.session.timeout.ms INT 45000 1.. dynamic 4.4
"""

CLIENT_METRICS_CONFIGS: Final = """
interval.ms INT 300000 - dynamic 3.9..
match LIST "" - dynamic 3.9..
metrics LIST "" - dynamic 3.9..
"""
