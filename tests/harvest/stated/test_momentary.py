import pytest

from afterwit.harvest.stated.statements import is_deictic, momentary


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("The release of 2026-03-04 broke it.", "a date"),
        ("Released on March 4, 2026 to all.", "a date"),
        ("The job starts at 14:30 every day.", "a time of day"),
        ("See 6e47bfce-57ce-48b6-912e-334e37d721de for more.", "an id"),
        ("Reverted in ffda090 again.", "a hash"),
        ("Closed by #46 last week.", "the number of an issue or a pull request"),
        ("As said in PR 12, pears float.", "the number of an issue or a pull request"),
        ("ORCH-112 asks for ripe pears.", "the key of a ticket"),
        ("Logs are in /tmp/press/out.log there.", "a temporary folder"),
        ("Logs are in /var/folders/ab/out.log there.", "a temporary folder"),
        ("Read /home/pip/notes.md first.", "a home folder"),
        (r"Read C:\Users\pip\notes.md first.", "a home folder"),
        ("Rebase feature/ripe-pears first.", "a branch"),
        ("Open localhost:49152 to see it.", "a port of the moment"),
        ("See press.ts:12 for the reason.", "a line of a file"),
        ("The name on line 12 is wrong.", "a line of a file"),
    ],
)
def test_a_text_about_one_moment_is_told_by_what_binds_it(text: str, what: str) -> None:
    assert momentary(text) == what


@pytest.mark.parametrize(
    "text",
    [
        "Use `uv run pytest -q` for the tests.",
        "Files are read as UTF-8 and hashed with SHA-256.",
        "Open localhost:3000 to see the orchard.",
        "The press takes 12 crates, never 13.",
        "`deadline` and `feedface` are names.",
        "Rules E501 and SA4006 are switched off.",
        "Compare with origin/main before a push.",
        "Put the fix in `fix/` only if `src/fix/press.ts` has none.",
        "Node 20.11.1 is needed.",
    ],
)
def test_a_lasting_text_is_bound_to_no_moment(text: str) -> None:
    assert momentary(text) == ""


@pytest.mark.parametrize(
    "text",
    [
        "Never touch this branch.",
        "We should skip it for now.",
        "It always fails here.",
        "Use the previous approach.",
        "As discussed, pears come first.",
        "Press is slow now, so wait.",
        "You suggested to always prune.",
    ],
)
def test_pointing_words_are_noticed(text: str) -> None:
    assert is_deictic(text)


@pytest.mark.parametrize(
    "text", ["From now on, prune in winter.", "Use `this.press` in classes.", "Pears are pressed whole."]
)
def test_words_that_only_look_like_pointing_are_not(text: str) -> None:
    assert not is_deictic(text)
