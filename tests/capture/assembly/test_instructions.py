"""What transcripts show of instruction files: read, written, edited, or put into the context by a client."""

from collections.abc import Iterable
from typing import Any

import pytest

from afterwit.agents.registry import instruction_files
from afterwit.capture.assembly.assemble import Assembler
from afterwit.capture.assembly.instructions import LIMIT
from afterwit.capture.assembly.texts import AssemblyContext
from afterwit.model.instruction_files import Instruction, instruction
from afterwit.model.kinds import EventKind, NoteKind
from afterwit.model.readings import Event, Facts, Reading, Result
from afterwit.redaction.redaction import Redactor

ROOT = "/srv/orchard"
TEXT = "# Orchard\n\nRun `make ripe` before you pick."
TOKEN = "ghp" + "_" + "q7Rk2ZsV9xLm4TnB8wYc1JdF6hGp3KaE5uXi"


def call(tool: str, number: int = 1, **arguments: Any) -> Event:
    name = f"c{number}"
    return Event(
        session="s",
        kind=EventKind.CALL,
        offset=number * 10,
        length=9,
        at_ms=number * 1_000,
        key=f"call:{name}",
        call_id=name,
        tool=tool,
        arguments=arguments,
    )


def result(text: str = "done", number: int = 1, *, is_error: bool = False, **fields: Any) -> Event:
    return Event(
        session="s",
        kind=EventKind.RESULT,
        offset=number * 10 + 5,
        length=4,
        at_ms=number * 1_000 + 100,
        call_id=f"c{number}",
        text=text,
        result=Result(is_error=is_error),
        **fields,
    )


def notice(text: str, **fields: Any) -> Event:
    return Event(session="s", kind=EventKind.NOTICE, offset=1, length=1, at_ms=500, text=text, **fields)


def shown(context: AssemblyContext, readings: Iterable[Reading], cwd: str = ROOT) -> list[Instruction]:
    assembler = Assembler(context)
    assembler.take([Facts(session="s", cwd=cwd)])
    assembler.take(readings)
    notes = [note for note in assembler.captured().notes if note.kind is NoteKind.INSTRUCTIONS]
    return [instruction(*note.text.split("\n", 1)) for note in notes]


def test_a_file_that_was_read_is_kept_without_line_numbers(context: AssemblyContext) -> None:
    numbered = "\n".join(f"{number:>6}→{line}" for number, line in enumerate(TEXT.splitlines(), start=1))
    found = shown(context, [call("Read", file_path=f"{ROOT}/CLAUDE.md"), result(numbered)])
    assert found == [Instruction("CLAUDE.md", TEXT, is_whole=True)]


def test_lists_with_numbers_stay_as_they_are(context: AssemblyContext) -> None:
    text = "1. Pick\n2. Press\n\nThen rest.\nThen clean.\nThen sleep."
    assert shown(context, [call("Read", file_path="AGENTS.md"), result(text)])[0].text == text


def test_a_range_of_a_file_is_a_piece(context: AssemblyContext) -> None:
    found = shown(context, [call("Read", file_path=f"{ROOT}/CLAUDE.md", offset=80, limit=2), result("80→a\n81→b")])
    assert found == [Instruction("CLAUDE.md", "a\nb", is_whole=False)]


@pytest.mark.parametrize(
    ("command", "is_whole"),
    [
        ("cat AGENTS.md", True),
        ("cat AGENTS.md 2>/dev/null", True),
        (f"cd {ROOT} && cat AGENTS.md", True),
        ("test -f AGENTS.md && cat AGENTS.md || true", True),
        ("sed -n '1,200p' AGENTS.md", True),
        ("sed -n '1,3p' AGENTS.md", False),
        ("sed -n '40,90p' AGENTS.md", False),
        ("cat AGENTS.md; ls", None),
        ("cat AGENTS.md | head -3", None),
        ("cat AGENTS.md README.md", None),
        ("cat docs/AGENTS.md", None),
        ("cd docs && cat AGENTS.md", None),
        ("cat README.md", None),
        ("git add AGENTS.md", None),
    ],
)
def test_a_command_shows_a_file_if_it_prints_nothing_else(
    context: AssemblyContext, command: str, is_whole: bool | None
) -> None:
    expected = [] if is_whole is None else [Instruction("AGENTS.md", TEXT, is_whole)]
    assert shown(context, [call("Bash", command=command), result(TEXT)]) == expected


def test_a_command_runs_where_the_call_says(context: AssemblyContext) -> None:
    def found(folder: str) -> list[Instruction]:
        return shown(context, [call("shell", command="cat AGENTS.md", workdir=folder), result(TEXT)])

    assert found(ROOT) == [Instruction("AGENTS.md", TEXT, is_whole=True)]
    assert found("/srv/vineyard") == []


def test_output_that_was_cut_is_a_piece(context: AssemblyContext) -> None:
    found = shown(context, [call("Bash", command="cat AGENTS.md"), result(f"{TEXT}\n…812 tokens truncated…\nThe end.")])
    assert [one.is_whole for one in found] == [False]


def test_what_was_written_counts_when_it_worked(context: AssemblyContext) -> None:
    written = call("Write", file_path=f"{ROOT}/AGENTS.md", content=TEXT)
    assert shown(context, [written, result()]) == [Instruction("AGENTS.md", TEXT, is_whole=True)]
    assert shown(context, [written, result("no such folder", is_error=True)]) == []
    assert shown(context, [written]) == []


def test_an_edit_adds_what_it_put_in(context: AssemblyContext) -> None:
    edit = call("Edit", file_path=f"{ROOT}/AGENTS.md", old_string="a", new_string="Weigh the baskets.")
    assert shown(context, [edit, result()]) == [Instruction("AGENTS.md", "Weigh the baskets.", is_whole=False)]


