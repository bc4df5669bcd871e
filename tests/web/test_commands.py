"""Every command of the page in a real browser, and the Python that it shows."""

import json
import shlex
from collections.abc import Generator
from typing import Final

import pytest
from playwright.sync_api import Browser, Route, expect

from mockbroker import Cluster
from tests.support.browser import Looker, looking
from tests.support.http import Http
from tests.support.seen_cluster import commit

pytestmark = [pytest.mark.browser, pytest.mark.slow]

TOKEN: Final = "open-sesame"
DAY_MS: Final = 86_400_000


def clock_mode(cluster: Cluster) -> str:
    return cluster.clock.mode


def test_the_clock_is_advanced_set_and_frozen(looker: Looker, cluster: Cluster) -> None:
    looker.open().live()
    assert looker.run("Advance", {"by": "7d"}) == 'cluster.clock.advance("7d")'
    assert cluster.clock.ahead_ms >= 7 * DAY_MS
    assert looker.run("Freeze") == "cluster.clock.freeze()"
    assert clock_mode(cluster) == "manual"
    at_ms = cluster.clock.now_ms + DAY_MS
    code = looker.run("Set", {"now": str(at_ms), "sessions": "end"})
    assert code == f"cluster.clock.set({at_ms}, keep_sessions=False)"
    assert cluster.clock.now_ms == at_ms
    assert looker.run("Resume") == "cluster.clock.resume()"
    assert clock_mode(cluster) == "offset"


def test_a_transaction_is_held_stepped_and_released(looker: Looker, cluster: Cluster) -> None:
    looker.open("transactions/billing").live()
    looker.run("Hold the end")
    commit(cluster, "billing")
    assert cluster.transaction("billing").state == "PrepareCommit"
    assert looker.run("Step") == 'cluster.transaction("billing").step()'
    looker.run("Release")
    assert cluster.transaction("billing").state == "CompleteCommit"
    values = {"steps": "marker", "topic": "orders", "partition": "1"}
    code = looker.run("Hold the end", values)
    assert code == 'cluster.transaction("billing").hold_ending("orders", 1)'
    code = looker.run("Move the coordinator", {"to": "3"}, of="transactional id billing")
    assert code == 'cluster.move_coordinator("billing", to=3)'
    assert cluster.coordinator_of("billing") == 3
    looker.open("transactions/open")
    looker.run("Abort")
    assert cluster.transaction("open").state == "CompleteAbort"
    looker.run("Expire", of="transactional id open")
    with pytest.raises(LookupError):
        _ = cluster.transaction("open").state
    looker.errors.clear()  # the view of an expired id is a 404, which browsers log


def test_no_command_of_the_old_view_runs_while_the_next_one_loads(looker: Looker) -> None:
    looker.open("transactions/billing").live()
    delayed: list[Route] = []

    def delay(route: Route) -> None:
        delayed.append(route)

    looker.page.route("**/api/v1/transactions/open", delay)
    looker.page.evaluate("location.hash = '#/transactions/open'")
    main = looker.page.locator("main")
    expect(main).to_have_attribute("inert", "")
    while not delayed:  # a call of the page receives what the browser tells
        assert looker.heading() == "billing"
    assert looker.heading() == "billing"
    delayed.pop().continue_()
    looker.page.get_by_role("button", name="Abort", exact=True).click()
    expect(looker.page.locator("dialog pre").first).to_contain_text('"open"')
    expect(main).not_to_have_attribute("inert", "")


def test_markers_are_delayed(looker: Looker, cluster: Cluster) -> None:
    looker.open("transactions").live()
    cluster.clock.freeze()
    assert looker.run("Delay markers", {"by": "3s"}) == 'cluster.delay_markers("3s")'
    commit(cluster, "billing")
    assert cluster.transaction("billing").state == "PrepareCommit"
    cluster.clock.advance("3s")
    assert cluster.transaction("billing").state == "CompleteCommit"
    code = looker.run("Delay markers", {"by": "0ms", "probability": "0.5"})
    assert code == 'cluster.delay_markers("0ms", probability=0.5)'


def test_a_group_is_held_fenced_and_moved(looker: Looker, cluster: Cluster) -> None:
    looker.open("groups/readers").live()
    group = cluster.group("readers")
    looker.run("Hold assignments")
    assert group.is_held
    assert looker.run("Step") == 'cluster.group("readers").step("reader-1")'
    looker.run("Release")
    assert not group.is_held
    code = looker.run("Move the coordinator", {"to": "2"}, of="group readers")
    assert code == 'cluster.move_coordinator(group="readers", to=2)'
    assert group.coordinator == 2
    assert looker.run("Fence") == 'cluster.group("readers").fence("reader-1")'
    assert not group.members


def test_brokers_are_killed_and_started(looker: Looker, cluster: Cluster) -> None:
    looker.open("brokers").live()
    for button, of, code, state in [
        ("Kill", None, "cluster.kill(3)", "killed"),
        ("Start", None, "cluster.start(3)", "running"),
        ("Isolate", "broker 3", "cluster.isolate(3)", "isolated"),
        ("Rejoin", None, "cluster.rejoin(3)", "running"),
        ("Stop", None, "cluster.stop_broker(3)", "stopped"),
    ]:
        assert looker.run(button, of=of, last=True) == code
        expect(looker.row("brokers", state)).to_have_count(3 if state == "running" else 1)
        assert cluster.brokers[2].state.value == state
    code = looker.run("Start", {"snapshot": "none"})
    assert code == 'cluster.start(3, producer_snapshot="none")'


