"""Resource usage of processes, as read from Linux."""

import os
import subprocess
import sys
import time

from bench.machine import (
    cpu_seconds,
    cpu_seconds_of_tree,
    parse_resident_kib,
    parse_stat,
    peaks_of_tree,
)


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


def test_the_largest_memory_is_vmhwm() -> None:
    assert parse_resident_kib("VmHWM:\t 9 kB\nVmRSS:\t 8 kB\n", "VmHWM") == 9


def test_a_command_with_spaces_and_parentheses_does_not_move_the_fields_of_a_process() -> None:
    stat = "7 (a (b) c) S 5 7 7 0 -1 4194304 1 2 3 4 10 20 30 40 20 0 1"
    assert parse_stat(stat) == (5, (10, 20, 30, 40))


def test_processor_time_of_a_tree_has_that_of_children_that_have_ended() -> None:
    before = cpu_seconds_of_tree(os.getpid())
    busy = "import time\nwhile time.process_time() < 0.2: pass"
    subprocess.run([sys.executable, "-S", "-c", busy], check=True)
    assert cpu_seconds_of_tree(os.getpid()) - before >= 0.19


def test_processes_that_run_are_in_the_tree_with_their_commands() -> None:
    command = [sys.executable, "-S", "-c", "input()"]
    with subprocess.Popen(command, stdin=subprocess.PIPE) as child:
        peaks = peaks_of_tree(os.getpid())
        child.communicate(b"\n")
    assert set(peaks) >= {os.getpid(), child.pid}
    assert peaks[os.getpid()].mib > 10
