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


def run(
    looker: Looker, button: str, values: dict[str, str] | None = None, *, last: bool = False
) -> str:
    """Run a command in its dialog, and return the Python that it shows."""
    found = looker.page.get_by_role("button", name=button, exact=True)
    (found.last if last else found.first).click()
    dialog = looker.page.locator("dialog")
    for name, value in (values or {}).items():
        field = dialog.locator(f"[name='{name}']")
        if field.evaluate("each => each.tagName") == "SELECT":
            field.select_option(value)
        else:
            field.fill(value)
    code = dialog.locator("pre").first.inner_text()
    dialog.locator("button.primary").click()
    expect(dialog).to_have_count(0)
    return code


def clock_mode(cluster: Cluster) -> str:
    return cluster.clock.mode


def test_the_clock_is_advanced_and_frozen(looker: Looker, cluster: Cluster) -> None:
    looker.open().live()
    assert run(looker, "Advance", {"by": "7d"}) == 'cluster.clock.advance("7d")'
    assert cluster.clock.ahead_ms >= 7 * 86_400_000
    assert run(looker, "Freeze") == "cluster.clock.freeze()"
    assert clock_mode(cluster) == "manual"
    assert run(looker, "Resume") == "cluster.clock.resume()"
    assert clock_mode(cluster) == "offset"


def test_a_transaction_is_held_stepped_and_released(looker: Looker, cluster: Cluster) -> None:
    looker.open("transactions/billing").live()
    run(looker, "Hold the end")
    commit(cluster, "billing")
    assert cluster.transaction("billing").state == "PrepareCommit"
    assert run(looker, "Step") == 'cluster.transaction("billing").step()'
    run(looker, "Release")
    assert cluster.transaction("billing").state == "CompleteCommit"
    code = run(looker, "Move the coordinator", {"to": "3"})
    assert code == 'cluster.move_coordinator("billing", to=3)'
    assert cluster.coordinator_of("billing") == 3
    looker.open("transactions/open")
    run(looker, "Abort")
    assert cluster.transaction("open").state == "CompleteAbort"
    run(looker, "Expire")
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
    assert looker.heading() == "billing"
    delayed.pop().continue_()
    looker.page.get_by_role("button", name="Abort", exact=True).click()
    expect(looker.page.locator("dialog pre").first).to_contain_text('"open"')
    expect(main).not_to_have_attribute("inert", "")


def test_a_group_is_held_fenced_and_moved(looker: Looker, cluster: Cluster) -> None:
    looker.open("groups/readers").live()
    group = cluster.group("readers")
    run(looker, "Hold assignments")
    assert group.is_held
    run(looker, "Release")
    assert not group.is_held
    code = run(looker, "Move the coordinator", {"to": "2"})
    assert code == 'cluster.move_coordinator(group="readers", to=2)'
    assert group.coordinator == 2
    assert run(looker, "Fence") == 'cluster.group("readers").fence("reader-1")'
    assert not group.members


def test_a_leader_is_elected(looker: Looker, cluster: Cluster) -> None:
    looker.open("topics/orders/0").live()
    assert run(looker, "Elect a leader", {"to": "2"}) == 'cluster.partition("orders", 0).elect(2)'
    assert cluster.partition("orders", 0).leader == 2


def test_brokers_are_killed_and_started(looker: Looker, cluster: Cluster) -> None:
    looker.open("brokers").live()
    for button, code, state in [
        ("Kill", "cluster.kill(3)", "killed"),
        ("Start", "cluster.start(3)", "running"),
        ("Isolate", "cluster.isolate(3)", "isolated"),
        ("Rejoin", "cluster.rejoin(3)", "running"),
        ("Stop", "cluster.stop_broker(3)", "stopped"),
    ]:
        assert run(looker, button, last=True) == code
        expect(looker.row("brokers", state).last).to_contain_text("3")
        assert cluster.brokers[2].state.value == state


def test_a_fault_is_made_by_the_form_as_by_its_python(looker: Looker, cluster: Cluster) -> None:
    looker.open("faults").live()
    values = {
        "id": "refuse",
        "effect": "answer",
        "error": "NOT_LEADER_OR_FOLLOWER",
        "trigger": "on_call",
        "number": "2",
        "match-topic": "orders",
        "match-partition": "1",
    }
    code = run(looker, "Add a fault", values)
    expect(looker.row("faults", "refuse")).to_be_visible()
    made = cluster.faults[-1]
    shown = Http(cluster).get("/faults/refuse")
    made.remove()
    evaluate(code, cluster)
    assert Http(cluster).get("/faults/refuse") == shown
    run(looker, "Remove", last=True)
    assert [fault.name for fault in cluster.faults] == ["lost-ack", "slow-heart"]


def evaluate(code: str, cluster: Cluster) -> None:
    eval(code, {"cluster": cluster})


def test_the_form_offers_only_what_the_api_can_carry(looker: Looker) -> None:
    looker.open("faults?api=Heartbeat").live()
    looker.page.get_by_role("button", name="Add a fault").click()
    dialog = looker.page.locator("dialog")
    assert dialog.locator("[name='match-group']").count() == 1
    assert dialog.locator("[name='match-topic']").count() == 0
    effects = dialog.locator("[name='effect'] option").all_inner_texts()
    assert "answer" in effects
    assert "corrupt" not in effects
    assert "UNKNOWN_MEMBER_ID" in dialog.locator("[name='error'] option").all_inner_texts()
    looker.keep("fault-form")
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
    words = shlex.split(line)
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
    run(looker, "Advance", {"by": "7d"})
    looker.page.get_by_role("button", name="Copy as a scenario").click()
    dialog = looker.page.locator("dialog")
    document = json.loads(dialog.locator("pre").inner_text())
    assert document == Http(cluster).get("/scenario")["scenario"]
    assert "7d" in json.dumps(document)
    looker.keep("scenario")
    assert looker.violations() == []