def test_a_broker_lags_and_crashes(looker: Looker, cluster: Cluster) -> None:
    looker.open("brokers").live()
    leader = cluster.partition("orders", 1).leader
    (follower, *_) = {1, 2, 3} - {leader}
    replica = cluster.partition("orders", 1).replica(follower)
    assert looker.run("Lag", of=f"broker {follower}") == f"cluster.lag({follower})"
    assert not replica.fetches
    assert looker.run("Catch up", of=f"broker {follower}") == f"cluster.catch_up({follower})"
    assert replica.fetches
    assert looker.run("Crash", of=f"broker {follower}") == f"cluster.crash({follower})"
    assert cluster.brokers[follower - 1].state.value == "running"


def test_the_cluster_is_flushed_crashed_and_reset(looker: Looker, cluster: Cluster) -> None:
    looker.open("brokers").live()
    partition = cluster.partition("orders", 2)
    cluster.append("orders", "kept", partition=2)
    assert looker.run("Flush") == "cluster.flush()"
    cluster.append("orders", "lost", partition=2)
    assert looker.run("Crash all brokers", of="the cluster") == "cluster.crash()"
    assert partition.log_end_offset == 1
    assert looker.run("Set the seed", {"seed": "7"}, of="the cluster") == "cluster.seed(7)"
    assert cluster.drawn_from == 7
    assert looker.run("Reset", of="the cluster") == "cluster.reset()"
    assert partition.log_end_offset == 0
    looker.open("topics/orders").live()
    cluster.append("orders", "new", partition=2)
    expect(looker.row("partitions", "2").locator("td").last).not_to_have_text("0 B")


def test_a_menu_is_used_by_the_keyboard(looker: Looker) -> None:
    looker.open("brokers").live()
    more = looker.page.get_by_role("button", name="More commands of broker 2")
    more.focus()
    looker.page.keyboard.press("Enter")
    menu = looker.page.get_by_role("menu")
    expect(menu.get_by_role("menuitem", name="Isolate")).to_be_focused()
    for key, item in [("ArrowDown", "Lag"), ("End", "Crash"), ("ArrowDown", "Isolate")]:
        looker.page.keyboard.press(key)
        expect(menu.get_by_role("menuitem", name=item)).to_be_focused()
    looker.keep("menu")
    assert looker.violations() == []
    looker.page.keyboard.press("Escape")
    expect(menu).to_have_count(0)
    expect(more).to_be_focused()
    looker.page.keyboard.press("Enter")
    looker.page.keyboard.press("End")
    looker.page.keyboard.press("Enter")
    expect(looker.page.locator("dialog h2")).to_have_text("Crash broker 2")
    looker.keep("dialog-of-a-dangerous-command")
    assert looker.violations() == []


def test_a_refused_command_says_why_and_stays(looker: Looker) -> None:
    looker.open().live()
    looker.page.get_by_role("button", name="Advance").click()
    dialog = looker.page.locator("dialog")
    dialog.locator("[name='by']").fill("soon")
    dialog.locator("button.primary").click()
    expect(dialog.get_by_role("alert")).to_contain_text("soon")
    looker.errors.clear()  # browsers log a 422


def test_the_shown_curl_does_the_same(looker: Looker, cluster: Cluster) -> None:
    looker.open().live()
    looker.page.get_by_role("button", name="Advance").click()
    looker.page.locator("dialog [name='by']").fill("1h")
    line = looker.page.locator("dialog pre").last.inner_text()
    words = shlex.split(line.replace("\\\n", ""))
    assert words[:3] == ["curl", "-X", "POST"]
    body, url = words[words.index("-d") + 1], words[-1]
    http = Http(cluster)
    assert url == f"{cluster.admin_url}/api/v1/clock/advance"
    assert http.ask("POST", "/clock/advance", body.encode()).status == 200
    assert cluster.clock.ahead_ms >= 3_600_000


@pytest.fixture
def guarded(monkeypatch: pytest.MonkeyPatch) -> Generator[Cluster]:
    """A cluster whose commands need a token."""
    monkeypatch.setenv("MOCKBROKER_ADMIN_TOKEN", TOKEN)
    with Cluster(topics={"orders": 1}, admin_port=0) as cluster:
        yield cluster


def test_commands_need_a_login_where_a_token_is_set(browser: Browser, guarded: Cluster) -> None:
    with looking(browser, guarded) as looker:
        looker.open().live()
        looker.page.get_by_role("button", name="Advance").click()
        dialog = looker.page.locator("dialog")
        dialog.get_by_label("Token").fill("wrong")
        dialog.get_by_role("button", name="Log in").click()
        expect(dialog.get_by_role("alert")).to_contain_text("not the token")
        dialog.get_by_label("Token").fill(TOKEN)
        dialog.get_by_role("button", name="Log in").click()
        looker.errors.clear()  # browsers log the 401
        dialog.locator("[name='by']").fill("1h")
        expect(dialog.locator("pre").last).to_contain_text("Authorization: Bearer")
        assert TOKEN not in dialog.inner_text()
        dialog.locator("button.primary").click()
        expect(looker.page.locator("#toasts")).to_contain_text("The clock was advanced.")
        assert guarded.clock.ahead_ms >= 3_600_000
        (cookie,) = looker.page.context.cookies()
        assert (cookie["sameSite"], cookie["httpOnly"]) == ("Strict", True)
        assert TOKEN not in cookie["value"]


def test_what_was_done_is_copied_as_a_scenario(looker: Looker, cluster: Cluster) -> None:
    looker.open("events").live()
    looker.run("Advance", {"by": "7d"})
    looker.page.get_by_role("button", name="Copy as a scenario").click()
    dialog = looker.page.locator("dialog")
    document = json.loads(dialog.locator("pre").inner_text())
    assert document == Http(cluster).get("/scenario")["scenario"]
    assert "7d" in json.dumps(document)
    looker.keep("scenario")
    assert looker.violations() == []
