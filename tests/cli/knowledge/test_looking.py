"""`afterwit knowledge list`, `show`, `why`, `search` and `rejected`: what they print."""

import json
from pathlib import Path

from tests.cli.conftest import Run
from tests.cli.knowledge.conftest import ITEM
from tests.knowledge_home import FACT

SHAPE = {
    *("id", "fact", "category", "scope", "repo", "confidence", "status", "authority", "channel", "harvester", "saves"),
    *("first_seen", "last_seen", "worded", "triggers", "advice", "stories", "reason", "merged", "is_pinned"),
    *("contradicts", "words_of", "is_known_to_host", "host_lines", "told"),
}


def test_items_are_listed_with_where_they_hold(knowing: Run) -> None:
    done = knowing("knowledge", "list")
    header, _, row = done.stdout.splitlines()
    assert header.split() == ["id", "rests", "on", "applies", "to", "category", "told", "note"]
    assert row.split()[:9] == [ITEM, "worked", "in", "3", "sessions", "orchard", "tool-quirk", "at", "start"]
    assert row.endswith(FACT)
    assert done.stderr == "1 note.\n"


def test_the_figure_that_notes_are_ranked_by_is_shown_to_whoever_asks(knowing: Run) -> None:
    for words in (("list",), ("search", "make")):
        header, _, row = knowing("knowledge", *words, "--explain").stdout.splitlines()
        assert header.split()[:2] == ["id", "conf"]
        assert row.split()[1] == "0.75"


def test_the_list_has_the_documented_shape(knowing: Run) -> None:
    found = json.loads(knowing("knowledge", "list", "--json").stdout)
    assert (found["found"], found["by_status"]) == (1, {"active": 1})
    assert set(found["items"][0]) == SHAPE


def test_where_nothing_fits_it_says_what_there_is(knowing: Run) -> None:
    done = knowing("knowledge", "list", "--status", "quarantined")
    assert done.stdout == ""
    assert "No notes match. There are: 1 in use." in done.stderr
    assert knowing("knowledge", "list", "--repo", "harbour").stdout == ""
    assert ITEM in knowing("knowledge", "list", "--repo", "orch*").stdout


def test_where_nothing_was_learned_it_says_what_to_do(run: Run) -> None:
    done = run("knowledge", "list")
    assert (done.returncode, "Run `afterwit learn` first" in done.stderr) == (1, True)


def test_one_item_is_shown_by_the_beginning_of_its_id(knowing: Run) -> None:
    done = knowing("knowledge", "show", ITEM[:4])
    assert done.stdout.splitlines()[0] == FACT
    assert "status      in use: seen in 3 independent sessions" in done.stdout
    assert "shown when  command: rtk make" in done.stdout
    assert set(json.loads(knowing("knowledge", "show", ITEM, "--json").stdout)) == SHAPE | {"evidence"}


def test_the_line_of_the_file_that_holds_a_note_back_is_named(knowing: Run, home: Path) -> None:
    folder = home / ".claude"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "CLAUDE.md").write_text("# Mine\n\nCall `rtk make`, not `make`.\n")
    knowing("learn")
    reason = ".claude/CLAUDE.md, line 3, says otherwise"
    assert f"not told    {reason}" in knowing("knowledge", "show", ITEM).stdout
    assert f"Not told: {reason}" in knowing("knowledge", "why", ITEM).stdout
    listed = knowing("knowledge", "list").stdout
    assert "[AGENTS.md says otherwise]" in listed
    assert " never " in listed
    assert "No agent is told a note that a file contradicts" in knowing("knowledge", "reconcile").stderr


def test_an_unknown_item_is_wrong_use(knowing: Run) -> None:
    done = knowing("knowledge", "show", "ffff")
    assert (done.returncode, done.stderr.strip()) == (
        2,
        "afterwit: No note 'ffff'. `afterwit knowledge list` shows what there is.",
    )


def test_a_mistyped_id_is_answered_with_the_nearest(knowing: Run) -> None:
    wrong = ITEM[:7] + ("0" if ITEM[7] != "0" else "1")
    assert f"No note {wrong!r}. Did you mean {ITEM}?" in knowing("knowledge", "show", wrong).stderr


def test_why_shows_each_piece_with_its_words_and_how_to_open_its_session(knowing: Run) -> None:
    done = knowing("knowledge", "why", ITEM)
    assert done.stdout.count("  > rtk make count") == 3
    for session in ("s1", "s2", "s3"):
        assert f"  afterwit sessions show {session}\n" in done.stdout
    assert knowing("sessions", "show", "s2").returncode == 0
    found = json.loads(knowing("knowledge", "why", ITEM, "--json").stdout)
    assert set(found) == {"item", "speaks_for", "speaks_against", "evidence", "decisions"}
    assert set(found["evidence"][0]) == {
        *("agent", "session", "channel", "date", "step", "excerpt", "is_against", "story", "source", "repo", "version"),
        *("edits", "is_here"),
    }


def test_items_are_found_by_words(knowing: Run) -> None:
    assert ITEM in knowing("knowledge", "search", "rtk", "fails").stdout
    assert ITEM in knowing("knowledge", "search", "failing").stdout
    missed = knowing("knowledge", "search", "tomatoes")
    assert (missed.stdout, "No notes match" in missed.stderr) == ("", True)
    assert json.loads(knowing("knowledge", "search", "rtk", "--json").stdout)["found"] == 1


def test_what_was_kept_out_is_counted_by_reason(knowing: Run) -> None:
    assert json.loads(knowing("knowledge", "rejected", "--json").stdout) == []
    assert "Nothing was kept out" in knowing("knowledge", "rejected").stderr
    assert knowing("knowledge", "rejected", "--reason", "boredom").returncode == 2


def test_why_takes_a_line_of_the_brief_and_shows_the_notes_that_it_rests_on(knowing: Run, tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("## How the user wants it\n\n- Be kind to the trees.\n", encoding="utf-8")
    assert knowing("brief", "edit", "orchard", "--from", str(page)).returncode == 0
    shown = json.loads(knowing("brief", "show", "orchard", "--json").stdout)["lines"]
    (own,) = (line for line in shown if line["text"] == "Be kind to the trees.")
    assert knowing("knowledge", "why", own["id"][:8]).stdout == "Be kind to the trees.\na person's own line\n"
    for line in shown:
        told = json.loads(knowing("knowledge", "why", line["id"], "--json").stdout)
        assert told["line"] == line["text"]
        assert [note["item"]["id"] for note in told["notes"]] == line["notes"]
