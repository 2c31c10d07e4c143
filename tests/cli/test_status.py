"""`afterwit status`, and `afterwit` alone: whether it lives."""

import json
import os
import time
from pathlib import Path
from typing import Any

import pytest
from tests.cli.conftest import Run, claude_session
from tests.knowledge_home import learnable_home
from tests.repeated_home import AGAIN, TEXT, Told

from afterwit.config.calendar import Calendar
from afterwit.store import spool

LABELS = ["does it pay", "last learned", "last told", "waiting", "vanishing", "alarms", "data"]
HOUR_MS = 3_600_000


def now_ms() -> int:
    return time.time_ns() // 1_000_000


@pytest.fixture
def draw(tmp_path: Path) -> Any:
    """Lets hooks say something, so many hours ago."""

    def draws(session: str, hours: float, **more: Any) -> None:
        record = {"kind": "draw", "at": now_ms() - int(hours * HOUR_MS), "agent": "claude-code", "session": session}
        record |= {"moment": "after", "items": {"a": 1}, "repo": "github.com/acme/orchard", "text": "- a note"}
        spool.append(tmp_path / "store" / "spool", "claude-code", session, record | more)

    return draws


def told(run: Run) -> dict[str, str]:
    done = run("status")
    assert (done.returncode, done.stderr) == (0, "")
    return {line[:14].strip(): line[14:] for line in done.stdout.splitlines()}


@pytest.mark.usefixtures("learned")
def test_it_says_what_was_learned_last_and_where_data_is_stored(run: Run, tmp_path: Path) -> None:
    lines = told(run)
    assert list(lines) == LABELS
    assert lines["last learned"].endswith(": 5 new sessions, 0 new notes")
    assert lines["data"].startswith(f"{tmp_path / 'store'}: 5 sessions, database ")
    assert lines["alarms"].startswith("none")


@pytest.mark.usefixtures("learned")
def test_a_run_without_news_leaves_the_last_news_in_sight(run: Run) -> None:
    run("learn")
    assert "nothing new; before that, " in told(run)["last learned"]
    assert told(run)["last learned"].endswith(": 5 new sessions, 0 new notes")


@pytest.mark.usefixtures("learned")
def test_where_nothing_was_ever_said_it_says_how_to_find_out_why(run: Run) -> None:
    assert told(run)["last told"].startswith("never. `afterwit connect status`")


@pytest.mark.usefixtures("learned")
def test_the_last_word_is_told_before_and_after_it_is_learned(run: Run, draw: Any) -> None:
    draw("s1", 2, moment="start")
    draw("s2", 1)
    before = told(run)["last told"]
    assert before.endswith(" in orchard, after a failure (claude-code)")
    run("learn")
    assert told(run)["last told"] == before


@pytest.mark.usefixtures("learned")
def test_a_session_that_was_skipped_on_purpose_is_not_the_last_word(run: Run, draw: Any) -> None:
    draw("told", 2, moment="start")
    draw("skipped", 1, moment="after", held=1, text="", would="- a note")
    assert told(run)["last told"].endswith(" in orchard, at the start of a session (claude-code)")


@pytest.mark.usefixtures("learned")
def test_sessions_skipped_on_purpose_are_counted_once_and_can_be_switched_off(run: Run, draw: Any) -> None:
    for session, hours, is_held in (("s1", 1, 1), ("s1", 2, 1), ("s2", 1, 0), ("s3", 24 * 8, 1)):
        draw(session, hours, held=is_held, text="" if is_held else "- a note")
    line = told(run)["skipped"]
    assert line.startswith("1 of 2 sessions in the last 7 days, on purpose, to compare; `afterwit measure skipping ")
    run("learn")
    assert told(run)["skipped"] == line
    run("measure", "skipping", "--sessions", "0", "--notes", "0")
    assert told(run)["skipped"] == "nothing: every session is told everything"


@pytest.mark.usefixtures("learned")
def test_whether_it_helps_comes_first_in_plain_words(run: Run, draw: Any, home: Path) -> None:
    assert told(run)["does it pay"].startswith("No evidence yet: nothing was told. ")
    (session, *_) = (path.stem for path in sorted(home.glob(".claude/projects/*/*.jsonl")))
    draw(session, 1, moment="start", arm="told", odds={"held": 0.1, "told": 0.9}, item_odds=0.9)
    run("learn")
    assert told(run)["does it pay"].startswith(
        "In 7 days 1 session was told about 2 tokens. No evidence yet: 1 session is too few to tell."
    )


@pytest.mark.usefixtures("learned")
def test_what_was_told_and_obeyed_is_counted_before_and_after_it_is_learned(run: Run, draw: Any) -> None:
    draw("s1", 24 * 8)
    draw("s1", 3, text="- a note\n" * 400)
    draw("s2", 3, moment="before", act="check", text="Stopped.\n" * 50)
    draw("s2", 2, moment="before", act="check", text="Stopped.\n" * 50)
    draw("s2", 1, moment="before", act="repeated", text="")
    draw("s3", 1, moment="start", held=1, text="", would="- a note")
    said = "In 7 days 2 sessions were told about 1.1k tokens; 1 of 2 stopped calls obeyed. No evidence yet: "
    assert told(run)["does it pay"].startswith(said)
    run("learn")
    assert told(run)["does it pay"].startswith(said)


