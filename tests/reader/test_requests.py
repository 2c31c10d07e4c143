"""Requests: parts of bounded size, and ids that stay."""

import pytest
from tests.reader.talks import line

from afterwit.model.errors import ConfigError
from afterwit.reader.lines import SessionLine, Speaker
from afterwit.reader.requests import (
    MOST_TOKENS,
    KnownBeside,
    ReadingPrompt,
    ReadingRequest,
    SessionText,
    hash_of,
    instructions_in,
    own_prompt,
    prompt_of,
    requests,
)

PROMPT = ReadingPrompt("Read this.", "1")
ALONE = KnownBeside()


def long_talk(turns: int) -> list[SessionLine]:
    lines = []
    for turn in range(turns):
        lines.append(line(Speaker.USER, f"Prune row {turn}, and say what you did with the branches."))
        lines += [
            line(Speaker.AGENT, f"Row {turn}, step {step}: " + "the shears are sharp. " * 12) for step in range(9)
        ]
    return lines


def asked(lines: list[SessionLine], around: KnownBeside = ALONE, model: str = "m") -> list[ReadingRequest]:
    session = SessionText("codex", "s1", "example.org/fruit/orchard", "2026-05-01", "Prune", lines)
    return requests(session, around, PROMPT, model)


def test_a_session_in_which_nobody_speaks_is_not_asked_about() -> None:
    assert asked([line(Speaker.ACTION, "$ make → ok")]) == []


def test_a_long_session_comes_in_parts_that_fit_and_hold_every_line() -> None:
    lines = long_talk(60)
    made = asked(lines, KnownBeside((("abc", "x" * 3_900),), "y" * 5_900))
    assert len(made) > 2
    assert all(request.tokens <= MOST_TOKENS for request in made)
    assert {at for request in made for at in range(request.span.first, request.span.end)} == set(range(len(lines)))
    assert [request.part for request in made] == list(range(1, len(made) + 1))
    assert all("The task, as it was put first: Prune" in request.text for request in made)


def test_parts_are_cut_where_a_prompt_begins() -> None:
    lines = long_talk(60)
    ends = [request.span.end for request in asked(lines)][:-1]
    assert all(lines[end].speaker is Speaker.USER for end in ends)


def test_the_id_does_not_change_with_what_is_known_by_then() -> None:
    lines = long_talk(60)
    before, after = asked(lines), asked(lines, KnownBeside((("abc", "Never in spring."),), "Use shears."))
    assert [request.id for request in before] == [request.id for request in after]
    assert before[0].text != after[0].text


def test_the_id_changes_with_the_lines_the_model_and_the_prompt() -> None:
    lines = long_talk(1)
    first = asked(lines)[0].id
    assert asked(lines, model="other")[0].id != first
    assert asked([*lines, line(Speaker.USER, "And row 9.")])[0].id != first


def test_parts_that_are_over_stay_as_they_are_when_a_session_goes_on() -> None:
    lines = long_talk(60)
    before, after = asked(lines), asked([*lines, *long_talk(20)])
    assert [request.id for request in before[:-1]] == [request.id for request in after[: len(before) - 1]]


def test_the_hash_stands_for_the_lines_that_were_sent() -> None:
    lines = long_talk(2)
    (request,) = asked(lines)
    assert hash_of(lines, request.span) == request.lines_hash
    changed = [lines[0]._replace(text="Prune nothing."), *lines[1:]]
    assert hash_of(changed, request.span) != request.lines_hash


def test_a_prompt_has_a_version_that_its_words_change() -> None:
    first, second = prompt_of("<!-- version 3 -->\nRead.", "x"), prompt_of("<!-- version 3 -->\nRead well.", "x")
    assert first.version.startswith("3.")
    assert first.version != second.version
    assert first.text == "Read."
    assert own_prompt().tokens < MOST_TOKENS // 4


def test_an_empty_prompt_is_refused() -> None:
    with pytest.raises(ConfigError, match="is empty"):
        prompt_of("<!-- version 1 -->\n \n", "mine.md")


def test_instruction_files_share_the_room() -> None:
    shown = instructions_in({"AGENTS.md": "a" * 9_000, "CLAUDE.md": "b" * 9_000})
    assert len(shown) < 6_100
    assert "[AGENTS.md]" in shown
    assert "[CLAUDE.md]" in shown


def test_of_many_notes_a_reader_is_shown_those_of_which_the_session_speaks_and_threads_always() -> None:
    others = [(f"n{number}", f"The orchard keeps row {number} for {'pears ' * 30}") for number in range(60)]
    threads = (("goes-on", "The gate is half built."),)
    around = KnownBeside((*others, ("press", "The cider press needs oil.")), "", threads)
    shown = [name for name, _ in around.notes_for("12 user: oil the cider press, please")]
    assert shown[:2] == ["goes-on", "press"]
    assert len(shown) < len(others)
