"""`afterwit sessions search`, and `show --at`, which opens a session at a match."""

import json
from pathlib import Path

from tests.cli.conftest import Run, claude_session, lines


def test_a_session_comes_with_its_title_and_its_matches_marked(learned: Run) -> None:
    done = learned("sessions", "search", "trees")
    first, *others = done.stdout.split("\n\n")
    title, facts, *matches = first.splitlines()
    assert title == "Count the trees"
    assert facts == "orchard · claude-code · May 1 10:00 · 5ea50001"
    assert matches == ["      0 prompt  Count the «trees»"]
    assert others
    assert all("«trees»" in other for other in others)
    assert done.stderr.splitlines()[0].endswith(f" matches in {1 + len(others)} sessions.")
    assert "`afterwit sessions show 5ea50001 --at 0` opens the first." in done.stderr


def test_the_json_shape_is_the_documented_one(learned: Run) -> None:
    answer = json.loads(learned("sessions", "search", "trees", "--json").stdout)
    assert set(answer) == {"query", "words", "found", "matches", "is_least", "is_newest", "sessions"}
    session = answer["sessions"][0]
    assert set(session) == {"id", "native_id", "agent", "repo", "title", "started_at", "found", "matches"}
    assert session["matches"] == [
        {
            "number": "0",
            "kind": "prompt",
            "happened_at": "2026-05-01T10:00:01.000Z",
            "offset": 0,
            "snippet": "Count the trees",
        }
    ]


def test_a_limit_is_one_of_sessions_and_another_of_their_matches(learned: Run) -> None:
    everything = json.loads(learned("sessions", "search", "trees", "--json").stdout)
    best = json.loads(learned("sessions", "search", "trees", "--limit", "1", "--matches", "1", "--json").stdout)
    assert (best["found"], best["matches"]) == (everything["found"], everything["matches"])
    assert [len(session["matches"]) for session in best["sessions"]] == [1]
    assert "--limit 0 shows all" in learned("sessions", "search", "trees", "--limit", "1").stderr


def test_words_with_too_many_matches_to_rank_are_said_to_be_so(run: Run, home: Path) -> None:
    long = [
        json.loads(claude_session("5ea50077", "A quince", "ls", day=2).splitlines()[0])
        | {"uuid": f"u{number}", "message": {"role": "user", "content": f"Quince {number}"}}
        for number in range(2_001)
    ]
    folder = home / ".claude" / "projects" / "-home-ada-src-orchard"
    (folder / "5ea50077.jsonl").write_text(lines(*long))
    (folder / "5ea50078.jsonl").write_text(claude_session("5ea50078", "One more quince", "ls", day=3))
    run("learn")
    done = run("sessions", "search", "quince", "--limit", "1")
    assert done.stdout.startswith("One more quince")
    assert "At least 2,000 matches in at least 2 sessions; the newest 1 session shown, newest first." in done.stderr
    answer = json.loads(run("sessions", "search", "quince", "--json", "--limit", "0").stdout)
    assert (answer["is_newest"], answer["is_least"], answer["matches"]) == (False, False, 2_002)
    assert "newest" not in run("sessions", "search", "trees").stderr


def test_a_session_is_opened_at_a_match(learned: Run) -> None:
    answer = json.loads(learned("sessions", "search", '"no rule"', "--kind", "output", "--json").stdout)
    (session,) = answer["sessions"]
    (match,) = session["matches"]
    assert match["kind"] == "result"
    shown = learned("sessions", "show", session["id"], "--at", match["number"]).stdout
    _, _, behind = shown.partition(f"── match {match['number']} ─")
    assert "no rule to make target" in behind
    assert "That is all." in behind


def test_a_number_that_a_session_does_not_have_is_wrong_use(learned: Run) -> None:
    done = learned("sessions", "show", "5ea50001", "--at", "77")
    assert (done.returncode, done.stdout) == (2, "")
    assert "has no match 77" in done.stderr
    assert learned("sessions", "show", "5ea50001", "--at", "0", "--json").returncode == 2


def test_times_are_local_unless_utc_is_asked_for(learned: Run) -> None:
    local = learned("sessions", "list", "--agent", "hermes", TZ="XYZ-05:45").stdout
    assert "May 4 16:00" in local
    assert "May 4 10:15" in learned("sessions", "list", "--agent", "hermes", "--utc", TZ="XYZ-05:45").stdout
    day = ("sessions", "cost", "--by", "day", "--json")
    assert learned(*day, TZ="XYZ-05:45").returncode == 0


def test_since_must_be_before_until(learned: Run) -> None:
    done = learned("sessions", "list", "--since", "2026-05-03", "--until", "2026-05-02")
    assert done.returncode == 2
    assert "no time is left between them" in done.stderr
