"""What is read from /proc."""

from bench.machine import parse_cpu_ticks, parse_resident_kib


def test_cpu_ticks_are_user_and_system_time() -> None:
    stat = "42 (python) S 1 42 42 0 -1 4194560 5000 0 3 0 120 34 0 0 20 0 4 0 100 1 2\n"
    assert parse_cpu_ticks(stat) == 154


def test_a_command_with_spaces_and_brackets_moves_no_field() -> None:
    stat = "42 (a ) b) S 1 42 42 0 -1 4194560 5000 0 3 0 7 1 0 0 20 0 4 0 100 1 2\n"
    assert parse_cpu_ticks(stat) == 8


def test_resident_memory_is_vmrss() -> None:
    assert parse_resident_kib("Name:\tx\nVmHWM:\t 9 kB\nVmRSS:\t 1024 kB\n") == 1024


def test_a_process_that_is_gone_has_no_memory() -> None:
    assert parse_resident_kib("Name:\tx\nState:\tZ (zombie)\n") == 0
