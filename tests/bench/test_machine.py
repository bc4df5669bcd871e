"""Resource usage of processes, as read from Linux."""

import os
import time

from bench.machine import cpu_seconds, parse_resident_kib


def test_cpu_seconds_are_those_of_the_process() -> None:
    before, ours = cpu_seconds(os.getpid()), time.process_time()
    while time.process_time() - ours < 0.002:
        pass
    after = cpu_seconds(os.getpid())
    assert after - before >= 0.002
    assert abs(after - time.process_time()) < 0.1


def test_resident_memory_is_vmrss() -> None:
    assert parse_resident_kib("Name:\tx\nVmHWM:\t 9 kB\nVmRSS:\t 1024 kB\n") == 1024


def test_a_process_that_is_gone_has_no_memory() -> None:
    assert parse_resident_kib("Name:\tx\nState:\tZ (zombie)\n") == 0
