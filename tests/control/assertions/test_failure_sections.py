"""The report of a failed test describes its clusters, and is short."""

import pytest

from tests.support.plugin_runs import run

pytest_plugins = ["pytester"]


UNFIRED = """
    import pytest
    from mockbroker import API

    def test_one(mockbroker):
        mockbroker.fault(API.PRODUCE, name="lost-ack").lose_response()

    def test_four(mockbroker):
        for index in range(4):
            mockbroker.fault(API.PRODUCE, name=f"fault-of-{index}").lose_response()

    def test_whose_body_fails(mockbroker):
        mockbroker.fault(API.PRODUCE, name="of-a-failure").lose_response()
        mockbroker.fault(API.FETCH, name="without-effect")
        raise ValueError("the body failed")

    def test_whose_body_is_skipped(mockbroker):
        mockbroker.fault(API.PRODUCE, name="of-a-skip").lose_response()
        pytest.skip("no reason")

    @pytest.mark.xfail(strict=True)
    def test_whose_body_is_expected_to_fail(mockbroker):
        mockbroker.fault(API.PRODUCE, name="of-an-xfail").lose_response()
        raise ValueError("as expected")
"""


@pytest.mark.slow
def test_a_fault_that_never_fired_is_reported_once_in_five_lines(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(UNFIRED)
    result = run(pytester, "--tb=long", "-W", "error")
    result.assert_outcomes(passed=2, errors=2, failed=1, skipped=1, xfailed=1)
    lines = [line for line in result.outlines if not line.startswith(("ERROR", "FAILED"))]
    header = next(i for i, line in enumerate(lines) if "at teardown of test_one" in line)
    told = lines[header + 1 : next(i for i in range(header + 1, len(lines)) if "__" in lines[i])]
    assert told == [
        "faults that never fired:",
        (
            "  lost-ack: fault(api=Produce).lose_response().once() matched 0 calls, fired 0 times;"
            " there was no other call"
        ),
        "(@pytest.mark.mockbroker(allow_unfired=True) permits them)",
    ]
    header = next(i for i, line in enumerate(lines) if "at teardown of test_four" in line)
    told = lines[header + 1 : next(i for i in range(header + 1, len(lines)) if "==" in lines[i])]
    assert len(told) == 5
    assert told[3] == "  and 2 more"
    about_the_failure = [line for line in lines if "of-a-failure: fault(api=Produce)" in line]
    assert len([line for line in about_the_failure if "never" in line or "matched 0" in line]) == 1
    assert [line for line in lines if "without-effect: " in line] == [
        "without-effect: fault(api=Fetch).once() has no effect: choose one, such as lose_response()"
    ]
    assert not [line for line in lines if "of-a-skip" in line or "of-an-xfail" in line]


@pytest.mark.slow
def test_a_fault_without_an_effect_is_told_once(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(
        """
        def test_one(mockbroker):
            mockbroker.fault("Produce", name="idle").times(2)

        def test_whose_body_fails(mockbroker):
            mockbroker.fault("Produce", name="idle-too")
            raise ValueError("the body failed")
        """
    )
    result = run(pytester, "--tb=long", "-rN", "-W", "error")
    result.assert_outcomes(errors=1, failed=1, passed=1)
    told = [line for line in result.outlines if "has no effect" in line]
    assert told == [
        "  idle: fault(api=Produce).times(2) has no effect: choose one, such as lose_response()",
        "idle-too: fault(api=Produce).once() has no effect: choose one, such as lose_response()",
    ]


IN_OUR_CODE = """
    import pytest
    from mockbroker import API, Cluster

    def test_of_a_control_method(mockbroker):
        mockbroker.kill(9)

    def test_of_a_wait(mockbroker):
        mockbroker.fault(API.PRODUCE).lose_response().wait(timeout=0.001)

    def test_of_an_assertion(mockbroker):
        mockbroker.assert_committed("orders-service")

    def test_of_a_function_of_ours_that_calls_the_test(mockbroker):
        mockbroker.look(lambda state, now_ms: fail_in_the_test())

    def fail_in_the_test():
        raise KeyError("in the test")

    @pytest.mark.asyncio
    async def test_of_a_coroutine(mockbroker):
        await mockbroker.aio.run(mockbroker.kill, 9)

    @pytest.fixture
    def anyio_backend():
        return "trio"

    @pytest.mark.anyio
    async def test_of_a_task_of_trio(mockbroker):
        await mockbroker.aio.kill(9)

    @pytest.mark.mockbroker(topics={"a/b": 1})
    def test_of_a_fixture(mockbroker):
        pass

    @pytest.mark.mockbroker(brokrs=3)
    def test_of_a_marker(mockbroker):
        pass
"""
ASYNC_TESTS = ("-p", "pytest_asyncio.plugin", "-p", "anyio.pytest_plugin", "-W", "ignore")


@pytest.mark.slow
@pytest.mark.parametrize("style", ["auto", "long", "short", "native"])
def test_a_failure_shows_no_frame_of_ours(pytester: pytest.Pytester, style: str) -> None:
    pytester.makepyfile(IN_OUR_CODE)
    result = run(pytester, *ASYNC_TESTS, f"--tb={style}")
    result.assert_outcomes(failed=6, errors=2)
    text = result.stdout.str()
    assert "/mockbroker/" not in text
    assert "/threads.py" not in text
    assert "concurrent/futures" not in text
    assert "to_thread_run_sync" not in text
    assert text.count("LookupError: there is no broker 9; there are 1\n") >= 3
    assert "in fail_in_the_test" in text or "def fail_in_the_test" in text
    assert "the cluster of the fixture cannot start: INVALID_TOPIC_EXCEPTION" in text


@pytest.mark.slow
def test_a_full_trace_shows_our_frames(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(IN_OUR_CODE)
    result = run(pytester, *ASYNC_TESTS, "--full-trace", "-k", "control_method")
    assert "broker_control.py" in result.stdout.str()


@pytest.mark.slow
def test_a_failure_reports_its_faults(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(
        """
        from mockbroker import API

        def test_fails(mockbroker):
            mockbroker.fault(API.END_TXN, name="fence").answer("PRODUCER_FENCED")
            assert False
        """
    )
    result = run(pytester, "--mockbroker-seed=77")
    result.stdout.fnmatch_lines(
        [
            "*mockbroker faults*",
            "fence: fault(api=EndTxn)*fired 0 times*",
            "*seed 77: --mockbroker-seed=77*",
        ]
    )


@pytest.mark.slow
def test_a_failure_shows_the_timeline_of_its_cluster(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(
        """
        import pytest
        from mockbroker.wire import WireProducer

        @pytest.mark.mockbroker(topics={"orders": 1})
        def test_fails(mockbroker):
            with WireProducer(mockbroker.bootstrap_servers) as producer:
                producer.init_producer_id()
                producer.produce("orders", b"value", base_sequence=0)
            mockbroker.assert_records("orders", ["other"])

        @pytest.mark.mockbroker(topics={"orders": 1}, ledger_rows_max=0)
        def test_fails_without_a_ledger(mockbroker):
            assert False

        def test_fails_at_a_shared_one(mockbroker_session):
            assert False
        """
    )
    result = run(pytester)
    result.assert_outcomes(failed=3)
    result.stdout.no_fnmatch_line("*_refuse*")
    result.stdout.fnmatch_lines(
        [
            "*mockbroker timeline*",
            "orders-0  leader 1, leader epoch 0",
            "*[[]0 e0 #0[]]*",
            "+0.000s  orders-0 <- 0 e0 #0 (1 record): appended at 0, acknowledged;*",
            "*mockbroker journal*",
            "… 1 × connected*",
            "*Produce*orders-0*",
            "*mockbroker timeline*",
            "*test_fails_at_a_shared_one*",
            "*mockbroker timeline*",
            "(no batch came)",
        ],
        consecutive=False,
    )