def test_a_record_that_holds_the_file_after_an_edit_tells_all_of_it(context: AssemblyContext) -> None:
    edit = call("Edit", file_path=f"{ROOT}/AGENTS.md", old_string="a", new_string="Weigh the baskets.")
    found = shown(context, [edit, result(file=(f"{ROOT}/AGENTS.md", TEXT))])
    assert found == [Instruction("AGENTS.md", TEXT, is_whole=True)]


@pytest.mark.parametrize(("verb", "is_whole"), [("Add", True), ("Update", False)])
def test_a_patch_is_read_for_the_file_alone(context: AssemblyContext, verb: str, is_whole: bool) -> None:
    patch = f"""*** Begin Patch
*** {verb} File: AGENTS.md
+Weigh the baskets.
*** Update File: src/row.py
@@
-ripe = None
+ripe = True
*** End Patch"""
    found = shown(context, [call("apply_patch", input=patch), result()])
    assert found == [Instruction("AGENTS.md", "Weigh the baskets.", is_whole)]


def test_codex_gives_the_files_with_their_folder(context: AssemblyContext) -> None:
    def found(folder: str) -> list[Instruction]:
        text = f"# AGENTS.md instructions for {folder}\n\n<INSTRUCTIONS>\n{TEXT}\n</INSTRUCTIONS>"
        return shown(context, [notice(text)])

    assert found(ROOT) == [Instruction("AGENTS.md", TEXT, is_whole=True)]
    assert found("/srv/vineyard") == []


def test_older_codex_gives_them_without(context: AssemblyContext) -> None:
    given = notice(f"<user_instructions>\n\n{TEXT}\n\n</user_instructions>")
    assert shown(context, [given]) == [Instruction("AGENTS.md", TEXT, is_whole=True)]


def test_a_reminder_can_hold_several_files(context: AssemblyContext) -> None:
    text = f"""<system-reminder>
Contents of {ROOT}/CLAUDE.md (project instructions, checked into the codebase):

{TEXT}

Contents of {ROOT}/docs/CLAUDE.md:

Only for the docs.

Contents of /home/ada/.claude/CLAUDE.md (user's private global instructions for all projects):

Be brief.

      IMPORTANT: this context may or may not be relevant to your tasks.
</system-reminder>"""
    whole, own = shown(context, [notice(text)])
    assert whole == Instruction("CLAUDE.md", TEXT, is_whole=True)
    assert own.path.endswith("/.claude/CLAUDE.md")
    assert "ada" not in own.path
    assert own.text == "Be brief."


def test_gemini_marks_where_a_file_ends(context: AssemblyContext) -> None:
    text = f"--- Context from: GEMINI.md ---\n{TEXT}\n--- End of Context from: GEMINI.md ---\nToday is Monday."
    assert shown(context, [notice(text)]) == [Instruction("GEMINI.md", TEXT, is_whole=True)]


def test_a_worktree_and_a_subfolder_belong_to_their_repository(context: AssemblyContext) -> None:
    read = [call("Read", file_path=f"{ROOT}/.claude/worktrees/plum/AGENTS.md"), result(TEXT)]
    assert shown(context, read) == [Instruction("AGENTS.md", TEXT, is_whole=True)]
    above = [call("Read", file_path=f"{ROOT}/AGENTS.md"), result(TEXT)]
    assert shown(context, above, cwd=f"{ROOT}/packages/press") == [Instruction("AGENTS.md", TEXT, is_whole=True)]


@pytest.mark.parametrize("path", ["/srv/vineyard/AGENTS.md", f"{ROOT}/docs/AGENTS.md", "/home/ada/AGENTS.md"])
def test_files_of_other_places_do_not_count(context: AssemblyContext, path: str) -> None:
    assert shown(context, [call("Read", file_path=path), result(TEXT)]) == []


def test_the_last_state_counts_and_pieces_are_few(context: AssemblyContext) -> None:
    whole = [call("Read", file_path="AGENTS.md"), result("old"), call("Read", 2, file_path="AGENTS.md")]
    assert [one.text for one in shown(context, [*whole, result("new", 2)])] == ["new"]
    pieces = [
        event
        for number in range(40)
        for event in (call("Edit", number, file_path="AGENTS.md", new_string=f"row {number}"), result("", number))
    ]
    assert {one.text for one in shown(context, pieces)} == {f"row {number}" for number in range(32, 40)}


def test_texts_are_redacted_and_bounded(context: AssemblyContext) -> None:
    found = shown(context, [notice("", file=("AGENTS.md", f"token {TOKEN}\n" + "pick " * 10_000))])
    assert TOKEN not in found[0].text
    assert len(found[0].text) <= LIMIT


def test_places_are_the_same_on_every_machine() -> None:
    def place(key: bytes) -> int:
        assembler = Assembler(AssemblyContext(redactor=Redactor(key), instructions=instruction_files()))
        assembler.take([notice("", file=("/home/ada/.claude/CLAUDE.md", "Be brief."))])
        return assembler.captured().notes[0].place

    assert place(b"k" * 32) == place(b"z" * 32)


def test_a_write_whose_result_comes_in_a_later_run_is_kept(context: AssemblyContext) -> None:
    first = Assembler(context)
    first.take([Facts(session="s", cwd=ROOT)])
    first.take([call("Write", file_path=f"{ROOT}/AGENTS.md", content=TEXT)])
    later = Assembler(context, resume=first.captured().resume)
    later.take([result()])
    assert [note.text for note in later.captured().notes] == [f"whole AGENTS.md\n{TEXT}"]
