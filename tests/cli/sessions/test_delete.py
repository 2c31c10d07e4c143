"""`afterwit sessions delete`, `config exclude` and `learn --again`, as people use them."""

import json

import pytest
from tests.cli.conftest import Run


@pytest.mark.usefixtures("learned")
def test_the_plan_is_shown_and_nothing_goes_without_an_answer(run: Run) -> None:
    asked = run("sessions", "delete", "5ea50001")
    assert asked.returncode == 1
    assert "5ea50001" in asked.stdout
    assert "--log-too deletes logs" in asked.stdout
    assert "This cannot be undone" in asked.stderr
    assert "Use --yes" in asked.stderr
    assert json.loads(run("sessions", "list", "--json").stdout)["found"] == 5


@pytest.mark.usefixtures("learned")
def test_a_deleted_session_is_gone_and_can_be_asked_for_again(run: Run) -> None:
    done = run("sessions", "delete", "5ea50001", "--yes", "--json")
    assert done.returncode == 0, done.stderr
    assert [session["session"] for session in json.loads(done.stdout)["sessions"]] == ["5ea50001"]
    assert "afterwit learn --again" in done.stderr
    assert "5ea50001" not in run("learn").stdout + run("sessions", "list").stdout
    again = run("learn", "--again", "5ea50001")
    assert again.returncode == 0, again.stderr
    assert "5ea50001" in run("sessions", "list").stdout


@pytest.mark.usefixtures("learned")
def test_wrong_use_says_what_to_do(run: Run) -> None:
    assert "by an option such as --repo" in run("sessions", "delete").stderr
    assert "No session 'nobody'" in run("sessions", "delete", "nobody").stderr
    assert "Give its whole id" in run("learn", "--again", "nobody").stderr
    nothing = run("sessions", "delete", "--until", "2020-01-01")
    assert (nothing.returncode, "No sessions match" in nothing.stderr) == (1, True)


def test_an_exclusion_is_written_shown_and_kept_to(run: Run) -> None:
    written = run("config", "exclude", "agent:codex", "repo:orchard")
    assert written.stdout.splitlines() == ["agent:codex", "repo:orchard"]
    assert 'learn.exclude = ["agent:codex", "repo:orchard"]' in run("config", "show").stdout
    learned = run("learn")
    assert "4 sessions left out by your settings." in learned.stdout
    assert "The store holds 1 session." in learned.stdout
    run("config", "exclude", "agent:codex", "repo:orchard", "--remove")
    assert "The store holds 5 sessions." in run("learn").stdout


@pytest.mark.usefixtures("learned")
def test_stored_sessions_that_are_left_out_now_are_pointed_out(run: Run) -> None:
    run("config", "exclude", "agent:codex")
    learned = run("learn")
    assert "`afterwit sessions delete --excluded` erases them" in learned.stderr
    assert run("sessions", "delete", "--excluded", "--yes").returncode == 0
    assert "sessions delete --excluded" not in run("learn").stderr


@pytest.mark.usefixtures("learned")
def test_nothing_is_recalled_where_it_is_left_out(run: Run) -> None:
    run("config", "exclude", "repo:orchard")
    refused = run("recall", "--repo", "orchard")
    assert refused.returncode == 2
    assert "your settings leave it out" in refused.stderr