@pytest.mark.usefixtures("learned")
def test_it_never_says_that_nothing_was_told_beside_when_it_last_spoke(run: Run, draw: Any) -> None:
    odds = {"held": 0.1, "told": 0.9}
    draw("unread", 1, moment="start", arm="told", odds=odds)
    draw("unread-too", 1, moment="start", arm="held", odds=odds, held=1, text="")
    for _ in range(2):  # before the comparison of the day, and after it
        lines = told(run)
        assert lines["last told"].endswith(" in orchard, at the start of a session (claude-code)")
        assert lines["skipped"].startswith("1 of 2 sessions ")
        helps = "No evidence yet: of the sessions that were told something or skipped"
        assert lines["does it pay"].startswith(f"In 7 days 1 session was told about 2 tokens. {helps}")
        run("learn")


def test_what_waits_is_counted(run: Run, home: Path) -> None:
    learnable_home(home, sessions=1)
    run("learn")
    assert told(run)["waiting"] == "1 note waits; 0 notes in use. `afterwit review` shows what waits."


def test_logs_that_will_vanish_unread_are_named_with_the_day(run: Run, home: Path) -> None:
    run("learn")
    assert told(run)["vanishing"] == "no log is lost: 2 logs of claude-code were read before the agent deletes them"
    log = home / ".claude" / "projects" / "-home-ada-src-orchard" / "5ea50009.jsonl"
    log.write_text(claude_session("5ea50009", "Pick", "make pick"), encoding="utf-8")
    yesterday = time.time() - 86_400
    os.utime(log, (yesterday, yesterday))
    day = Calendar(now_ms()).day(int((yesterday + 30 * 86_400) * 1_000))
    line = told(run)["vanishing"]
    assert line == (f"the agents will delete 1 log not read yet, the first on {day}: run `afterwit learn`")


@pytest.mark.usefixtures("learned")
def test_an_alarm_is_told_and_the_exit_code_stays(run: Run, tmp_path: Path) -> None:
    (tmp_path / "store").chmod(0o755)
    lines = told(run)
    assert "can be read by others" in lines["alarm"]
    assert "alarms" not in lines


@pytest.mark.usefixtures("learned")
def test_its_json_has_the_documented_shape(run: Run, draw: Any) -> None:
    draw("s1", 1)
    shape = json.loads(run("status", "--json").stdout)
    assert {name: set(value) if isinstance(value, dict) else value for name, value in shape.items()} == {
        "learned": {"last_run_at", "news_at", "sessions", "new_sessions", "new_notes"},
        "spoke": {"happened_at", "agent", "repo", "moment", "act"},
        "told": {"days", "sessions", "tokens", "stopped", "made_again"},
        "comparison": {"days", "sessions", "skipped", "session_share", "item_share", "arms"},
        "notes": {"active", "needs_approval", "waiting"},
        "vanishing": {"agents", "uncaptured", "vanishes_at", "captured"},
        "reading": {"cost_usd", "cap_usd", "unpriced_tokens", "cap_tokens", "unanswered", "failed"},
        "effect": None,
        "backup": None,
        "repeated": [],
        "findings": [],
        "stored": {"root", "sessions", "database_bytes", "archive_bytes"},
    }


def test_without_a_store_it_says_what_to_do(run: Run) -> None:
    done = run("status")
    assert done.returncode == 1
    assert "Run `afterwit learn` first." in done.stderr


@pytest.mark.usefixtures("learned")
def test_alone_the_command_shows_it_and_where_help_is(run: Run) -> None:
    alone = run()
    assert (alone.returncode, alone.stderr) == (0, "")
    assert alone.stdout == f"{run('status').stdout}\n`afterwit --help` shows what else there is.\n"


@pytest.mark.usefixtures("learned")
def test_it_changes_nothing(run: Run, tmp_path: Path) -> None:
    before = kept(tmp_path / "store")
    run("status")
    assert kept(tmp_path / "store") == before


def kept(store: Path) -> dict[Path, bytes]:
    """All files but those that SQLite makes for whoever reads."""
    files = (path for path in store.rglob("*") if path.is_file() and not path.name.endswith(("-shm", "-wal")))
    return {path: path.read_bytes() for path in files}


def test_a_line_that_had_to_be_said_again_is_asked_about(run: Run, tmp_path: Path) -> None:
    home = Told(tmp_path)
    for number in (1, 2):
        home.session(number, AGAIN)
    assert run("learn").returncode == 0
    assert told(run)["asked again"] == (
        f"“{TEXT}” told in 2 sessions, asked for again in 2: make it a check? `afterwit checks add`"
    )
    (line,) = json.loads(run("status", "--json").stdout)["repeated"]
    assert (line["text"], line["told"], line["again"], line["quote"]) == (TEXT, 2, 2, AGAIN)
    page = json.loads(run("brief", home.repo, "--json").stdout)
    assert [(said["told"], said["asked_again"]) for said in page["lines"]] == [(2, 2)]
